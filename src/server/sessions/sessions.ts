/** The sessions this process knows, each for as long as it lives. Whoever needs to hear of new ones is told. */
import { onAbort } from "../../base/abort.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { Session } from "../../revision/exchange.ts";
import type { Settings } from "../settings.ts";
import { LiveSession } from "./live-session.ts";

/** Hears of sessions coming and going. */
export interface SessionListener {
  opened(live: LiveSession): void;
  closed(live: LiveSession): void;
}

/** See the head of this file. */
export class Sessions implements Iterable<LiveSession> {
  readonly #settings: Settings;
  readonly #listener: SessionListener;
  /** By id and user: what one user started is not found by another who knows the id [ELIC-030]. */
  readonly #byKey = new Map<string, LiveSession>();

  constructor(settings: Settings, listener: SessionListener) {
    this.#settings = settings;
    this.#listener = listener;
  }

  /** How many there are. */
  get size(): number {
    return this.#byKey.size;
  }

  /** What is known of a session; made when it is first seen, forgotten when its signal aborts. */
  of(session: Session): LiveSession {
    const key = `${session.id} ${toPrincipalKey(session.auth) ?? ""}`;
    const known = this.#byKey.get(key);
    if (known !== undefined) {
      known.renew(session);
      return known;
    }
    const live = new LiveSession(session, this.#settings);
    if (!session.signal.aborted) {
      this.#byKey.set(key, live);
      this.#listener.opened(live);
      onAbort(session.signal, () => {
        this.#byKey.delete(key);
        this.#listener.closed(live);
      });
    }
    return live;
  }

  [Symbol.iterator](): Iterator<LiveSession> {
    return this.#byKey.values();
  }
}
