/**
 * The stream over which a server sends what belongs to no request. Optional on both sides: it is opened again for as
 * long as that makes sense, every change is told, and no fault of it touches a request or the session [PP-005] [PP-007].
 *
 * Specification: Basic > Transports > Listening for messages from the server.
 */
import { ClosedError, type McpError, toMcpError } from "../../base/error.ts";
import { sleep } from "../../base/timer.ts";
import type { Classified } from "../../jsonrpc/message.ts";
import { MessageTooLargeError } from "../../jsonrpc/too-large.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Inbound } from "./inbound.ts";
import { askedDelayMs, isResumable, type OpenedStream, openStream } from "./open-stream.ts";
import type { ResolvedHttpOptions, StandingStreamState } from "./options.ts";
import { Attempts } from "./reconnect.ts";
import type { HttpSession } from "./session.ts";
import { readStream } from "./stream.ts";

/** What the stream belongs to. */
export interface StandingStreamOptions {
  readonly endpoint: Endpoint;
  readonly options: ResolvedHttpOptions;
  readonly session: HttpSession;
  readonly inbound: Inbound;
}

/** Statuses of a server that has no such stream; 405 is the proper one [HTTP-028]. */
const notOffered: ReadonlySet<number | undefined> = /* @__PURE__ */ new Set([404, 405, 501]);

/** Keeps the standing stream of one session open. */
export class StandingStream {
  readonly #own: StandingStreamOptions;
  readonly #attempts: Attempts;
  #state: StandingStreamState = "closed";
  #everOpen = false;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;

  constructor(options: StandingStreamOptions) {
    this.#own = options;
    this.#attempts = new Attempts(options.options.reconnect);
  }

  /** What {@link HttpClientOptions.onStateChange} was told last; `closed` before the first opening. */
  get state(): StandingStreamState {
    return this.#state;
  }

  /** Opens the stream and keeps it open until the session ends. Called once; never rejects. */
  async run(): Promise<void> {
    const { signal } = this.#own.session;
    try {
      while (await this.#connect()) {
        // Each turn is one connection, from the opening to the wait before the next.
      }
    } catch (error) {
      // Only the end of the session gets here; in order, it is no fault.
      const reason = signal.aborted ? signal.reason : error;
      this.#change("closed", reason instanceof ClosedError ? undefined : toMcpError(reason));
    }
  }

  /** @returns whether to connect again */
  async #connect(): Promise<boolean> {
    const { endpoint, session, options } = this.#own;
    const opened = await openStream({
      endpoint,
      session,
      what: "GET of the standing stream from",
      lastEventId: isResumable(this.#lastEventId) ? this.#lastEventId : undefined,
      endsSession: false,
      signal: session.signal,
    });
    if (!opened.ok) {
      return await this.#refused(opened);
    }
    this.#everOpen = true;
    this.#change("open", undefined);
    const openedAt = options.clock.now();
    const end = await readStream(opened.response, {
      acceptsBatches: session.revision.traits.batching,
      signal: session.signal,
      maxMessageBytes: options.maxMessageBytes,
      lastEventId: this.#lastEventId,
      onMessage: (classified) => this.#receive(classified),
      report: options.report,
    });
    this.#attempts.judge({
      openMs: options.clock.now() - openedAt,
      useful: end.events > 0 || (end.fault === undefined && end.retryMs !== undefined),
    });
    // An event that is too large would come again and again.
    this.#lastEventId = end.fault instanceof MessageTooLargeError ? undefined : end.lastEventId;
    this.#retryMs = end.retryMs ?? this.#retryMs;
    return await this.#wait(end.fault);
  }

  async #refused(refusal: OpenedStream & { ok: false }): Promise<boolean> {
    if (!this.#everOpen && notOffered.has(refusal.status)) {
      return false;
    }
    if (refusal.transient) {
      return await this.#wait(refusal.fault);
    }
    const unauthorized = refusal.status === 401 || refusal.status === 403;
    if (refusal.status === 400 || (this.#lastEventId !== undefined && !unauthorized)) {
      // It may be the event to go on from that the server refuses; the next attempt begins without one.
      this.#lastEventId = undefined;
      return await this.#wait(refusal.fault);
    }
    this.#giveUp(refusal.fault);
    return false;
  }

  async #wait(fault: McpError | undefined): Promise<boolean> {
    const { options, session } = this.#own;
    const delayMs = this.#attempts.next(askedDelayMs(this.#retryMs, fault));
    if (delayMs === undefined) {
      const tried = `the standing stream could not be opened in ${this.#attempts.failed - 1} attempts`;
      this.#giveUp(new ClosedError(fault === undefined ? tried : `${tried}: ${fault.message}`, { cause: fault }));
      return false;
    }
    this.#change("reconnecting", fault);
    await sleep(options.clock, delayMs, session.signal);
    return true;
  }

  #giveUp(fault: McpError): void {
    const message = `the server's notifications no longer arrive: ${fault.message}`;
    this.#own.options.report({ code: "MCP_D_STANDING_STREAM", message, detail: fault });
    this.#change("gave-up", fault);
  }

  #receive(classified: Classified): void {
    const { inbound, options } = this.#own;
    if (classified.kind === "response") {
      const message = `an answer to request ${JSON.stringify(classified.message.id)} on the standing stream`;
      options.report({ code: "MCP_D_UNKNOWN_RESPONSE", message });
    } else if (classified.kind === "request") {
      inbound.request(classified.message);
    } else if (classified.kind === "notification") {
      inbound.notification(classified.message);
    } else {
      inbound.invalid(classified);
    }
  }

  #change(state: StandingStreamState, cause: McpError | undefined): void {
    if (state === this.#state) {
      return;
    }
    this.#state = state;
    try {
      this.#own.options.onStateChange(state, cause);
    } catch (error) {
      this.#own.options.report({ code: "MCP_D_LISTENER_FAULT", message: "onStateChange failed", detail: error });
    }
  }
}
