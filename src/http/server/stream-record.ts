/**
 * The kept side of one event stream: numbers its events, puts them into the log in order, and reads them back.
 *
 * Knows nothing of connections. What has been sent of it is reply-stream.ts.
 */
import { encodeEvent } from "../sse-writer.ts";
import { type EventLog, encodeEventId, type LoggedEvent, type Replay } from "./event-log.ts";
import type { HttpRuntime } from "./runtime.ts";

/** Where a stream's events are kept, and under which name. */
export interface KeptStream {
  readonly log: EventLog;
  readonly owner: string;
  readonly stream: number;
}

/** A stream as the log has it. */
export class StreamRecord {
  readonly #runtime: HttpRuntime;
  readonly #kept: KeptStream;
  /** The number of the next event. 0 is set aside for the priming event. */
  #next = 1;
  #stored = 0;
  /** The last append that has not resolved; each waits for the one before. */
  #storing: Promise<void> | undefined;

  constructor(runtime: HttpRuntime, kept: KeptStream) {
    this.#runtime = runtime;
    this.#kept = kept;
  }

  /** The number after the last that was given out. */
  get next(): number {
    return this.#next;
  }

  /** The last event that can be read back; 0 before the first. */
  get stored(): number {
    return this.#stored;
  }

  /** Whether events are still on their way into the log. */
  get isStoring(): boolean {
    return this.#storing !== undefined;
  }

  /** Gives out a number for an event that is not kept. */
  skip(): number {
    this.#next += 1;
    return this.#next - 1;
  }

  /**
   * Keeps an event.
   *
   * @param onStored - called in order, with the number of the event that was kept before; its promise is passed on
   */
  append(
    data: string,
    onStored: (event: LoggedEvent, previous: number) => Promise<void> | undefined,
  ): Promise<void> | undefined {
    const event = { sequence: this.skip(), data };
    const proceed = (): Promise<void> | undefined => {
      const previous = this.#stored;
      this.#stored = event.sequence;
      return onStored(event, previous);
    };
    const stored = this.#kept.log.append(this.#keyOf(event.sequence), data);
    if (stored === undefined && this.#storing === undefined) {
      return proceed();
    }
    const storing: Promise<void> = Promise.all([stored, this.#storing])
      .catch((error: unknown) => {
        const what = "the event log failed to keep an event; it is sent without";
        this.#runtime.report("MCP_D_EVENT_NOT_STORED", what, error);
      })
      .then(() => {
        if (this.#storing === storing) {
          this.#storing = undefined;
        }
        return proceed();
      });
    this.#storing = storing;
    return storing;
  }

  /** The events behind a number. */
  read(after: number): Promise<Replay | undefined> | Replay | undefined {
    return this.#kept.log.read(this.#keyOf(after));
  }

  /** An event as it goes over the wire. */
  encode({ sequence, data }: LoggedEvent): string {
    return encodeEvent({ id: encodeEventId(this.#keyOf(sequence)), data });
  }

  #keyOf(sequence: number): { owner: string; stream: number; sequence: number } {
    return { owner: this.#kept.owner, stream: this.#kept.stream, sequence };
  }
}
