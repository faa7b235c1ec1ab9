/**
 * How far the feed of changes has come: asked for whenever a session begins, so that its client later gets what changed
 * from then on. The feed is followed once for all sessions of a node, because reading it to its end is not cheap.
 */
import type { LogEntry } from "../../store/contracts.ts";
import type { Feed, FeedListener } from "../../store/feed.ts";

/** See the head of this file. */
export class ChangesTail implements FeedListener {
  readonly #changes: Feed;
  #position = 0;
  #unfollow: Promise<() => void> | undefined;

  constructor(changes: Feed) {
    this.#changes = changes;
  }

  /**
   * The newest change; 0 before the first that is known. Another node's may be on its way still.
   *
   * @throws what the store rejects with
   */
  async position(): Promise<number> {
    const following = this.#unfollow ?? this.#changes.follow(this.#position, this);
    this.#unfollow = following;
    try {
      await following;
    } catch (error) {
      this.#unfollow = undefined;
      throw error;
    }
    return this.#position;
  }

  /** Follows no more, until it is asked again. */
  close(): void {
    const following = this.#unfollow;
    this.#unfollow = undefined;
    following?.then(
      (unfollow) => unfollow(),
      () => undefined,
    );
  }

  entry({ position }: LogEntry): void {
    this.#position = position;
  }

  gap(): void {
    // What is missing does not matter to somebody who counts.
  }

  failed(): void {
    this.close();
  }
}
