/**
 * Requests under way whose results several callers wait for, and whether these results are still worth keeping.
 *
 * A flight belongs to nobody: it is given up when the last of those who wait for it has gone.
 */
import { raceAbort } from "../../base/abort.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { CachePlace } from "./cache-key.ts";
import type { CachedResult } from "./result-cache.ts";

/** One request under way. */
export class Flight {
  readonly place: CachePlace;
  /** Counts the flights of a client, so that it can be told which of two events came first. */
  readonly number: number;
  readonly #outcome = createDeferred<CachedResult>();
  readonly #controller = new AbortController();
  readonly #leave: (flight: Flight) => void;
  #waiting = 0;
  #isOutdated = false;

  /** @param leave - told when nobody may join any more */
  constructor(place: CachePlace, number: number, leave: (flight: Flight) => void) {
    this.place = place;
    this.number = number;
    this.#leave = leave;
  }

  /** Aborts when nobody waits any more. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether what was asked for has changed since. */
  get isOutdated(): boolean {
    return this.#isOutdated;
  }

  /** Nobody joins any more; those who wait still get the result, but it is not kept. */
  outdate(): void {
    this.#isOutdated = true;
    this.#leave(this);
  }

  /** Sends the request. */
  async fly(send: (flight: Flight) => Promise<CachedResult>): Promise<void> {
    try {
      this.#outcome.resolve(await send(this));
    } catch (error) {
      this.#outcome.reject(error);
    } finally {
      this.#leave(this);
    }
  }

  /** Waits for the result, whose object all who wait are given. @throws the signal's reason; what the request threw */
  async join(signal: AbortSignal | undefined): Promise<CachedResult> {
    this.#waiting += 1;
    try {
      return await raceAbort(this.#outcome.promise, signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0 && signal?.aborted) {
        this.outdate();
        this.#controller.abort(signal.reason);
      }
    }
  }
}

/** All requests under way that may be joined. */
export class Flights {
  readonly #flights = new Map<string, Flight>();
  #lastNumber = 0;

  /** How many there are. */
  get size(): number {
    return this.#flights.size;
  }

  /** The number of the flight that was started last. */
  get lastNumber(): number {
    return this.#lastNumber;
  }

  /** The one that answers the same. */
  find(id: string): Flight | undefined {
    return this.#flights.get(id);
  }

  /** Starts one; there must be none by this id. */
  start(id: string, place: CachePlace, send: (flight: Flight) => Promise<CachedResult>): Flight {
    const leave = (ended: Flight): void => {
      if (this.#flights.get(id) === ended) {
        this.#flights.delete(id);
      }
    };
    this.#lastNumber += 1;
    const flight = new Flight(place, this.#lastNumber, leave);
    this.#flights.set(id, flight);
    void flight.fly(send);
    return flight;
  }

  /** Outdates those that ask for something that has changed. */
  outdate(isMeant: (place: CachePlace) => boolean): void {
    for (const flight of [...this.#flights.values()]) {
      if (isMeant(flight.place)) {
        flight.outdate();
      }
    }
  }
}
