/**
 * What a session is, as the store has it: whose it is and what was negotiated. Every request reads it anew, and every
 * change is compared with what was there, so that all nodes agree.
 *
 * What a node has open for a session is session.ts. Specification: Basic > Transports > Session management.
 */
import { UsageError } from "../../base/error.ts";
import { isObject, parseJson } from "../../base/json.ts";
import type { Clock } from "../../base/timer.ts";
import type { ChangeAudience, ListKind } from "../../protocol/changes.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import type { SessionState } from "../../revision/exchange.ts";
import { findHandshake, latestHandshake } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import type { KeyValue, StoredValue } from "../../store/contracts.ts";

/** Where records are kept, and for how long. */
export interface RecordPlace {
  readonly store: KeyValue;
  readonly clock: Clock;
  /** How long a record stays that nobody renews, in milliseconds; `Infinity` for ever. */
  readonly ttlMs: number;
}

/** What names a session, and never changes. */
export interface SessionIdentity {
  readonly id: string;
  /** Random; names the session's streams where its id must not show. */
  readonly owner: string;
  /** Whose it is; nothing where callers are not identified. */
  readonly principal: string | undefined;
}

/** A version that no store gives: what has it was not read, so nothing is written over it. */
const hearsay = "(heard)";

/** One session's record, as this node last saw it. */
export class SessionRecord implements SessionIdentity {
  readonly id: string;
  readonly owner: string;
  readonly principal: string | undefined;
  readonly #place: RecordPlace;
  #state: SessionState | undefined;
  #audience: ChangeAudience | undefined;
  /** `null` while nothing is kept. */
  #version: string | null = null;
  /** When this node last put its end off. */
  #renewedAt = Number.NEGATIVE_INFINITY;
  #fault: unknown;
  /** How often this node wrote it, or heard that another did. */
  #news = 0;

  /** A record of which nothing is kept before the first `update`. */
  constructor(place: RecordPlace, { id, owner, principal }: SessionIdentity) {
    this.#place = place;
    this.id = id;
    this.owner = owner;
    this.principal = principal;
  }

  /** Reads the record of a session; `undefined` where there is none, or none that can be read. */
  static async load(place: RecordPlace, id: string): Promise<SessionRecord | undefined> {
    const stored = await place.store.get(toKey(id));
    const content = stored && decode(stored.value);
    if (stored === undefined || content === undefined) {
      return undefined;
    }
    const record = new SessionRecord(place, { id, ...content });
    record.#take(content.state, stored.version);
    return record;
  }

  /** Why it could not be kept, where that was tried and has failed. */
  get fault(): unknown {
    return this.#fault;
  }

  /** Whether it was ever kept, and so may be found by a request. */
  get isKept(): boolean {
    return this.#version !== null;
  }

  /** `undefined` until `initialize` has succeeded. */
  get state(): SessionState | undefined {
    return this.#state;
  }

  /** The negotiated revision. */
  get revision(): Revision {
    return (this.#state && findHandshake(this.#state.revision)) ?? latestHandshake;
  }

  /** The changes that its client wants to hear of. */
  get audience(): ChangeAudience {
    this.#audience ??= toAudience(this.#state);
    return this.#audience;
  }

  /** Whether it is time to put its end off: a tenth of its life has passed since that was last done here. */
  get isDue(): boolean {
    const { clock, ttlMs } = this.#place;
    return this.isKept && clock.now() - this.#renewedAt >= ttlMs / 10;
  }

  /** Reads it again; false where the session has ended. */
  async refresh(): Promise<boolean> {
    for (;;) {
      const news = this.#news;
      const stored = await this.#place.store.get(toKey(this.id));
      if (stored === undefined) {
        return false;
      }
      if (stored.version === this.#version) {
        return true;
      }
      // What was asked for before there was news may be older than that.
      if (news === this.#news) {
        return this.#read(stored);
      }
    }
  }

  /**
   * Changes the state; kept when this resolves.
   *
   * @param change - runs again on the newer state where somebody else was quicker
   * @throws SessionExpiredError where the session has ended; UsageError where its id is another session's
   */
  async update(change: (state: SessionState | undefined) => SessionState): Promise<void> {
    for (;;) {
      const state = change(this.#state);
      if (this.isKept ? state === this.#state || (await this.#write(state)) : await this.#create(state)) {
        return;
      }
      if (!(await this.refresh())) {
        throw new SessionExpiredError("the session has ended");
      }
    }
  }

  /** Takes what another node says it has written, until it is read: others may have written since. */
  hear(state: unknown): void {
    if (this.isKept && isState(state)) {
      this.#news += 1;
      this.#take(state, hearsay);
    }
  }

  /** Puts its end off; false where the session has ended. */
  async renew(): Promise<boolean> {
    const before = this.#renewedAt;
    this.#renewedAt = this.#place.clock.now();
    try {
      while (this.#state !== undefined && !(await this.#write(this.#state))) {
        if (!(await this.refresh())) {
          return false;
        }
      }
      return true;
    } catch (error) {
      this.#renewedAt = before;
      throw error;
    }
  }

  /** Ends the session for everybody. */
  async delete(): Promise<void> {
    await this.#place.store.delete(toKey(this.id));
  }

  async #create(state: SessionState): Promise<boolean> {
    try {
      if (await this.#write(state)) {
        return true;
      }
      throw new UsageError("sessions.createSessionId: expected an id that is not in use; make ids random");
    } catch (error) {
      this.#fault = error;
      throw error;
    }
  }

  async #write(state: SessionState): Promise<boolean> {
    const { store, clock, ttlMs } = this.#place;
    const { owner, principal } = this;
    const version = await store.set(toKey(this.id), JSON.stringify({ owner, principal, state }), {
      ttlMs: ttlMs === Number.POSITIVE_INFINITY ? undefined : ttlMs,
      ifVersion: this.#version,
    });
    if (version === undefined) {
      return false;
    }
    this.#news += 1;
    this.#renewedAt = clock.now();
    this.#take(state, version);
    return true;
  }

  #read({ value, version }: StoredValue): boolean {
    const content = decode(value);
    if (content !== undefined) {
      this.#take(content.state, version);
    }
    return content !== undefined;
  }

  #take(state: SessionState, version: string): void {
    if (state !== this.#state) {
      this.#audience = undefined;
    }
    this.#state = state;
    this.#version = version;
  }
}

function toKey(id: string): string {
  return `session/${id}`;
}

/** What is in a record; `undefined` for what this version did not write. */
function decode(text: string): { owner: string; principal: string | undefined; state: SessionState } | undefined {
  // How deep it may be was decided when it came in.
  const parsed = parseJson(text, Number.POSITIVE_INFINITY);
  if (!parsed.ok || !isObject(parsed.value)) {
    return undefined;
  }
  const { owner, principal, state } = parsed.value;
  return typeof owner === "string" && isState(state)
    ? { owner, principal: typeof principal === "string" ? principal : undefined, state }
    : undefined;
}

function isState(value: unknown): value is SessionState {
  return isObject(value) && typeof value.revision === "string" && isObject(value.capabilities);
}

function toAudience(state: SessionState | undefined): ChangeAudience {
  // Before it says that it is ready, a client is told nothing [LIFE-008].
  return {
    lists: new Set<ListKind>(state?.initialized === true ? state.listChanges : []),
    uris: new Set(state?.subscriptions),
  };
}
