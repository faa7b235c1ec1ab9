/**
 * How a program of ours ends that could not do what it was started for: what it prints, and its exit code.
 *
 * For errors of users' files it prints the places in their code, not the way there through Node and this package.
 */
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { inspect } from "node:util";
import { isMcpError } from "../base/error.ts";

/** Exit code for wrong usage: of the command line, of the file it names, or of the address. */
const usageExitCode = 1;
/** Exit code when the server cannot be started, or reached. */
const unreachableExitCode = 2;

/** Frames of a stack that say nothing about the user's file. */
const foreignFrame = /^\s+at .*(?:\bnode:|\/node_modules\/(?:tsx|esbuild)\/)/;

/** Causes that are followed; a chain may be a ring. */
const maxCauses = 5;

/** Longest wait for the second look at a file with a syntax error, in milliseconds. */
const checkTimeoutMs = 5_000;

/** This folder, as stacks name it with and without source maps. */
const ownPlaces = /* @__PURE__ */ [new URL(".", import.meta.url).href, fileURLToPath(new URL(".", import.meta.url))];

/** Prints an error and ends the process, whatever the user's file has left running. */
export function endProcess(error: unknown, path?: string): never {
  process.stderr.write(`${describeFailure(error, path)}\n`);
  process.exit(isMcpError(error) && error.code === "MCP_USAGE" ? usageExitCode : unreachableExitCode);
}

/**
 * What a person needs to know.
 *
 * @param path - the file that was being loaded, if one was
 */
export function describeFailure(error: unknown, path?: string): string {
  if (isMcpError(error)) {
    return `${error.code}: ${error.message}`;
  }
  const head = path === undefined ? "" : `${path} could not be loaded:\n`;
  const place = error instanceof SyntaxError && path !== undefined ? findSyntaxError(path) : "";
  return head + place + describeThrown(error, maxCauses);
}

function describeThrown(error: unknown, causesLeft: number): string {
  if (!(error instanceof Error) || error.stack === undefined) {
    return inspect(error);
  }
  const lines = error.stack.split("\n");
  // What is below this package in the stack is how the file came to be loaded.
  const end = lines.findIndex((line) => /^\s+at /.test(line) && ownPlaces.some((place) => line.includes(place)));
  const kept = lines.slice(0, end === -1 ? undefined : end).filter((line) => !foreignFrame.test(line));
  if (error.cause !== undefined && causesLeft > 0) {
    kept.push(`caused by: ${describeThrown(error.cause, causesLeft - 1)}`);
  }
  return kept.join("\n");
}

/** The line with the error, which Node shows only for the program it was started with. */
function findSyntaxError(path: string): string {
  const { stderr } = spawnSync(process.execPath, ["--check", path], { encoding: "utf8", timeout: checkTimeoutMs });
  return /^[^\n]+:\d+\n[^\n]*\n\s*\^+\n/.exec(stderr)?.[0] ?? "";
}
