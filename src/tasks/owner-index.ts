/**
 * Which tasks a requestor has, in the order they were made: for lists, and for the limit on how many there may be.
 *
 * One record per requestor. Requestors who are not identified have none: nobody could be shown a list of theirs, and
 * they are counted together, in this process. Specification: Basic > Utilities > Tasks > Task Listing.
 */
import { parseJson } from "../base/json.ts";
import type { Clock } from "../base/timer.ts";
import { RpcError, rpcCodes } from "../jsonrpc/error.ts";
import type { KeyValue } from "../store/contracts.ts";
import { type ResolvedTaskLimits, unidentifiedFactor } from "./limits.ts";

/** One task of a requestor. */
interface Entry {
  /** Grows with every task of the requestor. */
  readonly place: number;
  readonly taskId: string;
  /** Milliseconds since the epoch; `null` for never. */
  readonly expiresAtMs: number | null;
  /** Whether it is known to be over. */
  readonly isOver: boolean;
}

/** A part of a requestor's tasks. */
export interface IndexSlice {
  readonly entries: readonly { readonly place: number; readonly taskId: string }[];
}

/** What the index needs of those around it. */
export interface IndexHost {
  readonly store: KeyValue;
  readonly prefix: string;
  readonly clock: Clock;
  readonly limits: ResolvedTaskLimits;
  /** Whether a task is over or gone. */
  isOver(taskId: string): Promise<boolean>;
}

/** See the head of this file. */
export class OwnerIndex {
  readonly #host: IndexHost;
  /** Tasks of those who are not identified: when each is no longer kept, and which are unfinished. */
  readonly #kept = new Map<string, number>();
  readonly #unfinished = new Set<string>();

  constructor(host: IndexHost) {
    this.#host = host;
  }

  /**
   * Adds a task.
   *
   * @throws RpcError for one more than there may be
   */
  async add(owner: string | undefined, taskId: string, expiresAtMs: number): Promise<void> {
    if (owner === undefined) {
      this.#addUnidentified(taskId, expiresAtMs);
      return;
    }
    const { maxUnfinished, maxKept } = this.#host.limits;
    await this.#update(owner, async (entries) => {
      const known = countUnfinished(entries) < maxUnfinished ? entries : await this.#refresh(entries);
      assertRoom(countUnfinished(known), maxUnfinished, known.length, maxKept);
      const place = (known.at(-1)?.place ?? 0) + 1;
      const expiry = Number.isFinite(expiresAtMs) ? expiresAtMs : null;
      return [...known, { place, taskId, expiresAtMs: expiry, isOver: false }];
    });
  }

  /** Takes away a task that came to nothing. */
  async remove(owner: string | undefined, taskId: string): Promise<void> {
    this.#kept.delete(taskId);
    this.#unfinished.delete(taskId);
    if (owner !== undefined) {
      await this.#update(owner, async (entries) => entries.filter((entry) => entry.taskId !== taskId));
    }
  }

  /** A task of this process is over. Those of identified requestors are looked at when that is needed. */
  ended(taskId: string): void {
    this.#unfinished.delete(taskId);
  }

  /** The requestor's tasks behind a place, oldest first. */
  async read(owner: string, after: number): Promise<IndexSlice> {
    const { entries } = await this.#read(owner);
    return { entries: entries.filter(({ place }) => place > after) };
  }

  #addUnidentified(taskId: string, expiresAtMs: number): void {
    const { limits, clock } = this.#host;
    const maxKept = limits.maxKept * unidentifiedFactor;
    if (this.#kept.size >= maxKept) {
      const now = clock.now();
      for (const [kept, expiry] of this.#kept) {
        if (expiry <= now) {
          this.#kept.delete(kept);
          this.#unfinished.delete(kept);
        }
      }
    }
    assertRoom(this.#unfinished.size, limits.maxUnfinished * unidentifiedFactor, this.#kept.size, maxKept);
    this.#kept.set(taskId, expiresAtMs);
    this.#unfinished.add(taskId);
  }

  /** Entries with those marked that have come to their end meanwhile. */
  #refresh(entries: readonly Entry[]): Promise<readonly Entry[]> {
    return Promise.all(
      entries.map(async (entry) =>
        entry.isOver ? entry : { ...entry, isOver: await this.#host.isOver(entry.taskId) },
      ),
    );
  }

  async #update(owner: string, change: (entries: readonly Entry[]) => Promise<readonly Entry[]>): Promise<void> {
    const { store, clock } = this.#host;
    for (;;) {
      const { entries, version } = await this.#read(owner);
      const next = await change(entries);
      const expiresAtMs = next.reduce(
        (last, entry) => Math.max(last, entry.expiresAtMs ?? Number.POSITIVE_INFINITY),
        0,
      );
      const leftMs = Math.max(expiresAtMs - clock.now(), 1);
      const ttl = Number.isFinite(leftMs) ? { ttlMs: leftMs } : {};
      if ((await store.set(this.#keyOf(owner), encode(next), { ifVersion: version, ...ttl })) !== undefined) {
        return;
      }
    }
  }

  /** Entries of tasks that are still kept, and the version they were read at. */
  async #read(owner: string): Promise<{ readonly entries: readonly Entry[]; readonly version: string | null }> {
    const { store, clock } = this.#host;
    const stored = await store.get(this.#keyOf(owner));
    const now = clock.now();
    const entries = decode(stored?.value).filter(({ expiresAtMs }) => expiresAtMs === null || expiresAtMs > now);
    return { entries, version: stored?.version ?? null };
  }

  #keyOf(owner: string): string {
    return `${this.#host.prefix}-of/${owner}`;
  }
}

function countUnfinished(entries: readonly Entry[]): number {
  return entries.filter(({ isOver }) => !isOver).length;
}

function assertRoom(unfinished: number, maxUnfinished: number, kept: number, maxKept: number): void {
  if (unfinished >= maxUnfinished) {
    const what = `expected at most ${maxUnfinished} tasks that are not finished; wait for one to end, or cancel one`;
    throw new RpcError(rpcCodes.internalError, what);
  }
  if (kept >= maxKept) {
    const what = `expected at most ${maxKept} tasks that are kept; wait for some to expire, or ask for a shorter ttl`;
    throw new RpcError(rpcCodes.internalError, what);
  }
}

function encode(entries: readonly Entry[]): string {
  return JSON.stringify(entries.map(({ place, taskId, expiresAtMs, isOver }) => [place, taskId, expiresAtMs, isOver]));
}

function decode(text: string | undefined): Entry[] {
  const parsed = text === undefined ? undefined : parseJson(text, 4);
  const rows: readonly unknown[] = parsed?.ok === true && Array.isArray(parsed.value) ? parsed.value : [];
  return rows.flatMap((row) => {
    const [place, taskId, expiresAtMs, isOver] = Array.isArray(row) ? (row as unknown[]) : [];
    return typeof place === "number" && typeof taskId === "string"
      ? [{ place, taskId, expiresAtMs: typeof expiresAtMs === "number" ? expiresAtMs : null, isOver: isOver === true }]
      : [];
  });
}
