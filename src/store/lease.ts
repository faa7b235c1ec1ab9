/**
 * Taking turns over any store, also between processes: at most one holder of a key at a time, for as long as it is renewed.
 *
 * A lease is no lock of the hardware: a holder that was stopped for longer than the lease lasts learns of it only when it
 * runs again. What must not be overwritten then is written with `ifVersion`.
 */
import { linkSignals } from "../base/abort.ts";
import { createDeferred } from "../base/deferred.ts";
import { createId } from "../base/id.ts";
import { type Clock, sleep, systemClock } from "../base/timer.ts";
import type { KeyValue } from "./contracts.ts";
import { StoreError } from "./error.ts";
import { takeTurn } from "./turns.ts";

/** Options of {@link withLease}. */
export interface LeaseOptions {
  /** How long after its last renewal a lease is free again, in milliseconds. Default 15 000. */
  ttlMs?: number | undefined;
  /** How often, on average, a caller that waits asks the store, in milliseconds. Default 200. */
  pollMs?: number | undefined;
  /** Ends the waiting, and aborts the signal of the lease. */
  signal?: AbortSignal | undefined;
  /** Default: the system's, whose timers do not keep a process alive. */
  clock?: Clock | undefined;
  /** Source of randomness from 0 to 1. Default `Math.random`. */
  random?: (() => number) | undefined;
}

/** What work that runs under a lease is told. */
export interface Lease {
  /**
   * Aborts when the lease is lost, with a {@link StoreError}: another holder may have begun. Follows the caller's signal
   * too.
   */
  readonly signal: AbortSignal;
}

/** So many turns in a row go to callers of this process; then those of other processes get a chance to ask. */
const turnsInARow = 8;

/**
 * Waits for a lease, runs work, and gives the lease back, however the work ends. The outcome is that of the work, also
 * when the lease was lost meanwhile: work that must stop then heeds `lease.signal`.
 *
 * Waiting does not keep a process alive: where nothing else does, it may end before the turn comes.
 *
 * @param key - what is taken turns at; holds a random text while somebody has it
 * @throws the reason of `options.signal` while waiting, and what the store rejects with while the lease is being obtained
 */
export async function withLease<T>(
  store: KeyValue,
  key: string,
  work: (lease: Lease) => Promise<T>,
  options: LeaseOptions = {},
): Promise<T> {
  const { ttlMs = 15_000, pollMs = 200, signal, clock = systemClock, random = Math.random } = options;
  const pause = (): Promise<void> => sleep(clock, pollMs * (0.5 + random()), signal);
  return takeTurn(store, key, signal, async (turnsBefore) => {
    if (turnsBefore % turnsInARow === turnsInARow - 1) {
      await sleep(clock, pollMs * 1.5, signal);
    }
    for (;;) {
      signal?.throwIfAborted();
      const tenure = await Tenure.begin({ store, key, ttlMs, clock, signal });
      if (tenure !== undefined) {
        try {
          return await work(tenure);
        } finally {
          await tenure.end();
        }
      }
      await pause();
    }
  });
}

interface TenureOptions {
  readonly store: KeyValue;
  readonly key: string;
  readonly ttlMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** One lease from its beginning to its end. */
class Tenure implements Lease {
  readonly signal: AbortSignal;
  readonly #options: TenureOptions;
  readonly #token: string;
  readonly #link: ReturnType<typeof linkSignals>;
  /** Resolves when the lease has certainly ended by itself, so that nothing need be given back. */
  readonly #over = createDeferred();
  #version: string;
  /** Whether it was lost or is being given back. */
  #isOver = false;
  #renewing: Promise<void> = Promise.resolve();
  #cancelRenewal: () => void = () => undefined;
  #cancelExpiry: () => void = () => undefined;

  /** Obtains the lease, unless somebody has it. */
  static async begin(options: TenureOptions): Promise<Tenure | undefined> {
    const { store, key, ttlMs, clock } = options;
    const token = createId();
    const askedAt = clock.now();
    const version = await store.set(key, token, { ttlMs, ifVersion: null });
    if (version === undefined) {
      return undefined;
    }
    const tenure = new Tenure(options, token, version);
    // The store may count from any moment since it was asked; the earliest is the safe one.
    if (tenure.#extend(askedAt)) {
      return tenure;
    }
    await tenure.end();
    return undefined;
  }

  private constructor(options: TenureOptions, token: string, version: string) {
    this.#options = options;
    this.#token = token;
    this.#version = version;
    this.#link = linkSignals(options.signal);
    this.signal = this.#link.signal;
  }

  /** Gives the lease back and leaves no timer. */
  async end(): Promise<void> {
    this.#isOver = true;
    this.#cancelRenewal();
    await Promise.race([this.#giveBack(), this.#over.promise]);
    this.#cancelExpiry();
    this.#link.release();
  }

  async #giveBack(): Promise<void> {
    // A renewal on its way would change the version.
    await this.#renewing;
    try {
      await this.#options.store.delete(this.#options.key, { ifVersion: this.#version });
    } catch {
      // The work is done, and its outcome counts; the lease ends by itself when its time is up.
    }
  }

  /**
   * Counts the time anew and plans the next renewal.
   *
   * @returns whether there is any time left
   */
  #extend(askedAt: number): boolean {
    const { clock, ttlMs } = this.#options;
    const leftMs = askedAt + ttlMs - clock.now();
    this.#cancelExpiry();
    if (leftMs <= 0) {
      this.#lose("it could not be renewed in time");
      return false;
    }
    this.#cancelExpiry = clock.after(leftMs, () => this.#lose(`it was not renewed for ${ttlMs} ms`));
    this.#plan(ttlMs / 3);
    return true;
  }

  #plan(delayMs: number): void {
    this.#cancelRenewal = this.#options.clock.after(delayMs, () => {
      this.#renewing = this.#renew();
    });
  }

  async #renew(): Promise<void> {
    const { store, key, ttlMs, clock } = this.#options;
    const askedAt = clock.now();
    try {
      const version = await store.set(key, this.#token, { ttlMs, ifVersion: this.#version });
      if (version !== undefined) {
        this.#version = version;
        this.#continue(() => this.#extend(askedAt));
      } else if (!(await this.#recognise())) {
        this.#lose("somebody else has it");
      }
    } catch {
      // Out of reach for now. The expiry that runs says when that has lasted too long.
      this.#continue(() => this.#plan(ttlMs / 10));
    }
  }

  /**
   * A renewal whose answer got lost has changed the version all the same: nobody else knows the token. One that ran out
   * while this machine slept, and that nobody has taken since, is taken up again.
   */
  async #recognise(): Promise<boolean> {
    const { store, key, ttlMs } = this.#options;
    const stored = await store.get(key);
    const version =
      stored === undefined ? await store.set(key, this.#token, { ttlMs, ifVersion: null }) : stored.version;
    if (version === undefined || (stored !== undefined && stored.value !== this.#token)) {
      return false;
    }
    this.#version = version;
    this.#continue(() => this.#plan(0));
    return true;
  }

  #continue(step: () => void): void {
    if (!this.#isOver) {
      step();
    }
  }

  #lose(why: string): void {
    this.#isOver = true;
    this.#cancelRenewal();
    this.#cancelExpiry();
    this.#over.resolve();
    this.#link.abort(new StoreError("lease-lost", `the lease was lost: ${why}; another holder may have begun`));
  }
}
