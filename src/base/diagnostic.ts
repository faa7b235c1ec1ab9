/**
 * What is reported when something had to be dropped, tolerated or repaired and no caller is there to get an error.
 *
 * Every option object that can meet such things takes `onDiagnostic`. Nothing is written to a console.
 */

/** One thing that went wrong without failing anybody's call. */
export interface Diagnostic {
  /** Stable name of the kind, such as `MCP_D_LATE_RESPONSE`. */
  readonly code: string;
  /** What was expected, what came and what was done about it, in one sentence without secrets. */
  readonly message: string;
  /** What was caught, or the beginning of what was received. */
  readonly detail?: unknown;
}

/** Told of every diagnostic. Must not throw. */
export type OnDiagnostic = (diagnostic: Diagnostic) => void;
