/**
 * Features that the newest revision advises against, with what to use in their place. They work as ever; each is
 * mentioned once per client. Specification: Deprecated features.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";

const advice = {
  sampling: "call the model where the result is needed, or let the host combine tool results",
  roots: "name folders in the arguments of tools, or in the server's own settings",
  logging: "read the server's standard error, or trace it by the keys for that in _meta",
} as const;

/** A feature that is advised against. */
export type DeprecatedFeature = keyof typeof advice;

/** See the head of this file. */
export class Deprecations {
  readonly #onDiagnostic: OnDiagnostic | undefined;
  readonly #noted = new Set<DeprecatedFeature>();

  constructor(onDiagnostic: OnDiagnostic | undefined) {
    this.#onDiagnostic = onDiagnostic;
  }

  /** Mentions a feature that is being used, unless it has been already [M-DEP-002]. */
  note(feature: DeprecatedFeature): void {
    if (!this.#noted.has(feature)) {
      this.#noted.add(feature);
      const message = `${feature} is deprecated in the revision that is spoken and will go: ${advice[feature]}`;
      this.#onDiagnostic?.({ code: "MCP_D_DEPRECATED", message });
    }
  }
}
