/**
 * Runs operations over one connection: they wait while it is away, and are tried again, up to a limit.
 *
 * An operation whose reply was lost is carried out again, so each has to have the same effect twice as once. Where its
 * outcome then cannot be told, the outcome says so.
 */
import { backoffDelay } from "../../base/backoff.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { type Clock, sleep } from "../../base/timer.ts";
import { StoreError } from "../error.ts";
import type { Connection } from "./connection.ts";
import { readFailure } from "./failure.ts";

/** What an operation came to. */
export interface Outcome<T> {
  readonly value: T;
  /** Whether it was carried out once only. Otherwise a "no" may come from the second time. */
  readonly isCertain: boolean;
}

/** How operations are run. */
export interface OperationsOptions<C extends Connection> {
  /** Opens the connection; called when it is first needed. Rejects with `StoreError`. */
  readonly open: () => Promise<C>;
  /** Host and port, for messages. */
  readonly place: string;
  /** Longest an operation takes, in milliseconds. */
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** The connection was lost and is back. */
  readonly onBack?: (() => void) | undefined;
}

/** One that runs. */
interface Operation {
  isOver: boolean;
  isSent: boolean;
  isCertain: boolean;
  /** How many answers had come when it was sent. */
  answersBefore: number;
  /** Lets it go on, where it is held. */
  wake: () => void;
  /** Ends it. */
  readonly reject: (error: StoreError) => void;
}

/** See the head of this file. */
export class Operations<C extends Connection> {
  readonly #options: OperationsOptions<C>;
  readonly #running = new Set<Operation>();
  readonly #held = new Set<Operation>();
  #opening: Promise<C> | undefined;
  #connection: C | undefined;
  #isUp = false;
  #losses = 0;
  /** Why the connection is away, as far as is known. */
  #reason = "not connected yet";
  #answers = 0;
  #isClosed = false;
  #drained: Deferred<void> | undefined;

  constructor(options: OperationsOptions<C>) {
    this.#options = options;
  }

  /**
   * Runs one.
   *
   * @param work - sends what has to be sent; called again where a reply was lost
   * @throws StoreError `unavailable` after the limit, at once where it was refused or the store is closed; `full`
   */
  async run<T>(work: (connection: C) => Promise<T>): Promise<Outcome<T>> {
    const { promise, reject } = createDeferred<never>();
    const operation: Operation = {
      isOver: false,
      isSent: false,
      isCertain: true,
      answersBefore: 0,
      wake: () => undefined,
      reject,
    };
    const { clock, timeoutMs } = this.#options;
    const dueAt = clock.now() + timeoutMs;
    let cancel = clock.after(timeoutMs, () => {
      // An answer that came while this process stood still, or slept, has yet to be read.
      const lateMs = Math.max(0, Math.min(clock.now() - dueAt, timeoutMs));
      cancel = clock.after(lateMs, () => this.#giveUp(operation));
    });
    this.#running.add(operation);
    try {
      return await Promise.race([this.#attempt(work, operation), promise]);
    } finally {
      cancel();
      operation.isOver = true;
      this.#running.delete(operation);
      this.#held.delete(operation);
      operation.wake();
      if (this.#running.size === 0) {
        this.#drained?.resolve();
      }
    }
  }

  /** The connection, whether or not it is ready. */
  async connection(): Promise<C> {
    return this.#connection ?? this.#open();
  }

  /**
   * Ends the connection. What is being answered is answered; what waits for a connection, and what comes later, is refused.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    const isAnswered = this.#connection?.isReady === true;
    for (const operation of isAnswered ? this.#held : this.#running) {
      operation.reject(this.#describeClosed(operation));
    }
    if (this.#running.size > 0) {
      this.#drained ??= createDeferred();
      await this.#drained.promise;
    }
    this.#connection?.close();
  }

  /** The error of an operation whose outcome cannot be told. */
  describeUnknown(): StoreError {
    return this.#describe("the connection was lost during the operation; whether it was carried out is not known");
  }

  async #attempt<T>(work: (connection: C) => Promise<T>, operation: Operation): Promise<Outcome<T>> {
    for (let failures = 0; ; ) {
      const connection = await this.#await(operation);
      const losses = this.#losses;
      operation.isSent = true;
      operation.answersBefore = this.#answers;
      try {
        const value = await work(connection);
        this.#answers += 1;
        return { value, isCertain: operation.isCertain && losses === this.#losses };
      } catch (error) {
        const isLost = this.#judge(error);
        failures += 1;
        operation.isCertain &&= !isLost;
        if (!isLost || failures > 1) {
          await sleep(this.#options.clock, backoffDelay(failures, { initialDelayMs: 50, maxDelayMs: 1_000 }));
        }
      }
    }
  }

  /** Whether the reply was lost; throws where trying again would not help. */
  #judge(error: unknown): boolean {
    if (error instanceof StoreError) {
      throw error;
    }
    const { kind, reason } = readFailure(error);
    this.#reason = reason;
    this.#answers += kind === "lost" ? 0 : 1;
    if (kind === "full") {
      throw new StoreError("full", `Redis at ${this.#options.place} is full, and nothing was written (${reason})`);
    }
    if (kind === "refused") {
      throw this.#describe(`expected the operation to be carried out, got: ${reason}`);
    }
    return kind === "lost";
  }

  /** The connection, as soon as it is there. */
  async #await(operation: Operation): Promise<C> {
    for (;;) {
      if (this.#isClosed) {
        throw this.#describeClosed(operation);
      }
      if (operation.isOver) {
        throw this.#describeLate(operation);
      }
      const connection = this.#connection;
      if (connection === undefined) {
        await this.#open();
        continue;
      }
      if (connection.isReady) {
        return connection;
      }
      await new Promise<void>((resolve) => {
        operation.wake = resolve;
        this.#held.add(operation);
      });
    }
  }

  #open(): Promise<C> {
    this.#opening ??= this.#options.open().then(
      (connection) => {
        this.#adopt(connection);
        return connection;
      },
      (error: unknown) => {
        this.#opening = undefined;
        throw error;
      },
    );
    return this.#opening;
  }

  #adopt(connection: C): void {
    if (this.#isClosed) {
      connection.close();
      return;
    }
    this.#connection = connection;
    const setUp = (): void => {
      this.#isUp = true;
      this.#reason = "no reply came";
    };
    if (connection.isReady) {
      setUp();
    }
    connection.watch({
      ready: () => {
        setUp();
        if (this.#losses > 0) {
          this.#options.onBack?.();
        }
        for (const operation of this.#held) {
          this.#held.delete(operation);
          operation.wake();
        }
      },
      lost: () => {
        this.#losses += this.#isUp ? 1 : 0;
        this.#isUp = false;
      },
      failed: (error) => {
        this.#reason = readFailure(error).reason;
      },
    });
  }

  #giveUp(operation: Operation): void {
    operation.reject(this.#describeLate(operation));
    if (operation.isSent && operation.answersBefore === this.#answers && this.#connection?.isReady === true) {
      // Nothing came back for so long: the other end is gone without a word, and the system may take minutes to notice.
      this.#connection.renew();
    }
  }

  #describeLate(operation: Operation): StoreError {
    const { timeoutMs } = this.#options;
    return this.#describe(
      `expected an answer within ${timeoutMs} ms, got none (${this.#reason}); ${describeFate(operation)}`,
    );
  }

  #describeClosed(operation: Operation): StoreError {
    return this.#describe(`the store was closed; ${describeFate(operation)}`);
  }

  // Without a cause: what the libraries throw may carry the command, and with it the value.
  #describe(what: string): StoreError {
    return new StoreError("unavailable", `Redis at ${this.#options.place}: ${what}`);
  }
}

function describeFate({ isSent }: Operation): string {
  return isSent ? "whether the operation was carried out is not known" : "nothing was sent";
}
