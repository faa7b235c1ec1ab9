// Running programs for the gates, and telling whether a module is the program that was started.

import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { root } from "./files.ts";

/** Whether the module with this URL is the one node was started with. */
export function isMain(moduleUrl: string): boolean {
  return process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(moduleUrl);
}

/** What a finished program left behind; `output` is standard output and standard error as they came. */
export interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

/**
 * Runs a program in the repository root and collects what it prints. A program that cannot start rejects; one that is
 * still running after `timeoutMs` is killed and counts as failed.
 */
export function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  timeoutMs = 600_000,
): Promise<Finished> {
  return new Promise((settle, fail) => {
    const child = spawn(command, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: timeoutMs,
      killSignal: "SIGKILL",
    });
    let stdout = "";
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
      output += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    child.on("error", fail);
    child.on("close", (code) => {
      const end = code === null ? `${output}\n(killed after ${timeoutMs} ms)\n` : output;
      settle({ code: code ?? 1, stdout, output: end });
    });
  });
}

/** Arguments that make node run a TypeScript file of this repository against its sources. */
export function nodeArgs(script: string, ...args: readonly string[]): string[] {
  return ["--conditions=parley-mcp", "--import", "tsx", script, ...args];
}

/** Path of a development tool's program inside `node_modules`. */
export function tool(name: string): string {
  return resolve(root, "node_modules", ".bin", name);
}
