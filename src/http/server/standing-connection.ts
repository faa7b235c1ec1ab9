/**
 * One connection of a standing stream: it reads the stream's own log and the feed of changes, says in the store that the
 * client is connected, and in the end how far it is.
 *
 * Which connection counts, and who may write, is kept-standing.ts.
 */
import type { ChangeAudience } from "../../protocol/changes.ts";
import type { Sink, SinkListener } from "../message.ts";
import { ChangesReader } from "./changes-reader.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { StandingExpectation } from "./standing-expectation.ts";
import { readHistory, toFurther } from "./standing-history.ts";
import type { StandingPlace } from "./stream-entry.ts";
import type { StreamLog } from "./stream-log.ts";
import { type EventSource, type OutputOptions, StreamOutput } from "./stream-output.ts";
import { StreamReader } from "./stream-reader.ts";

/** What a connection is made from. */
export interface StandingConnectionOptions extends OutputOptions {
  readonly log: StreamLog;
  readonly expectation: StandingExpectation;
  /** Where it stands in the log. */
  readonly connectedAt: number;
  /** Where the client says it is; nothing where it does not say. */
  readonly from: StandingPlace | undefined;
  /** Whether changes that followed on that place may be lost. */
  readonly hasLostChanges: boolean;
  /** What the client wants to hear of at the moment. */
  readonly getAudience: () => ChangeAudience;
  /** It has ended. */
  onClosed(): void;
}

/** Where a connection begins. */
interface Start extends StandingPlace {
  readonly primes: boolean;
  readonly hasLostChanges: boolean;
}

/** See the head of this file. */
export class StandingConnection implements EventSource {
  readonly #runtime: HttpRuntime;
  readonly #options: StandingConnectionOptions;
  readonly #output: StreamOutput;
  #reader: StreamReader | undefined;
  #cancelTimer: () => void = () => undefined;
  #markedAt: number;
  /** What says in the store that the client is connected here. */
  #held: string | undefined;
  /** Whether the session has ended, so that nothing need be said any more. */
  #isForgotten = false;
  #left: Promise<unknown> | undefined;

  constructor(runtime: HttpRuntime, sink: Sink, options: StandingConnectionOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#markedAt = runtime.options.clock.now();
    this.#output = new StreamOutput(runtime, sink, options);
    this.#output.attach(this);
  }

  /** What the edge tells of the connection. */
  get listener(): SinkListener {
    return this.#output.listener;
  }

  /** Whether the client can still be reached by it. */
  get isOpen(): boolean {
    return !this.#output.isOver;
  }

  /** See {@link StreamOutput.caughtUp}. */
  get caughtUp(): Promise<void> | undefined {
    return this.#output.caughtUp;
  }

  /** Begins to read. Never rejects. */
  async start(): Promise<void> {
    try {
      const start = await this.#findStart();
      if (this.isOpen) {
        this.#read(start);
        await this.#hold();
      }
    } catch (error) {
      this.#runtime.report("MCP_D_EVENT_LOG_FAILED", "the standing stream of a session could not be read", error);
      this.#output.end(true);
    }
  }

  /** Passes on what the store did not keep. */
  sendUnkept(text: string): void {
    this.#output.put(undefined, text);
  }

  /** Lets the client go, which comes back. @returns when the store knows how far it is */
  async release(): Promise<void> {
    this.#output.end(true);
    this.#sayLeft();
    await this.#left;
  }

  /** The session has ended. */
  forget(): void {
    this.#isForgotten = true;
    this.#output.end(false);
  }

  goOn(): void {
    // The connection says nothing by itself, so there is nothing to go on with.
  }

  stop(): void {
    this.#cancelTimer();
    this.#options.onClosed();
    this.#sayLeft();
  }

  async #findStart(): Promise<Start> {
    const { from, log, expectation, connectedAt, polling, hasLostChanges } = this.#options;
    if (from !== undefined) {
      return { ...from, primes: false, hasLostChanges };
    }
    const [history, expected] = await Promise.all([readHistory(this.#runtime, log, connectedAt), expectation.read()]);
    const place = toFurther(history.place, expected);
    // Messages that wait carry ids of their own; a newer one before them would let a client skip them.
    const hasMessages = history.hasMessagesBehind(place?.position ?? 0);
    return {
      position: hasMessages ? (place?.position ?? 0) : connectedAt,
      changes: place?.changes ?? (await this.#runtime.changesTail.position()),
      primes: polling && !hasMessages,
      hasLostChanges: place === undefined,
    };
  }

  #read({ position, changes, primes, hasLostChanges }: Start): void {
    const { log, connectedAt, getAudience } = this.#options;
    const reader = new StreamReader(this.#runtime, log, this.#output, {
      after: position,
      connectedAt,
      primes,
      // Whoever comes with an id was told beforehand where something is missing.
      skipsGaps: this.#options.from === undefined,
      isLocal: false,
      getChanges: () => changesReader.position,
      // The other one waits for this, and a client that is half dead may hold the connection for long.
      onTakenOver: () => this.#sayLeft(),
    });
    const changesReader = new ChangesReader(this.#runtime, this.#output, changes, {
      getAudience,
      getPlace: () => reader.place,
    });
    this.#reader = reader;
    if (hasLostChanges) {
      changesReader.gap();
    }
    this.#output.put(reader.place, undefined);
    reader.start();
    changesReader.start();
  }

  /** Says from time to time that the client is connected, and sees to it that the log is not gone when it comes back. */
  async #hold(): Promise<void> {
    const { expectation, log } = this.#options;
    const { clock, events } = this.#runtime.options;
    const place = this.#output.place ?? this.#reader?.place;
    const markEveryMs = (events?.ttlMs ?? Number.POSITIVE_INFINITY) / 2;
    if (place === undefined || !this.isOpen) {
      return;
    }
    this.#cancelTimer();
    this.#cancelTimer = clock.after(Math.min(expectation.holdEveryMs, markEveryMs), () => void this.#hold());
    try {
      this.#held = await expectation.hold(place);
    } catch (error) {
      this.#runtime.report("MCP_D_STORE_FAILED", "other nodes could not be told that a client is connected", error);
    }
    if (clock.now() - this.#markedAt >= markEveryMs && this.isOpen) {
      this.#markedAt = clock.now();
      await log.append({ kind: "mark", unanswered: [], last: this.#reader?.last ?? 0 });
    }
  }

  #sayLeft(): void {
    if (!this.#isForgotten) {
      this.#left ??= this.#leave();
    }
  }

  async #leave(): Promise<void> {
    const { expectation, log, connectedAt } = this.#options;
    const place = this.#output.place;
    try {
      if (place !== undefined && this.#held !== undefined) {
        await expectation.leave(place, this.#held);
      }
    } catch (error) {
      this.#runtime.report("MCP_D_STORE_FAILED", "other nodes could not be told that a client has left", error);
    }
    await log.append({ kind: "left", connection: connectedAt, place: place && toPlace(place) });
  }
}

function toPlace({ position, changes }: StandingPlace): StandingPlace {
  return { position, changes };
}
