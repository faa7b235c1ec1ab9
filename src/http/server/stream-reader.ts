/**
 * What one connection gets of a stream's log: the messages behind its place, in order, each with the id to go on from.
 *
 * It reads the log wherever it was written. A newer connection, on whichever node, stands in the log too, and this one
 * then lets go. Who writes is stream-writer.ts. Specification: Basic > Transports > Resumability and redelivery.
 */
import type { LogEntry } from "../../store/contracts.ts";
import type { EventPlace } from "./event-id.ts";
import { FollowedLog, type LogListener } from "./followed-log.ts";
import type { HttpRuntime } from "./runtime.ts";
import { decodeEntry, type StreamEntry } from "./stream-entry.ts";
import type { StreamLog } from "./stream-log.ts";
import type { StreamOutput } from "./stream-output.ts";

/** How a connection reads. */
export interface ReaderOptions {
  /** The entry behind which it begins; 0 for all. */
  readonly after: number;
  /** Where its own connection stands in the log: a release behind that is meant for it. */
  readonly connectedAt: number;
  /** Whether the client gets an id to come back with before there is any message [HTTP-014]. */
  readonly primes: boolean;
  /** Whether what is no longer kept is left out, for a client that could not be told in another way. */
  readonly skipsGaps: boolean;
  /** Whether whoever writes hands over here what the store does not keep. */
  readonly isLocal: boolean;
  /** How far the client is in the feed of changes. */
  getChanges(): number;
  /** Another connection has the client. */
  onTakenOver(): void;
}

/** See the head of this file. */
export class StreamReader implements LogListener {
  readonly #runtime: HttpRuntime;
  readonly #log: StreamLog;
  readonly #output: StreamOutput;
  readonly #options: ReaderOptions;
  readonly #followed: FollowedLog;
  #primes: boolean;
  /** The newest entry that was looked at. */
  #position: number;
  /** The newest message that was handed to the connection, or what it began behind. */
  #last: number;
  #hasGap = false;

  constructor(runtime: HttpRuntime, log: StreamLog, output: StreamOutput, options: ReaderOptions) {
    this.#runtime = runtime;
    this.#log = log;
    this.#output = output;
    this.#options = options;
    this.#primes = options.primes;
    this.#position = options.after;
    this.#last = options.after;
    this.#followed = new FollowedLog(log.feed, options.after, output, this);
  }

  /** Where the client is once it has everything that was handed to its connection. */
  get place(): EventPlace {
    return { ...this.#log.name, position: this.#position, changes: this.#options.getChanges() };
  }

  /** The newest message that its client has, or will have. */
  get last(): number {
    return this.#last;
  }

  /** See {@link StreamOutput.caughtUp}. */
  get caughtUp(): Promise<void> | undefined {
    return this.#output.caughtUp;
  }

  /** Reads, unless it does so already. */
  start(): void {
    if (this.#primes && this.#options.after > 0) {
      this.#prime();
    }
    this.#followed.goOn();
  }

  /** Passes on what the store did not keep: without an id, since nobody could resume from it. */
  sendUnkept(text: string): void {
    this.#output.put(undefined, text);
  }

  /** Ends the connection, because the stream ends, or for a while. */
  end(comesBack: boolean): void {
    this.#output.end(comesBack);
  }

  entry({ position, value }: LogEntry): void {
    const entry = decodeEntry(value);
    if (this.#hasGap && saysNothingOfGaps(entry)) {
      this.#take(entry, position);
      return;
    }
    const isComplete = !this.#hasGap || isNothingMissed(entry, this.#position);
    this.#hasGap = false;
    if (isComplete || this.#skip()) {
      this.#position = position;
      this.#take(entry, position);
    }
  }

  gap(): void {
    this.#hasGap = true;
  }

  failed(error: unknown): void {
    this.#runtime.report("MCP_D_EVENT_LOG_FAILED", "the log of an event stream could not be read", error);
  }

  unreadable(error: unknown): void {
    this.failed(error);
    if (!this.#options.isLocal) {
      this.#output.end(true);
    }
  }

  #take(entry: StreamEntry | undefined, position: number): void {
    switch (entry?.kind) {
      case "message":
      case "answer":
        this.#last = position;
        this.#output.put(this.place, entry.text);
        break;
      case "end":
        if (entry.text !== "") {
          this.#output.put(this.place, entry.text);
        }
        this.#output.end(false);
        break;
      case "mark":
        if (this.#primes) {
          this.#prime();
        }
        break;
      case "release":
        if (position > this.#options.connectedAt) {
          this.#release(entry.node !== undefined);
        }
        break;
    }
  }

  #release(isTakenOver: boolean): void {
    if (isTakenOver) {
      this.#output.handOver();
      this.#options.onTakenOver();
    } else {
      this.#output.end(true);
    }
  }

  #prime(): void {
    this.#primes = false;
    this.#output.put(this.place, "");
  }

  /** @returns whether the connection goes on */
  #skip(): boolean {
    this.#runtime.report("MCP_D_EVENTS_DROPPED", "events were dropped before the client of their stream had them");
    if (!this.#options.skipsGaps) {
      // The client learns what it missed when it resumes; going on would hide the gap.
      this.#output.end(false);
    }
    return this.#options.skipsGaps;
  }
}

/** Whether an entry is a note about connections, which nodes write who do not know what else was written. */
export function saysNothingOfGaps(entry: StreamEntry | undefined): boolean {
  return entry?.kind === "release" || entry?.kind === "left";
}

/** Whether only entries are missing that no client gets. */
export function isNothingMissed(entry: StreamEntry | undefined, after: number): boolean {
  return entry?.kind === "mark" && entry.last <= after;
}
