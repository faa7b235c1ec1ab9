/**
 * Lines on a server's standard output that are no messages: skipped, counted, and the first few reported as they are,
 * so that whoever printed them can be found.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { isObject } from "../base/json.ts";

const maxReports = 5;
const maxExcerptLength = 500;

/**
 * Whether a JSON value was never meant as a message, such as the `42` of a print statement or a line of a JSON log.
 * Arrays of objects are left to whoever knows of batches.
 */
export function isStray(value: unknown): boolean {
  if (Array.isArray(value)) {
    return !isObject(value[0]);
  }
  return !isObject(value) || !["jsonrpc", "method", "result", "error"].some((name) => Object.hasOwn(value, name));
}

/** Counts and reports the stray lines of one server. */
export class StrayOutput {
  readonly #onDiagnostic: OnDiagnostic | undefined;
  #count = 0;

  constructor(onDiagnostic: OnDiagnostic | undefined) {
    this.#onDiagnostic = onDiagnostic;
  }

  /** Lines skipped so far. */
  get count(): number {
    return this.#count;
  }

  /** Takes note of one line. */
  add(line: string): void {
    this.#count += 1;
    if (this.#count <= maxReports) {
      const text = line.length > maxExcerptLength ? `${line.slice(0, maxExcerptLength)}...` : line;
      const last = this.#count === maxReports ? "; further lines are only counted" : "";
      this.#onDiagnostic?.({
        code: "MCP_D_STRAY_OUTPUT",
        message: `expected messages on the server's standard output, got ${JSON.stringify(text)}: the line was skipped${last}`,
        detail: { line: text, count: this.#count },
      });
    }
  }

  /** Reports how many there were altogether, where not each was reported. */
  summarize(): void {
    if (this.#count > maxReports) {
      this.#onDiagnostic?.({
        code: "MCP_D_STRAY_OUTPUT",
        message: `${this.#count} lines on the server's standard output were no messages and were skipped`,
        detail: { count: this.#count },
      });
    }
  }
}
