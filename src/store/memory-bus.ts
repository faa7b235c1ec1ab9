/**
 * The bus of a store in memory. Messages arrive a moment after they were published, so that nobody who publishes is
 * entered again meanwhile by those who listen.
 */
import type { BusListener } from "./contracts.ts";

interface Subscription {
  readonly listener: BusListener;
  isOver: boolean;
}

/** See the head of this file. */
export class MemoryBus {
  readonly #topics = new Map<string, Set<Subscription>>();
  readonly #onFault: (error: unknown) => void;

  /** @param onFault - gets what a listener threw */
  constructor(onFault: (error: unknown) => void) {
    this.#onFault = onFault;
  }

  get listeners(): number {
    return [...this.#topics.values()].reduce((sum, { size }) => sum + size, 0);
  }

  publish(topic: string, message: string): void {
    const listening = this.#topics.get(topic);
    if (listening !== undefined) {
      // Who begins to listen before it arrives was not there when it was sent.
      const present = [...listening];
      queueMicrotask(() => this.#deliver(present, message));
    }
  }

  subscribe(topic: string, listener: BusListener): () => void {
    const subscription = { listener, isOver: false };
    const listening = this.#topics.get(topic) ?? new Set();
    this.#topics.set(topic, listening);
    listening.add(subscription);
    return () => {
      subscription.isOver = true;
      listening.delete(subscription);
      if (listening.size === 0 && this.#topics.get(topic) === listening) {
        this.#topics.delete(topic);
      }
    };
  }

  clear(): void {
    for (const subscription of [...this.#topics.values()].flatMap((listening) => [...listening])) {
      subscription.isOver = true;
    }
    this.#topics.clear();
  }

  #deliver(present: readonly Subscription[], message: string): void {
    for (const subscription of present) {
      if (!subscription.isOver) {
        try {
          subscription.listener.message(message);
        } catch (error) {
          this.#onFault(error);
        }
      }
    }
  }
}
