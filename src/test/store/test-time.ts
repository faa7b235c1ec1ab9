/** The time of a store under test: moved where that is possible, waited for where it is not. */
import type { Opened, SuiteLimits } from "./opened.ts";

/** Real clocks differ a little, and round. */
const slackMs = 50;
const pollMs = 5;
/** Time that can be moved is, by this much for each look. */
const stepMs = 500;

/** See the head of this file. */
export class TestTime {
  /** How long what is to expire lives, in milliseconds. */
  readonly ttlMs: number;
  readonly #advance: ((ms: number) => Promise<void> | void) | undefined;
  readonly #patienceMs: number;
  #movedMs = 0;

  constructor(opened: Pick<Opened<unknown>, "advance">, { waitMs = 1_000, patienceMs = 10_000 }: SuiteLimits) {
    this.#advance = opened.advance;
    this.#patienceMs = patienceMs;
    this.ttlMs = this.#advance === undefined ? waitMs : 1_000;
  }

  /** What time it is, in milliseconds since any moment. */
  now(): number {
    return this.#advance === undefined ? Date.now() : this.#movedMs;
  }

  /** Lets time pass. */
  async pass(ms: number): Promise<void> {
    if (this.#advance === undefined) {
      await pause(ms);
    } else {
      this.#movedMs += ms;
      await this.#advance(ms);
    }
  }

  /** Lets most of `ttlMs` pass: all but a millisecond, where that can be told. */
  passMost(): Promise<void> {
    return this.pass(this.#mostMs);
  }

  /** Lets the rest of `ttlMs` pass. */
  passRest(): Promise<void> {
    return this.pass(this.ttlMs - this.#mostMs + (this.#advance === undefined ? slackMs : 0));
  }

  /** Lets all that was given `ttlMs` expire. */
  async passAll(): Promise<void> {
    await this.passMost();
    await this.passRest();
  }

  /** Whether `ttlMs` may be over for what was written after a moment: a machine that stood still proves nothing. */
  mayBeOver(since: number): boolean {
    return this.now() - since >= this.ttlMs;
  }

  /** Waits for what comes by itself, and fails where it does not. */
  async until(what: string, check: () => Promise<boolean> | boolean): Promise<void> {
    const end = Date.now() + this.#patienceMs;
    while (!(await check())) {
      if (Date.now() > end) {
        throw new Error(`expected ${what} within ${this.#patienceMs} ms`);
      }
      await pause(pollMs);
      if (this.#advance !== undefined) {
        await this.pass(stepMs);
      }
    }
  }

  get #mostMs(): number {
    return this.#advance === undefined ? this.ttlMs * 0.6 : this.ttlMs - 1;
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
