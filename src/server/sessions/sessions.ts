/** The sessions this process knows, each for as long as it lives. Whoever needs to hear of new ones is told. */
import { onAbort } from "../../base/abort.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { Session } from "../../revision/exchange.ts";
import type { Settings } from "../settings.ts";
import { LiveSession } from "./live-session.ts";

/** Hears of sessions coming and going. */
export interface SessionListener {
  /** One is seen for the first time: before its handshake, or afterwards where it began on another node. */
  opened(live: LiveSession): void;
  /** Its handshake has been made here; resolves once nothing is missed that concerns it. */
  begun(live: LiveSession): Promise<void>;
  closed(live: LiveSession): void;
}

/** What tells sessions apart: what one user started is not found by another who knows the id [ELIC-030]. */
export function toSessionKey({ id, auth }: Pick<Session, "id" | "auth">): string {
  return `${id} ${toPrincipalKey(auth) ?? ""}`;
}

/** See the head of this file. */
export class Sessions implements Iterable<LiveSession> {
  readonly #settings: Settings;
  readonly #listeners: readonly SessionListener[];
  readonly #byKey = new Map<string, LiveSession>();

  constructor(settings: Settings, listeners: readonly SessionListener[]) {
    this.#settings = settings;
    this.#listeners = listeners;
  }

  /** How many there are. */
  get size(): number {
    return this.#byKey.size;
  }

  /** What is known of a session; made when it is first seen, forgotten when its signal aborts. */
  of(session: Session): LiveSession {
    const key = toSessionKey(session);
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.renew(session);
      return known;
    }
    const live = new LiveSession(session, this.#settings);
    if (!session.signal.aborted) {
      this.#byKey.set(key, live);
      this.#tell((listener) => listener.opened(live));
      onAbort(session.signal, () => {
        this.#byKey.delete(key);
        this.#tell((listener) => listener.closed(live));
      });
    }
    return live;
  }

  /** The handshake of a session has been made. Resolves once everybody is ready for it. */
  async begun(live: LiveSession): Promise<void> {
    if (!live.signal.aborted) {
      await Promise.all(this.#listeners.map((listener) => listener.begun(live)));
    }
  }

  #tell(event: (listener: SessionListener) => void): void {
    for (const listener of this.#listeners) {
      event(listener);
    }
  }

  [Symbol.iterator](): Iterator<LiveSession> {
    return this.#byKey.values();
  }
}
