/**
 * What was sent on event streams, kept so that a broken stream can go on: the contract, and the log in memory.
 *
 * A stream is written by one place only, which numbers its events itself; the log just keeps them. Streams have
 * owners (sessions), and all of an owner's streams go at once. Specification: Basic > Transports > Resumability.
 */
import type { Clock } from "../../base/timer.ts";
import { type Delayed, DelayQueue } from "./delay-queue.ts";

/** Names one event: the stream's owner, the stream among the owner's, and the event's place in it. */
export interface EventKey {
  /** Letters, digits, `-` and `_`; unique and hard to guess. */
  readonly owner: string;
  readonly stream: number;
  /** Counts up from 0 within the stream; numbers may be left out. */
  readonly sequence: number;
}

/** An event that is kept. */
export interface LoggedEvent {
  readonly sequence: number;
  /** The message as JSON text. */
  readonly data: string;
}

/** What followed on a stream. */
export interface Replay {
  /** In the order in which they were appended. */
  readonly events: readonly LoggedEvent[];
  /** False where some that followed are no longer kept. */
  readonly complete: boolean;
}

/**
 * Keeps events.
 *
 * Implementors promise: events come back in the order in which they were appended; once `append` has returned, or its
 * promise has resolved, `read` finds the event until a limit drops it; limits drop the oldest events first;
 * nothing of one stream is ever given out for another.
 */
export interface EventLog {
  /** Keeps an event. A promise is waited for before the event goes out. */
  append(key: EventKey, data: string): Promise<void> | undefined;
  /** The events behind `key`, of its stream alone; `undefined` where nothing is known of the stream. */
  read(key: EventKey): Promise<Replay | undefined> | Replay | undefined;
  /** Forgets all streams of an owner. */
  forget(owner: string): Promise<void> | undefined;
}

/** Limits of the log in memory. The oldest events go first. */
export interface EventLogLimits {
  /** Events kept of one stream. Default 1 000. */
  maxEventsPerStream?: number | undefined;
  /** Bytes kept of one stream. Default 8 MiB. */
  maxBytesPerStream?: number | undefined;
  /** Bytes kept of all streams together. Default 64 MiB. */
  maxTotalBytes?: number | undefined;
  /** How long an event is kept, in milliseconds. Default 5 minutes. */
  maxAgeMs?: number | undefined;
}

/** An event's id as it goes over the wire: it encodes its stream, so that resuming needs nothing else [HTTP-035]. */
export function encodeEventId({ owner, stream, sequence }: EventKey): string {
  return `${owner}.${stream}.${sequence}`;
}

/** Reads an event id; `undefined` for what {@link encodeEventId} cannot have made. */
export function parseEventId(id: string): EventKey | undefined {
  const match = /^([A-Za-z0-9_-]{1,64})\.(\d{1,15})\.(\d{1,15})$/.exec(id);
  return match?.[1] === undefined
    ? undefined
    : { owner: match[1], stream: Number(match[2]), sequence: Number(match[3]) };
}

interface Kept extends LoggedEvent, Delayed {
  readonly stream: KeptStream;
  readonly bytes: number;
}

interface KeptStream {
  readonly owner: string;
  readonly number: number;
  readonly events: Set<Kept>;
  bytes: number;
  /** The newest event that is no longer kept. */
  droppedThrough: number;
}

/** What an event costs beside its text, roughly, so that many small ones count too. */
const overheadBytes = 128;

/**
 * The event log in the memory of this process, bounded by count, bytes and age.
 *
 * Specification: Basic > Transports > Streamable HTTP > Resumability and Redelivery.
 *
 * @example
 * ```ts
 * import { MemoryEventLog } from "parley-mcp/http/server";
 * import { createFakeClock } from "parley-mcp/test";
 *
 * const clock = createFakeClock();
 * export const log = new MemoryEventLog(clock, { maxEventsPerStream: 100, maxAgeMs: 60_000 });
 * await clock.advance(60_000); // what was kept is gone
 * ```
 */
export class MemoryEventLog implements EventLog {
  readonly #owners = new Map<string, Map<number, KeptStream>>();
  /** All events, oldest first. */
  readonly #ages: DelayQueue<Kept>;
  readonly #maxEventsPerStream: number;
  readonly #maxBytesPerStream: number;
  readonly #maxTotalBytes: number;
  #totalBytes = 0;

  constructor(clock: Clock, limits: EventLogLimits = {}) {
    this.#maxEventsPerStream = limits.maxEventsPerStream ?? 1_000;
    this.#maxBytesPerStream = limits.maxBytesPerStream ?? 8 * 1_024 * 1_024;
    this.#maxTotalBytes = limits.maxTotalBytes ?? 64 * 1_024 * 1_024;
    this.#ages = new DelayQueue(clock, limits.maxAgeMs ?? 300_000, (event) => this.#drop(event));
  }

  /** Events kept and the bytes they count for. */
  get size(): { readonly events: number; readonly bytes: number } {
    return { events: this.#ages.size, bytes: this.#totalBytes };
  }

  append({ owner, stream: number, sequence }: EventKey, data: string): undefined {
    const stream = this.#open(owner, number, sequence);
    // Two bytes a letter is what an engine needs at most.
    const event: Kept = { sequence, data, stream, bytes: data.length * 2 + overheadBytes, dueAt: 0 };
    stream.events.add(event);
    stream.bytes += event.bytes;
    this.#totalBytes += event.bytes;
    this.#ages.add(event);
    for (const oldest of stream.events) {
      if (stream.events.size <= this.#maxEventsPerStream && stream.bytes <= this.#maxBytesPerStream) {
        break;
      }
      this.#drop(oldest);
    }
    while (this.#totalBytes > this.#maxTotalBytes) {
      this.#drop(this.#ages.oldest ?? event);
    }
  }

  read({ owner, stream: number, sequence }: EventKey): Replay | undefined {
    const stream = this.#owners.get(owner)?.get(number);
    if (stream === undefined) {
      return undefined;
    }
    const events = [...stream.events].filter((event) => event.sequence > sequence);
    return { events, complete: stream.droppedThrough <= sequence };
  }

  forget(owner: string): undefined {
    for (const stream of this.#owners.get(owner)?.values() ?? []) {
      for (const event of stream.events) {
        this.#ages.delete(event);
      }
      this.#totalBytes -= stream.bytes;
    }
    this.#owners.delete(owner);
  }

  #open(owner: string, number: number, sequence: number): KeptStream {
    let streams = this.#owners.get(owner);
    if (streams === undefined) {
      streams = new Map();
      this.#owners.set(owner, streams);
    }
    let stream = streams.get(number);
    if (stream === undefined) {
      // What came before may have been there and aged, so it counts as dropped.
      stream = { owner, number, events: new Set(), bytes: 0, droppedThrough: sequence - 1 };
      streams.set(number, stream);
    }
    return stream;
  }

  #drop(event: Kept): void {
    const { stream } = event;
    this.#ages.delete(event);
    stream.events.delete(event);
    stream.bytes -= event.bytes;
    stream.droppedThrough = event.sequence;
    this.#totalBytes -= event.bytes;
    if (stream.events.size === 0) {
      this.#close(stream);
    }
  }

  /** A stream without events says nothing any more: whoever still writes to it knows where it stands. */
  #close(stream: KeptStream): void {
    const streams = this.#owners.get(stream.owner);
    streams?.delete(stream.number);
    if (streams?.size === 0) {
      this.#owners.delete(stream.owner);
    }
  }
}
