/**
 * Sending the person to a page: consent first, then the opener, then waiting for the server to say that it is done.
 *
 * The page is never fetched here, not even its title. Specification: Client > Elicitation > URL Mode.
 */
import { linkSignals, raceAbort } from "../../base/abort.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { isMcpError } from "../../base/error.ts";
import { Lru } from "../../base/lru.ts";
import type { Clock } from "../../base/timer.ts";
import { InvalidParamsError, type UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { ElicitRequestURLParams } from "../../protocol/types/elicitation.ts";
import type { BlockedCall } from "./blocked-call.ts";
import type { ServingContext } from "./serving.ts";
import { type InspectedUrl, inspectUrl } from "./url-inspection.ts";

/** What the person decided about a page. */
export type UrlDecision = "accept" | "decline" | "cancel";

/** A page the person is asked to visit. */
export interface UrlElicitation {
  /** The whole URL, its host and what looks suspicious. Show the whole URL and highlight the domain [ELIC-039]. */
  readonly url: InspectedUrl;
  /** What the server wants and why. Plain text. */
  readonly message: string;
  /** Opaque; names the interaction in the completion [ELIC-018]. */
  readonly elicitationId: string | undefined;
  /** The call that cannot go on without this page, where there is one: retry or give up by hand [ELIC-027]. */
  readonly blockedCall: BlockedCall | undefined;
}

/** How pages are served. */
export interface UrlElicitationOptions {
  /** Shows the URL and asks. Nothing is opened unless it says `accept` [ELIC-039]. */
  consent: (request: UrlElicitation, context: ServingContext) => UrlDecision | Promise<UrlDecision>;
  /** Opens the URL where neither client nor model can look on, such as the system's browser, and never by a shell. */
  open: (url: string) => void | Promise<void>;
  /** Told when the server reports that an interaction is over. */
  onComplete?: ((elicitationId: string) => void) | undefined;
  /**
   * What a call does that fails because a page must be visited first: ask for consent, wait for completion and send it
   * again (`"retry"`), or fail at once (`"throw"`). Default `"retry"`.
   */
  onRequired?: "retry" | "throw" | undefined;
  /** Longest wait for the person to be done before a call fails after all, in milliseconds. Default 600 000. */
  completionTimeoutMs?: number | undefined;
}

/** What {@link UrlElicitations} needs of its session. */
export interface UrlElicitationHost {
  readonly clock: Clock;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Stops the clocks of waiting calls while the person is asked. */
  pause(): () => void;
}

/** How often one call may be sent again. */
const maxRetries = 3;

/** Interactions remembered at once; older ones are taken as forgotten. */
const maxPending = 1_000;

/** The interactions of one session. */
export class UrlElicitations {
  readonly #options: UrlElicitationOptions;
  readonly #host: UrlElicitationHost;
  readonly #pending: Lru<Deferred<void>>;

  constructor(options: UrlElicitationOptions, host: UrlElicitationHost) {
    this.#options = options;
    this.#host = host;
    this.#pending = new Lru(maxPending);
  }

  /** How long a call may wait for the person to be done with a page, in milliseconds. */
  get completionTimeoutMs(): number {
    return this.#options.completionTimeoutMs ?? 600_000;
  }

  /** Answers a request in URL mode. Accepting says that the person agreed, not that they are done. */
  async serve(params: ElicitRequestURLParams, context: ServingContext): Promise<UrlDecision> {
    return this.#present(params, context, context.blockedCall);
  }

  /** Notes that an interaction is over. What is unknown or over already is ignored [ELIC-026]. */
  complete(elicitationId: string): void {
    const pending = this.#pending.get(elicitationId);
    if (pending !== undefined) {
      this.#pending.delete(elicitationId);
      pending.resolve();
      this.#options.onComplete?.(elicitationId);
    }
  }

  /** Sends a request, and again each time the pages that it turned out to need have been visited [ELIC-027]. */
  async run<T>(send: () => Promise<T>, context: ServingContext): Promise<T> {
    for (let retries = 0; ; retries += 1) {
      try {
        return await send();
      } catch (error) {
        if (!isUrlRequired(error) || this.#options.onRequired === "throw" || retries === maxRetries) {
          throw error;
        }
        await this.#visit(error, context);
      }
    }
  }

  /** Returns when the call may be sent again. */
  async #visit(error: UrlElicitationRequiredError, { server, signal }: ServingContext): Promise<void> {
    const linked = linkSignals(signal, this.#host.signal);
    try {
      await this.#visitAll(error, { server, signal: linked.signal });
    } finally {
      linked.release();
    }
  }

  async #visitAll(error: UrlElicitationRequiredError, context: ServingContext): Promise<void> {
    const byHand = createDeferred<"retry" | "cancel">();
    const blockedCall: BlockedCall = { retry: () => byHand.resolve("retry"), cancel: () => byHand.resolve("cancel") };
    const completions: Promise<void>[] = [];
    const resume = this.#host.pause();
    try {
      for (const params of error.elicitations) {
        const decision = await raceAbort(this.#present(params, context, blockedCall), context.signal);
        if (decision !== "accept") {
          throw error;
        }
        completions.push(this.#completionOf(params.elicitationId));
      }
    } finally {
      resume();
    }
    const outcome = await this.#wait(completions, byHand.promise, context.signal);
    if (outcome === "cancel") {
      throw error;
    }
  }

  async #wait(
    completions: readonly Promise<void>[],
    byHand: Promise<"retry" | "cancel">,
    signal: AbortSignal,
  ): Promise<"retry" | "cancel"> {
    const timeout = createDeferred<"cancel">();
    const stop = this.#host.clock.after(this.completionTimeoutMs, () => timeout.resolve("cancel"));
    const done = Promise.all(completions).then(() => "retry" as const);
    try {
      return await raceAbort(Promise.race([done, byHand, timeout.promise]), signal);
    } finally {
      stop();
    }
  }

  /** Resolves at once for an interaction that is over already; never for one without a name. */
  #completionOf(elicitationId: string | undefined): Promise<void> {
    if (elicitationId === undefined) {
      return createDeferred().promise;
    }
    return this.#pending.get(elicitationId)?.promise ?? Promise.resolve();
  }

  async #present(
    params: ElicitRequestURLParams,
    context: ServingContext,
    blockedCall: BlockedCall | undefined,
  ): Promise<UrlDecision> {
    const { message, elicitationId } = params;
    const url = inspectUrl(params.url);
    if (url === undefined) {
      throw new InvalidParamsError(`params.url: expected a URL of https or http, got ${JSON.stringify(params.url)}`);
    }
    const decision = await this.#options.consent({ url, message, elicitationId, blockedCall }, context);
    // Whoever withdrew the question meanwhile must not see a page open.
    context.signal.throwIfAborted();
    if (decision === "accept") {
      this.#expect(elicitationId);
      await this.#options.open(url.href);
    }
    return decision;
  }

  /** From here on a completion with this id means something. */
  #expect(elicitationId: string | undefined): void {
    if (elicitationId !== undefined && this.#pending.get(elicitationId) === undefined) {
      this.#pending.set(elicitationId, createDeferred());
    }
  }
}

function isUrlRequired(error: unknown): error is UrlElicitationRequiredError {
  return isMcpError(error) && error.code === "MCP_URL_ELICITATION_REQUIRED";
}
