/**
 * A log that can be followed: whoever does gets each entry once, in order, wherever it was written.
 *
 * Entries travel over the bus as they are appended, each with the position before it. Where that shows a gap, or the bus
 * was away, the log is read: it alone is relied on, and the bus only makes it quick.
 */
import { backoffDelay } from "../base/backoff.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import type { AppendOptions, BusListener, LogEntry, LogSlice, Store } from "./contracts.ts";

/** Who follows. Must not throw. */
export interface FeedListener {
  entry(entry: LogEntry): void;
  /** Entries that followed are no longer kept; what is given next stands behind them. */
  gap(): void;
  /** The log could not be read. It is tried again, sooner if there is more to hear, until following is stopped. */
  failed(error: unknown): void;
}

/** Values longer than this are announced without their text, in UTF-16 units. */
const longestAnnounced = 65_536;
/** How often an announcement is tried that the bus did not take. */
const maxAttempts = 8;

/** See the head of this file. */
export class Feed {
  readonly #store: Store;
  readonly #log: string;
  readonly #limits: AppendOptions;
  readonly #clock: Clock;
  readonly #followers = new Set<Follower>();
  /** The newest entry that was appended here. */
  #newest = 0;

  /**
   * @param log - its name, which is the topic's name too
   * @param limits - what the log keeps
   * @param clock - for trying again what the store did not do
   */
  constructor(store: Store, log: string, limits: AppendOptions, clock: Clock = systemClock) {
    this.#store = store;
    this.#log = log;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** Adds an entry; resolves once it is kept. */
  async append(value: string): Promise<LogEntry> {
    const entry = await this.#store.append(this.#log, value, this.#limits);
    this.#newest = Math.max(this.#newest, entry.position);
    for (const follower of this.#followers) {
      follower.offer(entry);
    }
    this.#announce(entry, 1);
    return entry;
  }

  /** What is kept behind a position; `undefined` where nothing is known of the log. */
  read(after: number): Promise<LogSlice | undefined> {
    return this.#store.read(this.#log, after);
  }

  /**
   * Gives every entry behind a position, those that are kept and those to come.
   *
   * @param after - `undefined` for only those to come
   * @returns stops following, at once
   * @throws what the store rejects with before all that is kept was given; then nothing is followed
   */
  async follow(after: number | undefined, listener: FeedListener): Promise<() => void> {
    const follower = new Follower({ read: (position) => this.read(position), after, listener, clock: this.#clock });
    const unsubscribe = await this.#store.subscribe(this.#log, follower);
    this.#followers.add(follower);
    const stop = (): void => {
      follower.stop();
      this.#followers.delete(follower);
      unsubscribe();
    };
    try {
      await follower.start();
    } catch (error) {
      stop();
      throw error;
    }
    return stop;
  }

  /** Forgets the log. */
  drop(): Promise<void> {
    return this.#store.drop(this.#log);
  }

  /** Tells those who follow elsewhere. A later entry that they hear of makes them read this one too. */
  #announce(entry: LogEntry, attempt: number): void {
    this.#store.publish(this.#log, encodeAnnouncement(entry)).catch(() => {
      // It is kept, but nobody may come to know until there is another one.
      if (attempt < maxAttempts) {
        this.#clock.after(backoffDelay(attempt), () => {
          if (entry.position === this.#newest) {
            this.#announce(entry, attempt + 1);
          }
        });
      }
    });
  }
}

/** An entry as the bus brings it. */
interface Announcement {
  readonly position: number;
  readonly previous: number;
  /** Absent where it is too long for the bus; it is read then. */
  readonly value?: string | undefined;
}

/** An entry as a message. */
function encodeAnnouncement({ position, previous, value }: LogEntry): string {
  return value.length > longestAnnounced ? `${position} ${previous}` : `${position} ${previous} ${value}`;
}

/** What {@link encodeAnnouncement} wrote; `undefined` for anything else. */
function decodeAnnouncement(text: string): Announcement | undefined {
  const match = /^(\d+) (\d+)(?: (.*))?$/s.exec(text);
  return match === null ? undefined : { position: Number(match[1]), previous: Number(match[2]), value: match[3] };
}

/** What a follower is made of. */
interface FollowerOptions {
  readonly read: (after: number) => Promise<LogSlice | undefined>;
  /** `undefined` for only what is to come. */
  readonly after: number | undefined;
  readonly listener: FeedListener;
  readonly clock: Clock;
}

/** One who follows, and how far it is. */
class Follower implements BusListener {
  readonly #options: FollowerOptions;
  /** Everything up to here was given, or is told of as a gap. */
  #cursor: number;
  /** Whether it has begun, and so knows where it stands. */
  #isPlaced = false;
  /** The newest of those that could not be given when they came. */
  #announced: Announcement | undefined;
  /** Whether the log has to be read, once more where that is going on. */
  #isStale = false;
  #isReading = false;
  #isStopped = false;
  #failures = 0;
  #cancelRetry: () => void = () => undefined;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#cursor = options.after ?? 0;
  }

  /** Gives what is kept, or finds the end of it. Until then nothing else is given. */
  async start(): Promise<void> {
    if (this.#options.after === undefined) {
      const slice = await this.#options.read(0);
      this.#cursor = slice?.entries.at(-1)?.position ?? 0;
    } else {
      this.#isStale = true;
    }
    this.#isPlaced = true;
    await this.#read();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelRetry();
  }

  message(text: string): void {
    const announcement = decodeAnnouncement(text);
    if (announcement !== undefined) {
      this.offer(announcement);
    }
  }

  missed(): void {
    this.#catchUp();
  }

  /** An entry that was just appended, here or elsewhere. */
  offer(announcement: Announcement): void {
    if (announcement.position > this.#cursor && !this.#isStopped && !this.#give(announcement)) {
      if (announcement.position > (this.#announced?.position ?? 0)) {
        this.#announced = announcement;
      }
      this.#catchUp();
    }
  }

  /** @returns whether it could be given: it is the next one, all of it is here, and nothing else is going on */
  #give({ position, previous, value }: Announcement): boolean {
    if (!this.#isPlaced || this.#isReading || previous > this.#cursor || value === undefined) {
      return false;
    }
    this.#deliver({ position, previous, value });
    return true;
  }

  #deliver(entry: LogEntry): void {
    if (!this.#isStopped) {
      this.#cursor = entry.position;
      this.#options.listener.entry(entry);
    }
  }

  #catchUp(): void {
    this.#isStale = true;
    if (this.#isPlaced && !this.#isReading && !this.#isStopped) {
      this.#cancelRetry();
      this.#read().catch((error: unknown) => this.#retry(error));
    }
  }

  #retry(error: unknown): void {
    if (this.#isStopped) {
      return;
    }
    this.#failures += 1;
    this.#cancelRetry = this.#options.clock.after(backoffDelay(this.#failures), () => this.#catchUp());
    this.#options.listener.failed(error);
  }

  /** Reads for as long as something happens that makes it necessary. */
  async #read(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#isStopped) {
        this.#isStale = false;
        // Only what was announced before the log is read must be in it.
        const announced = this.#announced;
        this.#announced = undefined;
        await this.#readOnce(announced);
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #readOnce(announced: Announcement | undefined): Promise<void> {
    try {
      this.#take(await this.#options.read(this.#cursor), announced);
      this.#failures = 0;
    } catch (error) {
      this.#isStale = true;
      this.#announced ??= announced;
      throw error;
    }
  }

  #take(slice: LogSlice | undefined, announced: Announcement | undefined): void {
    const { entries = [], complete = true } = slice ?? {};
    if (!complete && !this.#isStopped) {
      this.#options.listener.gap();
    }
    for (const entry of entries) {
      this.#deliver(entry);
    }
    if (announced !== undefined && announced.position > this.#cursor && !this.#isStopped) {
      this.#takeGone(announced);
    }
  }

  /** It was kept, and is gone already. */
  #takeGone({ position, previous, value }: Announcement): void {
    if (previous > this.#cursor || value === undefined) {
      this.#options.listener.gap();
    }
    if (value === undefined) {
      this.#cursor = position;
    } else {
      this.#deliver({ position, previous, value });
    }
  }
}
