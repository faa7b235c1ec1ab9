/**
 * The writing side of the event stream of one POST: what is sent is kept in the stream's log, where connections read it.
 *
 * The log says from the start, and from time to time, which answers are still owed, so that whoever resumes the stream can
 * end it should this node die, and so that it does not expire during a long silence.
 */
import type { RequestId } from "../../jsonrpc/message.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { StreamEntry } from "./stream-entry.ts";
import type { StreamLog } from "./stream-log.ts";
import type { StreamReader } from "./stream-reader.ts";

/** See the head of this file. */
export class StreamWriter {
  /** Resolves once it is kept what is owed, with the place of that; 0 where it could not be kept. */
  readonly begun: Promise<number>;
  readonly #runtime: HttpRuntime;
  readonly #log: StreamLog;
  readonly #onEnded: () => void;
  #unanswered: readonly RequestId[];
  /** The newest entry that a client gets. */
  #last = 0;
  /** What was kept since the last mark; everything before there is one. */
  #entriesSinceMark = Number.POSITIVE_INFINITY;
  #lengthSinceMark = 0;
  #cancelTimer: () => void = () => undefined;
  #isEnded = false;
  /** The connection on this node, which gets also what the store does not keep. */
  #reader: StreamReader | undefined;
  /** What was not kept before there was a connection. */
  #early: (string | undefined)[] | undefined = [];

  /**
   * @param unanswered - the requests that were posted
   * @param onEnded - told once the end is kept, or has been given up
   */
  constructor(runtime: HttpRuntime, log: StreamLog, unanswered: readonly RequestId[], onEnded: () => void) {
    this.#runtime = runtime;
    this.#log = log;
    this.#unanswered = unanswered;
    this.#onEnded = onEnded;
    this.begun = log.enqueue(() => this.#mark());
  }

  /** A client is connected on this node. */
  connect(reader: StreamReader): void {
    this.#reader = reader;
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const text of early) {
      this.#passOn(text);
    }
    reader.start();
  }

  /** Sends a message, or the answer to one of several requests. See {@link ReplyStream.send}. */
  async send(text: string, answered?: RequestId): Promise<void> {
    if (this.#isEnded) {
      return;
    }
    await this.#log.enqueue(async () => {
      const entry: StreamEntry =
        answered === undefined ? { kind: "message", text } : { kind: "answer", id: answered, text };
      if (answered !== undefined) {
        this.#unanswered = leaveOut(this.#unanswered, answered);
      }
      if (!(await this.#keep(entry, text.length))) {
        this.#passOn(text);
      }
    });
    await this.#reader?.caughtUp;
  }

  /** Whoever is connected, on any node, lets go behind what was sent. */
  suspend(): void {
    if (!this.#isEnded) {
      void this.#log.append({ kind: "release", node: undefined });
    }
  }

  /** Ends the stream behind a last message, which may be empty. */
  end(text: string): void {
    if (this.#isEnded) {
      return;
    }
    this.#isEnded = true;
    void this.#log.enqueue(async () => {
      this.#cancelTimer();
      if (await this.#keep({ kind: "end", text }, text.length)) {
        this.#onEnded();
        return;
      }
      if (text !== "") {
        this.#passOn(text);
      }
      this.#passOn(undefined);
      this.#endLater(text, this.#runtime.options.clock.now() + this.#ttlMs);
    });
  }

  /** Nothing more is written. Ends the connection, behind what was sent. */
  async stop(comesBack: boolean): Promise<void> {
    this.#isEnded = true;
    await this.#log.settled;
    this.#cancelTimer();
    this.#reader?.end(comesBack);
  }

  get #ttlMs(): number {
    return this.#runtime.options.events?.ttlMs ?? Number.POSITIVE_INFINITY;
  }

  async #keep(entry: StreamEntry, length: number): Promise<boolean> {
    const { maxEntries = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } =
      this.#runtime.options.events ?? {};
    const needsMark = this.#entriesSinceMark >= maxEntries / 2 || this.#lengthSinceMark >= maxBytes / 4;
    if (needsMark && (await this.#mark()) === 0) {
      return false;
    }
    const kept = await this.#log.appendNow(entry);
    if (kept === undefined) {
      return false;
    }
    this.#last = kept.position;
    this.#entriesSinceMark += 1;
    this.#lengthSinceMark += length;
    // A connection that could not read the log before may be able to now.
    this.#reader?.start();
    return true;
  }

  /**
   * Says what is owed. The log never expires before that is said again.
   *
   * @returns its position; 0 where it could not be kept
   */
  async #mark(): Promise<number> {
    const { presence, options } = this.#runtime;
    this.#cancelTimer();
    if (Number.isFinite(this.#ttlMs) && !this.#isEnded) {
      this.#cancelTimer = options.clock.after(this.#ttlMs / 2, () => void this.#log.enqueue(() => this.#mark()));
    }
    const mark = { kind: "mark", unanswered: this.#unanswered, last: this.#last } as const;
    // Whoever reads a mark may take a node that does not say that it lives for dead.
    const kept = await this.#log.appendNow(mark, presence.begin());
    if (kept !== undefined) {
      this.#entriesSinceMark = 0;
      this.#lengthSinceMark = 0;
    }
    return kept?.position ?? 0;
  }

  /** Passes on what was not kept; nothing for the end. */
  #passOn(text: string | undefined): void {
    this.#early?.push(text);
    if (text === undefined) {
      this.#reader?.end(false);
    } else {
      this.#reader?.sendUnkept(text);
    }
  }

  /** A client that is not connected here would wait for the end for as long as this node lives. */
  #endLater(text: string, untilMs: number): void {
    const { clock, leaseMs } = this.#runtime.options;
    this.#cancelTimer = clock.after(leaseMs / 2, () => {
      void this.#log.enqueue(async () => {
        if ((await this.#keep({ kind: "end", text }, text.length)) || clock.now() >= untilMs) {
          this.#onEnded();
        } else {
          this.#endLater(text, untilMs);
        }
      });
    });
  }
}

/** Without the first of those with this id: a client may use one several times. */
function leaveOut(ids: readonly RequestId[], id: RequestId): RequestId[] {
  const index = ids.indexOf(id);
  return ids.filter((_, at) => at !== index);
}
