/**
 * Why a server's process did not start or did not stay, in words for whoever set it up. It watches no process itself.
 */
import { existsSync } from "node:fs";
import type { ProcessExit, ProcessStart } from "./server-process.node.ts";

/** Lines of standard error that are repeated in a message. */
const maxRepeatedLines = 5;

/** Why a program could not be started, with a hint where something was not found. */
export function describeStartFailure({ command, cwd }: ProcessStart, cause: unknown): string {
  const what = cause instanceof Error ? cause.message : String(cause);
  const isMissing = (cause as { code?: unknown }).code === "ENOENT";
  const hint = !isMissing
    ? ""
    : cwd !== undefined && !existsSync(cwd)
      ? `: the working directory ${JSON.stringify(cwd)} does not exist`
      : ": check its spelling, and the PATH it is looked up in";
  return `the server process "${command}" could not be started (${what})${hint}`;
}

/** How a process ended by itself, with the end of what it said. */
export function describeExit(command: string, exit: ProcessExit | undefined, stderrLines: readonly string[]): string {
  const how =
    exit === undefined
      ? "closed its pipes"
      : exit.exitSignal !== undefined
        ? `was ended by ${exit.exitSignal}`
        : `exited with code ${exit.exitCode}`;
  const last = stderrLines.slice(-maxRepeatedLines).join("\n");
  const said = last === "" ? "" : `; its last lines on standard error:\n${last}`;
  return `the server process "${command}" ${how} without being asked to${said}`;
}
