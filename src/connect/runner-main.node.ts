/** The program that `connect` starts for a server's source file: serves it over stdio. */
import process from "node:process";
import { endProcess } from "./failure.node.ts";
import { tolerateLostOutput } from "./lost-output.node.ts";
import { serveFile } from "./serve-file.node.ts";

const path = process.argv[2] ?? "";
tolerateLostOutput();
serveFile(path, {}).catch((error: unknown) => endProcess(error, path));
