/**
 * The definition of a client: who it is and what it serves. It opens any number of sessions, each on its own.
 *
 * Holds nothing of a session but the way to reach it while it is open.
 */
import { UsageError } from "../base/error.ts";
import { Lru } from "../base/lru.ts";
import type { ClientCapabilities } from "../protocol/types/lifecycle.ts";
import type { Implementation } from "../protocol/types/metadata.ts";
import type { Root } from "../protocol/types/roots.ts";
import { assertRoots, type RootsProvider } from "./answering/roots.ts";
import {
  type ClientOptions,
  type ClientSettings,
  replaceFeatures,
  resolveClientOptions,
  type ServedFeatures,
} from "./options.ts";
import type { Connection } from "./requests/connection.ts";
import { type ConnectOptions, openSession } from "./sessions/connect.ts";
import type { ConnectTarget } from "./sessions/link-source.ts";
import type { ClientSession } from "./sessions/session.ts";

const rootsChangedMethod = "notifications/roots/list_changed";

/** Servers whose revision is remembered at once. */
const maxRemembered = 1_000;

/**
 * A client, made by {@link defineClient}.
 *
 * @example
 * ```ts
 * import type { Client } from "parley-mcp/client";
 * import { createHttpLink } from "parley-mcp/http/client";
 *
 * export async function checkServer(client: Client): Promise<void> {
 *   const session = await client.connect(createHttpLink("https://example.com/mcp"));
 *   await session.ping().finally(() => session.close());
 * }
 * ```
 */
export class Client {
  readonly #settings: ClientSettings;
  readonly #open = new Set<Connection>();
  /** What was agreed on with each server that has a name, so that it is asked first the next time [M-VER-009]. */
  readonly #revisions = new Lru<string>(maxRemembered);
  #rootsNoticeDue = false;

  constructor(options: ClientOptions) {
    this.#settings = resolveClientOptions(options);
  }

  /** What the client says about itself. */
  get info(): Implementation {
    return this.#settings.identity.info;
  }

  /** What it announces, which follows from its handlers. */
  get capabilities(): ClientCapabilities {
    return this.#settings.identity.capabilities;
  }

  /**
   * Opens a session: starts the link and agrees on a revision. Specification: Basic > Versioning; Basic > Lifecycle.
   *
   * @param target - a link, a channel such as one end of a memory pair, or a function that gives a new one each time,
   * for servers that end on a question they do not know; the session owns what it gets
   * @throws {@link TimeoutError} after `connectTimeoutMs`; {@link UnsupportedRevisionError} without a common revision;
   * the signal's reason; what the link throws. The message tells what was tried; everything opened has been closed.
   */
  async connect<App = unknown>(target: ConnectTarget, options: ConnectOptions = {}): Promise<ClientSession<App>> {
    const { server } = options;
    const { negotiated = server === undefined ? undefined : this.#revisions.get(server) } = options;
    const remember = (revision: string): void => {
      if (server !== undefined) {
        this.#revisions.set(server, revision);
      }
      options.onNegotiated?.(revision);
    };
    const asked = { ...options, negotiated, onNegotiated: remember };
    const { session, connection } = await openSession<App>(this.#settings, target, asked);
    this.#open.add(connection);
    void connection.closed.then(() => this.#open.delete(connection));
    return session;
  }

  /**
   * Puts other handlers in place of those for sampling, elicitation or roots; what is not given stays. Servers hear of
   * it with the next request where each stands for itself, and otherwise when a session is opened [M-META-006].
   *
   * @throws {@link UsageError} for what contradicts itself
   */
  serve(features: ServedFeatures): void {
    replaceFeatures(this.#settings, features);
  }

  /**
   * Replaces the roots and tells every server once, however often this is called in one turn [ROOT-004].
   *
   * @throws {@link UsageError} when the client was defined without roots, or for a root that must not be exposed
   */
  setRoots(list: readonly Root[] | RootsProvider): void {
    const { roots } = this.#settings;
    if (roots === undefined) {
      throw new UsageError(
        "setRoots: expected a client defined with roots; servers were never told that there are any",
      );
    }
    assertRoots(list);
    roots.list = list;
    this.announceRoots();
  }

  /** Tells every server once that the roots have changed, as when a provider gives others now. */
  announceRoots(): void {
    if (this.#settings.roots?.listChanged !== true || this.#rootsNoticeDue) {
      return;
    }
    this.#rootsNoticeDue = true;
    queueMicrotask(() => {
      this.#rootsNoticeDue = false;
      for (const connection of this.#open) {
        if (!connection.revision.has(rootsChangedMethod, "server")) {
          continue;
        }
        connection.notify(rootsChangedMethod).catch((error: unknown) => {
          connection.report("MCP_D_NOTICE_UNSENT", "a server was not told of changed roots", error);
        });
      }
    });
  }
}

/**
 * Defines a client. Nothing is opened and nothing runs until `connect`.
 *
 * @param options - name, version, and handlers for what servers may ask; what it announces follows from them
 * @throws {@link UsageError} for options that contradict themselves
 * @example
 * ```ts
 * import { defineClient } from "parley-mcp/client";
 *
 * export const client = defineClient({
 *   name: "host",
 *   version: "1.0.0",
 *   roots: [{ uri: "file:///users/me/project", name: "project" }],
 *   elicitation: {
 *     form: ({ defaults }) => ({ action: "accept", content: defaults }),
 *   },
 * });
 * ```
 */
export function defineClient(options: ClientOptions): Client {
  return new Client(options);
}
