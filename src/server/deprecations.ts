/**
 * What the revisions without a handshake advise against though they have it: told once for each feature, to authors who
 * ask for advice. It works all the same, and is right for clients of the older revisions.
 *
 * Specification: Deprecated features [M-DEP-001, M-DEP-002].
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** The features, each with what to do instead. */
const instead = {
  "ctx.roots": "take folders as arguments or resource URIs, or from the server's own configuration",
  "ctx.sample": "call a model's provider from the server",
  "ctx.log": "write to standard error, or to your own tracing and logs",
  includeContext: "leave it out, or put what the model needs into the messages",
} as const;

/** A feature that is advised against. */
export type DeprecatedFeature = keyof typeof instead;

/** See the head of this file. */
export class Deprecations {
  readonly #onAdvice: OnDiagnostic | undefined;
  readonly #told = new Set<DeprecatedFeature>();

  constructor(onAdvice: OnDiagnostic | undefined) {
    this.#onAdvice = onAdvice;
  }

  /** A handler uses one. */
  use(feature: DeprecatedFeature): void {
    if (this.#onAdvice === undefined || this.#told.has(feature)) {
      return;
    }
    this.#told.add(feature);
    this.#onAdvice({
      code: "MCP_D_DEPRECATED",
      message: `${feature} is deprecated in the revision that this client speaks; where you can, ${instead[feature]}`,
    });
  }

  /** A handler asks the client something. */
  ask(method: string, params: JsonObject | undefined): void {
    if (method === "roots/list") {
      this.use("ctx.roots");
    } else if (method === "sampling/createMessage") {
      this.use("ctx.sample");
      if ((params?.includeContext ?? "none") !== "none") {
        this.use("includeContext");
      }
    }
  }
}
