/**
 * One log as one connection reads it: followed from a position, paused while the client is slow, taken up again from there.
 *
 * What its entries mean is for whoever listens.
 */
import type { LogEntry } from "../../store/contracts.ts";
import type { Feed, FeedListener } from "../../store/feed.ts";
import type { EventSource, StreamOutput } from "./stream-output.ts";

/** Who reads it. */
export interface LogListener extends FeedListener {
  /** It could not be followed from the start, and is not until it is asked for again. */
  unreadable(error: unknown): void;
}

/** See the head of this file. */
export class FollowedLog implements EventSource {
  readonly #feed: Pick<Feed, "follow">;
  readonly #output: StreamOutput;
  readonly #listener: LogListener;
  #position: number;
  /** The attempt that counts. What an earlier one still hears is not passed on. */
  #following: Following | undefined;
  #isStopped = false;

  /** @param after - where it begins */
  constructor(feed: Pick<Feed, "follow">, after: number, output: StreamOutput, listener: LogListener) {
    this.#feed = feed;
    this.#position = after;
    this.#output = output;
    this.#listener = listener;
    output.attach(this);
  }

  /** The newest entry that was passed on. */
  get position(): number {
    return this.#position;
  }

  /** Follows, unless it does so or there is no room. */
  goOn(): void {
    if (!this.#isStopped && !this.#output.isFull) {
      this.#following ??= new Following(this.#feed, this.#position, {
        entry: (entry) => this.#entry(entry),
        gap: () => this.#listener.gap(),
        failed: (error) => this.#listener.failed(error),
        unreadable: (error) => {
          this.#pause();
          this.#listener.unreadable(error);
        },
      });
    }
  }

  stop(): void {
    this.#isStopped = true;
    this.#pause();
  }

  #entry(entry: LogEntry): void {
    this.#position = entry.position;
    this.#listener.entry(entry);
    if (this.#output.isFull) {
      this.#pause();
    }
  }

  #pause(): void {
    this.#following?.stop();
    this.#following = undefined;
  }
}

/** One attempt at following, which can be given up before it has begun. */
class Following {
  #isStopped = false;
  #unfollow: (() => void) | undefined;

  constructor(feed: Pick<Feed, "follow">, after: number, listener: LogListener) {
    const guard = (action: () => void): void => {
      if (!this.#isStopped) {
        action();
      }
    };
    const guarded: FeedListener = {
      entry: (entry) => guard(() => listener.entry(entry)),
      gap: () => guard(() => listener.gap()),
      failed: (error) => guard(() => listener.failed(error)),
    };
    feed.follow(after, guarded).then(
      (unfollow) => {
        this.#unfollow = unfollow;
        if (this.#isStopped) {
          unfollow();
        }
      },
      (error: unknown) => guard(() => listener.unreadable(error)),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#unfollow?.();
  }
}
