/**
 * Holds requests back until there is a session, and makes a new one when the server has forgotten it.
 *
 * Callers that fail together share one new handshake; each of their requests is sent once more, never twice.
 * Specification: Basic > Transports > Session Management.
 */
import { raceAbort } from "../../base/abort.ts";
import { isMcpError } from "../../base/error.ts";

/** How one request goes through {@link Recovery.run}. */
export interface RecoveryRunOptions {
  /** Gives up waiting for a session. The handshake itself goes on, as others may wait for it. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the request makes sense in another session; a page cursor does not [PAGE-004]. */
  readonly canResend: boolean;
}

/** See the head of this file. */
export class Recovery {
  readonly #renew: () => Promise<void>;
  #generation = 0;
  #opening: Promise<void> | undefined;
  #broken = false;

  /** @param renew - makes a new session on the same link */
  constructor(renew: () => Promise<void>) {
    this.#renew = renew;
  }

  /** The first handshake: until it is over nothing is sent [LIFE-007]. */
  begin(opening: Promise<void>): Promise<void> {
    return this.#open(opening);
  }

  /** There is no session any more, without anybody having asked: the next request makes a new one. */
  lose(): void {
    this.#broken = true;
  }

  /** Resolves when there is a session. */
  async ready(signal: AbortSignal | undefined): Promise<void> {
    if (this.#opening !== undefined) {
      await raceAbort(this.#opening, signal);
    } else if (this.#broken) {
      await raceAbort(this.#replace(this.#generation), signal);
    }
  }

  /** Sends, and once more in a new session when the old one turns out to be gone [PP-001]. */
  async run<T>(send: () => Promise<T>, { signal, canResend }: RecoveryRunOptions): Promise<T> {
    await this.ready(signal);
    const generation = this.#generation;
    try {
      return await send();
    } catch (error) {
      if (!isMcpError(error) || error.code !== "MCP_SESSION_EXPIRED") {
        throw error;
      }
      await raceAbort(this.#replace(generation), signal);
      if (!canResend) {
        throw error;
      }
    }
    return send();
  }

  #replace(generation: number): Promise<void> {
    if (this.#opening !== undefined) {
      return this.#opening;
    }
    return generation === this.#generation ? this.#open(this.#renew()) : Promise.resolve();
  }

  #open(opening: Promise<void>): Promise<void> {
    this.#opening = opening.then(
      () => {
        this.#generation += 1;
        this.#opening = undefined;
        this.#broken = false;
      },
      (error: unknown) => {
        this.#opening = undefined;
        this.#broken = true;
        throw error;
      },
    );
    return this.#opening;
  }
}
