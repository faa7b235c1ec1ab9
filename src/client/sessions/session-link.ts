/**
 * The link of a session: opened, negotiated on, made anew where it ended, and closed with all that it left behind.
 *
 * What goes over it is the business of `Connection`.
 */
import { linkSignals, raceAbort } from "../../base/abort.ts";
import { type Deadline, startDeadline } from "../../base/deadline.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, type McpError, TimeoutError } from "../../base/error.ts";
import type { Dispatcher, Link } from "../../jsonrpc/link.ts";
import type { Revision } from "../../revision/revision.ts";
import type { ClientSettings } from "../options.ts";
import { assumeAgreement } from "./discovery.ts";
import type { Agreement } from "./handshake.ts";
import type { LinkSource } from "./link-source.ts";
import { type NegotiationHost, type NegotiationPlan, negotiate } from "./negotiation.ts";

/** How the link of a session is opened. */
export interface SessionLinkOptions {
  readonly plan: NegotiationPlan;
  /** What is taken for agreed on at first, without asking. */
  readonly assumed: Revision | undefined;
  /** From opening the link to the end of the negotiation, in milliseconds. */
  readonly connectTimeoutMs: number;
  readonly probeTimeoutMs: number;
  /** Whether a link that ends by itself is replaced when the next request needs one. */
  readonly restart: boolean;
}

/** Who is told what becomes of the link. */
export interface SessionLinkEvents {
  onTry(revision: Revision): void;
  onAgreed(agreement: Agreement): void;
  /** The link ended and will be replaced when it is needed. */
  onLost(fault: McpError | undefined): void;
  /** The link ended for good. */
  onEnd(fault: McpError | undefined): void;
  /** Stops the clocks of the requests in progress. */
  hold(): () => void;
  report(code: string, message: string, detail?: unknown): void;
}

/** Longest wait for a link that is closed because it is of no use. */
const closeTimeoutMs = 5_000;

/** See the head of this file. */
export class SessionLink {
  readonly #source: LinkSource;
  readonly #settings: ClientSettings;
  readonly #options: SessionLinkOptions;
  readonly #events: SessionLinkEvents;
  #plan: NegotiationPlan;
  #dispatcher: Dispatcher | undefined;
  #link: Link | undefined;
  #isPipe = false;
  /** Whether the link of the moment has ended by itself. */
  #hasEnded = false;
  #isOpen = false;
  #closing: Promise<void> | undefined;
  /** Of the opening that is under way. */
  #deadline: Deadline | undefined;

  constructor(source: LinkSource, settings: ClientSettings, options: SessionLinkOptions, events: SessionLinkEvents) {
    this.#source = source;
    this.#settings = settings;
    this.#options = options;
    this.#events = events;
    this.#plan = options.plan;
  }

  /** The link of the moment. @throws {@link ClosedError} before there is one */
  get current(): Link {
    if (this.#link === undefined) {
      throw new ClosedError("the connection has not been opened");
    }
    return this.#link;
  }

  /** Whether it is one ordered pipe. */
  get isPipe(): boolean {
    return this.#isPipe;
  }

  /** Opens a link and negotiates, within one deadline and under one signal [PP-038]. */
  async open(dispatcher: Dispatcher, signal: AbortSignal | undefined): Promise<void> {
    this.#dispatcher = dispatcher;
    await this.#withinDeadline(signal, async (limit) => {
      await this.#start(limit);
      const { assumed } = this.#options;
      await (assumed === undefined ? this.#negotiate(limit) : this.#events.onAgreed(assumeAgreement(assumed)));
    });
    this.#isOpen = true;
  }

  /** Negotiates anew: on the same link, or on another one where that has ended. */
  async renew(signal: AbortSignal): Promise<void> {
    await this.#withinDeadline(signal, async (limit) => {
      if (this.#hasEnded) {
        await this.#start(limit);
      }
      await this.#negotiate(limit);
    });
  }

  /** Ends the link. Again waits for the same end. */
  close(): Promise<void> {
    this.#closing ??= Promise.resolve(this.#link?.close());
    return this.#closing;
  }

  /** Closes what a failed opening leaves behind; a link that cannot even close is not waited for. */
  abandon(): Promise<void> {
    return this.#closeWithin(this.close());
  }

  async #start(limit: AbortSignal): Promise<void> {
    if (this.#closing !== undefined) {
      throw new ClosedError("the session has ended");
    }
    const { link, isPipe } = this.#source.make();
    this.#link = link;
    this.#isPipe = isPipe;
    this.#hasEnded = false;
    void link.closed.then((fault) => this.#noteEnd(link, fault));
    await raceAbort(link.start(this.#dispatcher as Dispatcher, { signal: limit, hold: () => this.#hold() }), limit);
  }

  async #negotiate(limit: AbortSignal): Promise<void> {
    const { clock, identity } = this.#settings;
    const host: NegotiationHost = {
      clock,
      identity,
      probeTimeoutMs: this.#options.probeTimeoutMs,
      link: () => this.current,
      isPipe: () => this.#isPipe,
      reopen: this.#source.isRepeatable ? () => this.#reopen(limit) : undefined,
      onTry: (revision) => this.#events.onTry(revision),
      onAgreed: (agreement) => {
        this.#plan = { ...this.#plan, expected: agreement.revision };
        this.#events.onAgreed(agreement);
      },
    };
    await raceAbort(negotiate(host, this.#plan, limit), limit);
  }

  /** A program that ended on a request it did not know is started once more. */
  async #reopen(limit: AbortSignal): Promise<void> {
    await this.#closeWithin(this.current.close());
    limit.throwIfAborted();
    await this.#start(limit);
  }

  #noteEnd(link: Link, fault: McpError | undefined): void {
    if (this.#link !== link) {
      return;
    }
    this.#hasEnded = true;
    if (this.#isOpen && this.#closing === undefined && this.#options.restart && this.#source.isRepeatable) {
      void this.#closeWithin(link.close());
      this.#events.onLost(fault);
    } else if (this.#isOpen || this.#closing !== undefined || !this.#source.isRepeatable) {
      this.#events.onEnd(fault);
    }
  }

  async #closeWithin(closing: Promise<void>): Promise<void> {
    const waited = createDeferred();
    const cancel = this.#settings.clock.after(closeTimeoutMs, () => waited.resolve());
    const closed = closing.catch((fault: unknown) => {
      this.#events.report("MCP_D_CLOSE_FAULT", "closing the link failed", fault);
    });
    await Promise.race([closed, waited.promise]);
    cancel();
  }

  async #withinDeadline(signal: AbortSignal | undefined, work: (limit: AbortSignal) => Promise<void>): Promise<void> {
    const { connectTimeoutMs: timeoutMs } = this.#options;
    const linked = linkSignals(signal);
    const limits = { idleTimeoutMs: Number.POSITIVE_INFINITY, totalTimeoutMs: timeoutMs };
    const deadline = startDeadline(this.#settings.clock, limits, "connect", () => {
      linked.abort(new TimeoutError(`connect: no session after ${timeoutMs} ms`, { limit: "connect", timeoutMs }));
    });
    this.#deadline = deadline;
    try {
      await work(linked.signal);
    } finally {
      this.#deadline = undefined;
      deadline.clear();
      linked.release();
    }
  }

  /** Stops the clocks of the opening and of the requests, while a person is asked on behalf of the link. */
  #hold(): () => void {
    const resumes = [this.#events.hold(), this.#deadline?.pause()];
    return () => {
      for (const resume of resumes) {
        resume?.();
      }
    };
  }
}
