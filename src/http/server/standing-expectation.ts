/**
 * Whether the client of a standing stream is connected somewhere, or expected to connect, as all nodes see it: a key in the
 * store that is there for as long as messages are worth keeping. It remembers how far the client is, should its node die.
 */
import type { HttpRuntime } from "./runtime.ts";
import type { StandingPlace } from "./stream-entry.ts";

/** See the head of this file. */
export class StandingExpectation {
  readonly #runtime: HttpRuntime;
  readonly #key: string;

  constructor(runtime: HttpRuntime, owner: string) {
    this.#runtime = runtime;
    this.#key = `standing/${owner}`;
  }

  /** How often a connection has to be held, in milliseconds. */
  get holdEveryMs(): number {
    return this.#holdMs / 2;
  }

  /** How far the client is, as was last said; `undefined` where it is not expected. */
  async read(): Promise<StandingPlace | undefined> {
    const stored = await this.#runtime.store.get(this.#key);
    const match = /^(\d+) (\d+)$/.exec(stored?.value ?? "");
    return match === null ? undefined : { position: Number(match[1]), changes: Number(match[2]) };
  }

  /** The client is expected for the first time. */
  async begin(place: StandingPlace): Promise<void> {
    await this.#write(place, this.#runtime.options.reconnectWindowMs);
  }

  /**
   * The client is connected here.
   *
   * @returns what {@link leave} is to be given
   */
  hold(place: StandingPlace): Promise<string | undefined> {
    return this.#write(place, this.#holdMs);
  }

  /** The client is no longer connected here. Where it is connected elsewhere by now, that stays. */
  async leave(place: StandingPlace, held: string): Promise<void> {
    await this.#write(place, this.#runtime.options.reconnectWindowMs, held);
  }

  /** The session has ended. */
  async end(): Promise<void> {
    await this.#runtime.store.delete(this.#key);
  }

  /** Longer than a node may be silent, however short the time is for which messages wait. */
  get #holdMs(): number {
    const { reconnectWindowMs, leaseMs } = this.#runtime.options;
    return Math.max(Math.min(reconnectWindowMs, 60_000), leaseMs);
  }

  async #write({ position, changes }: StandingPlace, ttlMs: number, ifVersion?: string): Promise<string | undefined> {
    const { store } = this.#runtime;
    if (ttlMs > 0) {
      const options = { ttlMs: Number.isFinite(ttlMs) ? ttlMs : undefined, ifVersion };
      return await store.set(this.#key, `${position} ${changes}`, options);
    }
    await store.delete(this.#key, { ifVersion });
    return undefined;
  }
}
