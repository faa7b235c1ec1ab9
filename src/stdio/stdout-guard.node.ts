/**
 * Keeps everything but messages off standard output: what `console` and others print goes to standard error, and the
 * place that printed it is named. Specification: Basic > Transports > stdio.
 *
 * Output that does not pass through the stream object, such as `fs.writeSync(1, ...)` or native code, is not caught.
 */
import { isAbsolute, relative } from "node:path";
import process from "node:process";
import type { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { OnDiagnostic } from "../base/diagnostic.ts";

/** Places that are named. A program that prints everywhere learns nothing from the next one. */
const maxPlaces = 10;
const maxExcerptLength = 80;
const stackDepth = 30;

/**
 * Replaces `write` and `end` of a stream by versions that write to another one.
 *
 * @param stdout - the stream to keep clean
 * @param stderr - where foreign output goes
 * @param onDiagnostic - told once for each place in the program that prints
 * @returns puts the stream back as it was
 */
export function guardStdout(stdout: Writable, stderr: Writable, onDiagnostic: OnDiagnostic | undefined): () => void {
  const places = new Set<string>();
  const report = (chunk: unknown, caller: (...args: never[]) => unknown): void => {
    if (onDiagnostic === undefined || places.size >= maxPlaces) {
      return;
    }
    const place = findPlace(caller);
    if (!places.has(place)) {
      places.add(place);
      onDiagnostic({
        code: "MCP_D_STDOUT_GUARDED",
        message:
          `expected only messages on standard output, got ${excerpt(chunk)} (${place}); ` +
          "it was kept off the wire and sent to standard error: use ctx.log or console.error",
        detail: { place },
      });
    }
  };
  const original = { write: stdout.write, end: stdout.end };
  const write = (...args: Parameters<Writable["write"]>): boolean => {
    report(args[0], write);
    return stderr.write(...args);
  };
  const end = (...args: unknown[]): Writable => {
    const [chunk] = args;
    if (chunk !== undefined && chunk !== null && typeof chunk !== "function") {
      report(chunk, end);
      stderr.write(chunk);
    }
    const done = args.find((arg) => typeof arg === "function");
    if (done !== undefined) {
      process.nextTick(done);
    }
    return stdout;
  };
  stdout.write = write as Writable["write"];
  stdout.end = end;
  return () => {
    if (stdout.write === write) {
      stdout.write = original.write;
    }
    if (stdout.end === end) {
      stdout.end = original.end;
    }
  };
}

/** The nearest line outside Node itself that led to `below`, as `file:line`. */
function findPlace(below: (...args: never[]) => unknown): string {
  const depth = Error.stackTraceLimit;
  const trace: { stack?: unknown } = {};
  Error.stackTraceLimit = stackDepth;
  Error.captureStackTrace(trace, below);
  Error.stackTraceLimit = depth;
  // A program may format stacks its own way, so that this is no text.
  const stack = typeof trace.stack === "string" ? trace.stack : "";
  for (const line of stack.split("\n")) {
    const [, file, lineNumber] = /^\s*at (?:.*\()?(?:async )?(.+?):(\d+):\d+\)?$/.exec(line) ?? [];
    if (file !== undefined && !file.startsWith("node:")) {
      return `${shorten(file)}:${lineNumber}`;
    }
  }
  return "unknown place";
}

function shorten(file: string): string {
  const path = file.startsWith("file://") ? fileURLToPath(file) : file;
  const fromHere = relative(process.cwd(), path);
  return fromHere.startsWith("..") || isAbsolute(fromHere) ? path : fromHere;
}

function excerpt(chunk: unknown): string {
  const text = typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString("utf8");
  const line = text.trimEnd();
  return JSON.stringify(line.length > maxExcerptLength ? `${line.slice(0, maxExcerptLength)}...` : line);
}
