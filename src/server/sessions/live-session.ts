/**
 * What the server knows of one peer while the process lives: its state, its requests, its share of logs, its roots.
 *
 * What must outlive the process is `SessionState`, kept by the edge. Notifications and requests sent from here belong
 * to no request of the client; handlers use their context instead, which binds what they send.
 */
import { raceAbort } from "../../base/abort.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { Outgoing, type RequestOptions } from "../../protocol/outgoing.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Implementation } from "../../protocol/types/metadata.ts";
import type { Session, SessionState } from "../../revision/exchange.ts";
import { findHandshake } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { type Askable, askRaw } from "../asking/input.ts";
import { RootsCache } from "../asking/roots-cache.ts";
import { createLog, type Log } from "../logging/log.ts";
import type { LogShare } from "../logging/logging.ts";
import type { Settings } from "../settings.ts";

/** See the head of this file. */
export class LiveSession implements Askable {
  readonly roots = new RootsCache(() => this.#session.state?.rootsChanges ?? 0);
  readonly #settings: Settings;
  #session: Session;
  #revision: Revision | undefined;
  #outgoing: Outgoing | undefined;
  #logShare: LogShare | undefined;
  #initialized: Deferred<void> | undefined;

  constructor(session: Session, settings: Settings) {
    this.#session = session;
    this.#settings = settings;
  }

  get id(): string {
    return this.#session.id;
  }

  get state(): SessionState | undefined {
    return this.#session.state;
  }

  get clientInfo(): Implementation | undefined {
    return this.#session.state?.clientInfo;
  }

  get capabilities(): ClientCapabilities {
    return this.#session.state?.capabilities ?? {};
  }

  get revision(): string | undefined {
    return this.#session.state?.revision;
  }

  get auth(): AuthInfo | undefined {
    return this.#session.auth;
  }

  get signal(): AbortSignal {
    return this.#session.signal;
  }

  get log(): Log {
    return createLog((entry) => {
      if (this.#session.state === undefined) {
        // Whoever has not shaken hands may never do so, and then must not be sent what it did not ask for.
        return;
      }
      this.#settings.logs?.write(
        {
          level: this.#session.state?.logLevel,
          share: this.logShare,
          send: ({ method, params }) => this.#settings.forget(this.notify(method, params)),
        },
        entry,
      );
    });
  }

  /** Requests of this session that wait for the client. */
  get outgoing(): Outgoing {
    this.#outgoing ??= new Outgoing(this.#settings.outgoing);
    return this.#outgoing;
  }

  get logShare(): LogShare {
    this.#logShare ??= this.#settings.createLogShare();
    return this.#logShare;
  }

  /** The revision as an object; `undefined` before the handshake. */
  get #spoken(): Revision | undefined {
    const id = this.revision;
    if (id !== undefined && this.#revision?.id !== id) {
      this.#revision = findHandshake(id);
    }
    return this.#revision;
  }

  /** Whether its edge tells the client of changes by itself. */
  get hearsChanges(): boolean {
    return this.#session.hearsChanges;
  }

  /** Takes the edge's newest object for the same session. What the client said to another node holds here too. */
  renew(session: Session): void {
    this.#session = session;
    this.#release();
  }

  /**
   * Keeps the state that the handshake made.
   *
   * @throws RpcError where it was made before; the session stays as it is [LIFE-011]
   */
  begin(state: SessionState): Promise<void> {
    return this.#session.update((known) => {
      if (known !== undefined) {
        throw new RpcError(rpcCodes.invalidRequest, "the session is initialized already; open another one");
      }
      return state;
    });
  }

  /** Changes the state; kept by the edge when this resolves. Before the handshake there is nothing to change. */
  async update(change: (state: SessionState) => SessionState): Promise<void> {
    const { state } = this.#session;
    if (state !== undefined) {
      await this.#session.update((newest = state) => change(newest));
    }
  }

  /** The client is ready to be asked. */
  async setInitialized(): Promise<void> {
    await this.update((state) => ({ ...state, initialized: true }));
    this.#release();
  }

  /** Resolves once the client may be asked: nothing but pings and logs go out before [LIFE-008]. */
  async whenInitialized(signal: AbortSignal | undefined): Promise<void> {
    if (this.#session.state?.initialized !== true) {
      this.#initialized ??= createDeferred();
      await raceAbort(this.#initialized.promise, signal);
    }
  }

  async notify(method: string, params?: JsonObject): Promise<void> {
    const revision = this.#spoken;
    if (revision?.has(method, "client") === false && method.startsWith("notifications/")) {
      this.#settings.onDiagnostic({ code: "MCP_D_UNKNOWN_TO_PEER", message: `${method} is no part of ${revision.id}` });
      return;
    }
    await this.#session.notify({ method, params: revision?.encodeParams(method, params) ?? params });
  }

  request(method: string, params?: JsonObject, options: RequestOptions = {}): Promise<JsonObject> {
    const session = this.#session;
    const target = {
      live: this,
      revision: this.#spoken,
      capabilities: this.capabilities,
      rounds: undefined,
      signal: session.signal,
      send: session.request.bind(session),
    };
    return askRaw(target, { method, params }, options);
  }

  async ping(options: RequestOptions = {}): Promise<void> {
    await this.request("ping", undefined, options);
  }

  /** Lets go whoever waits for a client that is ready by now. */
  #release(): void {
    if (this.#session.state?.initialized === true) {
      this.#initialized?.resolve();
    }
  }
}
