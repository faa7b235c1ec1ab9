/**
 * The elicitations by URL that are open: kept in the store, because the page may call back on any node, with the session
 * each belongs to. Whichever node has that session tells its client.
 *
 * A session's client is told by one node, once; where no node has the session any more, by none.
 * Specification: Client > Elicitation > URL Mode.
 */
import { UsageError } from "../../base/error.ts";
import { isObject, parseJson } from "../../base/json.ts";
import { hasClientCapability } from "../../protocol/capabilities.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import type { BusListener } from "../../store/contracts.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import type { ServerSession } from "../sessions/session.ts";
import { type SessionListener, toSessionKey } from "../sessions/sessions.ts";
import type { Settings } from "../settings.ts";

/** How many a session may have open on one node before its oldest is forgotten, and for how long one is kept. */
const maxOpen = 1_000;
const ttlMs = 86_400_000;

/** Where nodes tell each other which elicitation is complete. */
const topic = "elicitations";

/** See the head of this file. */
export class OpenElicitations implements SessionListener, BusListener {
  readonly #settings: Settings;
  /** The sessions of this node whose clients can be told, and what was opened here for each. */
  readonly #sessions = new Map<string, { readonly live: LiveSession; readonly opened: Set<string> }>();
  #listening: Promise<(() => void) | undefined> | undefined;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  opened(live: LiveSession): void {
    if (hasClientCapability(live.capabilities, "elicitation.url")) {
      this.#sessions.set(toSessionKey(live), { live, opened: new Set() });
      this.#listening ??= this.#listen();
    }
  }

  async begun(live: LiveSession): Promise<void> {
    this.opened(live);
  }

  closed(live: LiveSession): void {
    const key = toSessionKey(live);
    const opened = this.#sessions.get(key)?.opened ?? [];
    // A session that is only left by this node goes on elsewhere.
    if (!live.hearsChanges || live.signal.reason instanceof SessionExpiredError) {
      for (const id of opened) {
        this.#settings.forget(this.remove(id));
      }
    }
    this.#sessions.delete(key);
    if (this.#sessions.size === 0) {
      void this.#listening?.then((stop) => stop?.());
      this.#listening = undefined;
    }
  }

  /**
   * Keeps an elicitation as one of a session.
   *
   * @throws UsageError for an id that is another session's [ELIC-018]
   */
  async add(id: string, session: ServerSession): Promise<void> {
    const { store } = this.#settings;
    const owner = toSessionKey(session);
    if (this.#sessions.size > 0) {
      this.#listening ??= this.#listen();
    }
    await this.#listening;
    for (;;) {
      const stored = await store.get(toStoreKey(id));
      if (stored !== undefined && stored.value !== owner) {
        throw new UsageError(`elicitation ${JSON.stringify(id)} belongs to another session; ids must differ`);
      }
      if ((await store.set(toStoreKey(id), owner, { ttlMs, ifVersion: stored?.version ?? null })) !== undefined) {
        break;
      }
    }
    await this.#remember(id, owner);
  }

  /** Forgets an elicitation; true for the first who does. */
  remove(id: string): Promise<boolean> {
    return this.#settings.store.delete(toStoreKey(id));
  }

  /**
   * Tells the client that owns an elicitation, and no other, that it is complete [ELIC-025].
   *
   * @returns false where none is open under this id
   */
  async complete(id: string): Promise<boolean> {
    const { store } = this.#settings;
    const stored = await store.get(toStoreKey(id));
    if (stored === undefined) {
      return false;
    }
    const owner = this.#sessions.get(stored.value)?.live;
    if (owner !== undefined) {
      return this.#tell(id, owner);
    }
    await store.publish(topic, JSON.stringify({ id, owner: stored.value }));
    return true;
  }

  message(text: string): void {
    const parsed = parseJson(text, 4);
    const { id, owner } = parsed.ok && isObject(parsed.value) ? parsed.value : {};
    const live = typeof owner === "string" ? this.#sessions.get(owner)?.live : undefined;
    if (typeof id === "string" && live !== undefined) {
      this.#settings.forget(this.#tell(id, live));
    }
  }

  missed(): void {
    const message = "completions of elicitations may have been missed; clients go on when their person says so";
    this.#settings.onDiagnostic({ code: "MCP_D_ELICITATION_COMPLETE", message });
  }

  async #tell(elicitationId: string, live: LiveSession): Promise<boolean> {
    if (!(await this.remove(elicitationId))) {
      return false;
    }
    this.#sessions.get(toSessionKey(live))?.opened.delete(elicitationId);
    await live.notify("notifications/elicitation/complete", { elicitationId });
    return true;
  }

  async #remember(id: string, owner: string): Promise<void> {
    const opened = this.#sessions.get(owner)?.opened;
    if (opened === undefined) {
      // The session ended meanwhile.
      await this.remove(id);
      return;
    }
    opened.add(id);
    const [oldest] = opened;
    if (opened.size > maxOpen && oldest !== undefined) {
      opened.delete(oldest);
      await this.remove(oldest);
    }
  }

  async #listen(): Promise<(() => void) | undefined> {
    try {
      return await this.#settings.store.subscribe(topic, this);
    } catch (detail) {
      this.#listening = undefined;
      const message = "completions of elicitations that other nodes hear of cannot be told for now";
      this.#settings.onDiagnostic({ code: "MCP_D_STORE_FAILED", message, detail });
      return undefined;
    }
  }
}

function toStoreKey(id: string): string {
  return `elicitation/${id}`;
}
