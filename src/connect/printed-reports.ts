/**
 * What a running server reports that whoever runs it has to see, as lines.
 *
 * What a handler threw is the author's to see, and a store that is out of reach the operator's. Other diagnostics are not
 * printed: a client could flood the log with them, and an author who wants them gives `onDiagnostic`.
 */
import type { Diagnostic, OnDiagnostic } from "../base/diagnostic.ts";
import { TokenBucket } from "../base/token-bucket.ts";

/** While a store is out of reach, every request has something to report: so many lines at once, and one in so long. */
const storeReports = { burst: 5, perSecond: 0.1 };

/**
 * Prints those reports.
 *
 * @param print - gets a line, or several for an error with its stack
 * @param now - milliseconds since the epoch
 */
export function createPrintedReports(print: (line: string) => void, now: () => number): OnDiagnostic {
  const bucket = new TokenBucket(storeReports.burst, storeReports.perSecond, now);
  return (diagnostic) => {
    if (diagnostic.code === "MCP_D_HANDLER_FAULT") {
      const { detail } = diagnostic;
      print(`${describe(diagnostic)}${detail instanceof Error ? `\n${detail.stack ?? detail.message}` : ""}`);
    } else if (diagnostic.code === "MCP_D_STORE_FAILED" && bucket.take()) {
      const { detail } = diagnostic;
      print(`${describe(diagnostic)}${detail instanceof Error ? `: ${detail.message}` : ""}`);
    }
  };
}

function describe({ code, message }: Diagnostic): string {
  return `${code}: ${message}`;
}
