/**
 * Events that are stored and not yet written to the connection: in order, without gaps, within a bound.
 *
 * Past the bound they are forgotten; the log still has them as long as its own limits allow.
 */
import type { LoggedEvent, Replay } from "./event-log.ts";

/** See the head of this file. */
export class UnsentEvents {
  readonly #maxBytes: number;
  #events: LoggedEvent[] = [];
  /** The last event before the first of these. */
  #after = 0;
  #bytes = 0;

  /** @param maxBytes - of text that may wait */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Adds the event that follows on `previous`. */
  add(event: LoggedEvent, previous: number): void {
    if (this.#events.length === 0) {
      this.#after = previous;
    }
    this.#events.push(event);
    this.#bytes += event.data.length;
    if (this.#bytes > this.#maxBytes) {
      this.clear();
    }
  }

  /** All that follows on an event, taken out; nothing where that is not what is here. */
  take(after: number): Replay | undefined {
    if (this.#events.length === 0 || this.#after > after) {
      return undefined;
    }
    const events = this.#events.filter(({ sequence }) => sequence > after);
    this.clear();
    return events.length === 0 ? undefined : { events, complete: true };
  }

  /** Puts events back that were taken and could not be written yet. Newer ones that came meanwhile follow them. */
  putBack(events: readonly LoggedEvent[]): void {
    const [first] = events;
    if (first !== undefined) {
      this.#after = first.sequence - 1;
      this.#events = [...events, ...this.#events];
      this.#bytes += events.reduce((sum, { data }) => sum + data.length, 0);
    }
  }

  /** Forgets all. */
  clear(): void {
    this.#events = [];
    this.#bytes = 0;
  }
}
