/**
 * Where a server's faults and diagnostics go: to the author's hooks, or else to whoever runs the server.
 *
 * Nothing is printed here, and nothing that a hook throws comes back.
 */
import type { Diagnostic, OnDiagnostic } from "../base/diagnostic.ts";
import type { ErrorDetails } from "./options.ts";

/** The author's hooks. */
export interface ReportHooks {
  readonly onError?: ((error: unknown, details: ErrorDetails) => void) | undefined;
  readonly onDiagnostic?: OnDiagnostic | undefined;
  readonly onAdvice?: OnDiagnostic | undefined;
}

/** See the head of this file. Its functions can be handed on by themselves. */
export class Reports {
  readonly #hooks: ReportHooks;
  readonly #runners = new Set<OnDiagnostic>();

  /** Tells of what is allowed and likely not meant; `undefined` where nobody asked for advice. */
  readonly onAdvice: OnDiagnostic | undefined;

  constructor(hooks: ReportHooks) {
    this.#hooks = hooks;
    const { onAdvice } = hooks;
    this.onAdvice = onAdvice && ((advice) => this.call("onAdvice", () => onAdvice(advice)));
  }

  /** Reports a diagnostic. */
  readonly onDiagnostic: OnDiagnostic = (diagnostic: Diagnostic) => {
    const [runner] = this.#runners;
    try {
      (this.#hooks.onDiagnostic ?? runner)?.(diagnostic);
    } catch {
      // The hook for faults is itself at fault; there is nobody left to tell.
    }
  };

  /** Reports what a handler threw; a diagnostic where the author has no hook for errors. */
  readonly onError = (error: unknown, details: ErrorDetails): void => {
    const { onError } = this.#hooks;
    if (onError === undefined) {
      const { method, name } = details;
      const what = name === undefined ? method : `${method} of ${JSON.stringify(name)}`;
      const message = `${what} threw what is no message for the other side; it is in detail, and onError would get it`;
      this.onDiagnostic({ code: "MCP_D_HANDLER_FAULT", message, detail: error });
      return;
    }
    this.call("onError", () => onError(error, details));
  };

  /** Lets a sending go on by itself; its failure is reported. */
  readonly forget = (sending: Promise<unknown>): void => {
    sending.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      this.onDiagnostic({ code: "MCP_D_UNSENT", message: `a notification was not sent: ${why}`, detail: error });
    });
  };

  /**
   * Has diagnostics go somewhere while the author names no place; of several, the first that is left is told.
   *
   * @returns takes it away
   */
  addRunner(runner: OnDiagnostic): () => void {
    // One entry per call, so that the same function given twice is taken away once at a time.
    const entry: OnDiagnostic = (diagnostic) => runner(diagnostic);
    this.#runners.add(entry);
    return () => {
      this.#runners.delete(entry);
    };
  }

  /** Calls one of the author's hooks; what it throws is reported. */
  call(hook: string, call: () => void): void {
    try {
      call();
    } catch (fault) {
      this.onDiagnostic({ code: "MCP_D_HOOK_FAULT", message: `${hook} threw`, detail: fault });
    }
  }
}
