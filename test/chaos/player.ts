// What every client does, whoever wrote it: calls of each kind, several at a time, each with a token that has to come back.

import type { Ledger } from "./ledger.ts";

/** A client as the run needs it. */
export interface ChaosClient {
  /** Whether it can be asked: not every revision has the words. */
  readonly canBeAsked: boolean;
  /** The text that a tool gave. */
  call(name: string, args: { readonly [key: string]: unknown }, onProgress?: () => void): Promise<string>;
  /** Has `onUpdated` called for every change of a resource from now on. */
  subscribe(uri: string, onUpdated: () => void): Promise<void>;
  close(): Promise<void>;
}

/** The text of a result; one with `isError` is thrown, as any other error is. */
export function readText(content: unknown, isError: unknown): string {
  const [block] = content as readonly { readonly text?: string }[];
  const text = block?.text ?? JSON.stringify(block);
  if (isError === true) {
    throw new Error(text);
  }
  return text;
}

/** How long a change may take to reach whoever subscribed, in milliseconds: a stream may have to be opened anew. */
const hearingMs = 30_000;

/** See the head of this file. */
export class Player {
  readonly #name: string;
  readonly #client: ChaosClient;
  readonly #ledger: Ledger;
  #count = 0;
  /** Changes that were acknowledged, and heard of. */
  #hear: () => void = () => undefined;
  #touching: Promise<void> = Promise.resolve();

  constructor(name: string, client: ChaosClient, ledger: Ledger) {
    this.#name = name;
    this.#client = client;
    this.#ledger = ledger;
  }

  /** Plays until the signal aborts, then ends what is open. */
  async play(lanes: number, signal: AbortSignal): Promise<void> {
    await this.#subscribe();
    const lane = async (): Promise<void> => {
      while (!signal.aborted) {
        await this.#step();
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    await this.#touching;
  }

  /** Tries until it is done: what follows rests on it. */
  async #subscribe(): Promise<void> {
    for (;;) {
      const entry = this.#ledger.begin(`subscribe of ${this.#name}`);
      try {
        await this.#client.subscribe(`chaos://${this.#name}`, () => this.#hear());
        entry.answered();
        return;
      } catch (error) {
        entry.failed(error);
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }

  #step(): Promise<void> {
    const dice = Math.random();
    if (dice < 0.5) {
      return this.#call("echo", {});
    }
    if (dice < 0.8) {
      return this.#call("work", {
        steps: 1 + Math.floor(Math.random() * 5),
        stepMs: 40 + Math.floor(Math.random() * 200),
      });
    }
    return dice < 0.93 && this.#client.canBeAsked ? this.#call("ask", {}) : this.#touch();
  }

  async #call(name: string, args: { readonly [key: string]: unknown }): Promise<void> {
    this.#count += 1;
    const token = `${this.#name}x${this.#count}`;
    const entry = this.#ledger.begin(`${name} of ${this.#name}`);
    try {
      const text = await this.#client.call(name, { token, ...args }, () => {
        this.#ledger.progress += 1;
      });
      const expected = name === "ask" ? `${token} indeed` : token;
      this.#ledger.crossed += text === expected ? 0 : 1;
      entry.answered();
    } catch (error) {
      entry.failed(error);
      // A client that meets a server that is away does not ask again at once.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Changes what this client is subscribed to, one change at a time: once it is acknowledged, it has to be heard of. */
  #touch(): Promise<void> {
    this.#touching = this.#touching.then(async () => {
      const entry = this.#ledger.begin(`touch of ${this.#name}`);
      const heard = new Promise<boolean>((resolve) => {
        this.#hear = () => resolve(true);
      });
      try {
        await this.#client.call("touch", { token: this.#name });
        entry.answered();
      } catch (error) {
        entry.failed(error);
        return;
      }
      const late = new Promise<boolean>((resolve) => setTimeout(resolve, hearingMs, false).unref());
      this.#ledger[(await Promise.race([heard, late])) ? "heard" : "unheard"] += 1;
    });
    return this.#touching;
  }
}
