/**
 * The error of a server's process that did not start or did not stay. Watching the process is server-process.node.ts.
 */
import { existsSync } from "node:fs";
import { McpError, type McpErrorOptions } from "../base/error.ts";
import type { ProcessExit, ProcessStart } from "./server-process.node.ts";

/**
 * The server's process could not be started, or ended without being asked to. The message says how, with the last
 * lines that it printed. Calls that were waiting fail with a `ClosedError` that has this as its cause.
 *
 * @example
 * ```ts
 * import { ServerProcessError } from "parley-mcp/stdio/client";
 *
 * // The server's own words when it ended, to show to whoever set it up.
 * export function findLastWords(error: Error): readonly string[] {
 *   const fault = error instanceof ServerProcessError ? error : error.cause;
 *   return fault instanceof ServerProcessError ? fault.stderrLines : [];
 * }
 * ```
 */
export class ServerProcessError extends McpError {
  readonly code = "MCP_SERVER_PROCESS";
  /** The program, without its arguments. */
  readonly command: string;
  /** What it exited with, if it did. */
  readonly exitCode: number | undefined;
  /** The signal that ended it, if one did. */
  readonly exitSignal: string | undefined;
  /** The last lines on its standard error, oldest first. */
  readonly stderrLines: readonly string[];

  constructor(
    message: string,
    details: { command: string; stderrLines?: readonly string[] } & Partial<ProcessExit> & McpErrorOptions,
  ) {
    super(message, details);
    this.command = details.command;
    this.exitCode = details.exitCode;
    this.exitSignal = details.exitSignal;
    this.stderrLines = details.stderrLines ?? [];
  }
}

/** The error for a program that could not be started, with a hint where the reason is a missing file. */
export function createStartError({ command, cwd }: ProcessStart, cause: unknown): ServerProcessError {
  const what = cause instanceof Error ? cause.message : String(cause);
  const isMissing = (cause as { code?: unknown }).code === "ENOENT";
  const hint = !isMissing
    ? ""
    : cwd !== undefined && !existsSync(cwd)
      ? `: the working directory ${JSON.stringify(cwd)} does not exist`
      : ": check its spelling, and the PATH it is looked up in";
  return new ServerProcessError(`the server process "${command}" could not be started (${what})${hint}`, {
    command,
    cause,
  });
}

/** The error for a process that ended by itself, with the end of what it said. */
export function createExitError(
  command: string,
  exit: ProcessExit | undefined,
  stderrLines: readonly string[],
): ServerProcessError {
  const how =
    exit === undefined
      ? "closed its pipes"
      : exit.exitSignal !== undefined
        ? `was ended by ${exit.exitSignal}`
        : `exited with code ${exit.exitCode}`;
  const last = stderrLines.slice(-5).join("\n");
  const said = last === "" ? "" : `; its last lines on standard error:\n${last}`;
  return new ServerProcessError(`the server process "${command}" ${how} without being asked to${said}`, {
    command,
    stderrLines,
    ...exit,
  });
}
