/**
 * One task being followed by anybody who wants something of it: followed while there is such a one, and no longer.
 *
 * Giving up following leaves the task as it is.
 */
import { linkSignals, raceAbort } from "../../base/abort.ts";
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Task } from "../../protocol/types/tasks.ts";
import type { Follower } from "../../tasks/follower.ts";
import type { FollowerHost } from "../../tasks/follower-host.ts";

/** What a {@link FollowedTask} works with. */
export interface FollowedTaskParts {
  /** Makes what follows the task; called once. */
  createFollower(host: Pick<FollowerHost, "onChange">): Follower;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Judges and reads the result. */
  accept(result: JsonObject): JsonObject;
  /** Gives an error of the server its class. */
  toError(error: unknown): unknown;
  /** Told when the task is followed. @returns what is told when it is followed no longer */
  onStart(follower: Follower): () => void;
  /** Told what came of the task, whenever that is asked for. Must not throw. */
  readonly onResult?: ((result: JsonObject) => void) | undefined;
  /** The same for what it failed with. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Told what a listener threw. */
  onFault(error: unknown): void;
}

/** A task that is being followed. */
interface Running {
  readonly outcome: Promise<JsonObject>;
  stop(reason: unknown): void;
}

/** Why following stops that nobody needs any more. */
const unneeded = "nobody follows the task any more";

/** See the head of this file. */
export class FollowedTask {
  readonly follower: Follower;
  readonly #parts: FollowedTaskParts;
  readonly #changes: Emitter<{ readonly change: Task }>;
  #running: Running | undefined;
  /** Settles once the task is followed no longer; one following ends before the next one begins. */
  #last: Promise<void> = Promise.resolve();
  /** How many want something of it. */
  #interest = 0;

  constructor(parts: FollowedTaskParts) {
    this.#parts = parts;
    this.#changes = new Emitter((error) => parts.onFault(error));
    this.follower = parts.createFollower({ onChange: (task) => this.#changes.emit("change", task) });
  }

  /** Whether it is known what came of the task. */
  get isOver(): boolean {
    return this.follower.isOver;
  }

  /** The result, or what the task failed with. The signal gives up waiting, with its reason. */
  async wait(signal?: AbortSignal): Promise<JsonObject> {
    signal?.throwIfAborted();
    this.#interest += 1;
    try {
      return await raceAbort(this.#run(), signal);
    } finally {
      this.#release();
    }
  }

  /**
   * Hears of every change.
   *
   * @param onEnd - told once the task is over, or why it could not be followed
   * @returns stops hearing
   */
  watch(onChange: (task: Task) => void, onEnd: (error?: unknown) => void): Unsubscribe {
    const stopHearing = this.#changes.on("change", onChange);
    this.#interest += 1;
    let isHearing = true;
    const stop = (): void => {
      if (isHearing) {
        isHearing = false;
        stopHearing();
        this.#release();
      }
    };
    this.#run().then(
      () => isHearing && onEnd(),
      (error: unknown) => isHearing && onEnd(this.isOver ? undefined : error),
    );
    return stop;
  }

  /** Ends the following for everybody, with an error. */
  giveUp(error: unknown): void {
    this.#running?.stop(error);
  }

  #run(): Promise<JsonObject> {
    this.#running ??= this.#start();
    return this.#running.outcome;
  }

  #start(): Running {
    const linked = linkSignals(this.#parts.signal);
    const outcome = this.#last.then(() => this.#follow(linked.signal)).finally(() => linked.release());
    outcome.then(this.#parts.onResult, (error) => (this.isOver ? this.#parts.onError?.(error) : undefined));
    const running = { outcome, stop: (reason: unknown) => linked.abort(reason) };
    const forget = (): void => {
      if (this.#running === running) {
        this.#running = undefined;
      }
    };
    // Whoever wants the outcome has it; the following itself needs nobody.
    this.#last = outcome.then(forget, forget);
    return running;
  }

  async #follow(signal: AbortSignal): Promise<JsonObject> {
    const onStop = this.#parts.onStart(this.follower);
    let result: JsonObject;
    try {
      result = await this.follower.run(signal);
    } catch (error) {
      throw this.#parts.toError(error);
    } finally {
      onStop();
    }
    return this.#parts.accept(result);
  }

  #release(): void {
    this.#interest -= 1;
    if (this.#interest === 0) {
      this.#running?.stop(unneeded);
      this.#running = undefined;
    }
  }
}
