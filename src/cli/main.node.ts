#!/usr/bin/env node
/** The command `parley`. What it exits with is said by `exitCodes` in program.node.ts. */
import { endProcess } from "../connect/failure.node.ts";
import { tolerateLostOutput } from "../connect/lost-output.node.ts";
import { createProgram } from "./program.node.ts";

tolerateLostOutput();
createProgram()
  .parseAsync()
  .catch((error: unknown) => endProcess(error));
