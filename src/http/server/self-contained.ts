/**
 * Messages that say everything about themselves: their headers checked against their body, then served without regard
 * to any session.
 *
 * How they are told from those of the handshake revisions is classify.ts.
 * Specification: Basic > Transports > Streamable HTTP; Basic > Versioning > Backward compatibility [M-VER-005].
 */
import { isObject } from "../../base/json.ts";
import type { Classified, JsonRpcErrorObject, JsonRpcNotification, JsonRpcRequest } from "../../jsonrpc/message.ts";
import { readEnvelope } from "../../protocol/envelope.ts";
import { mcpCodes } from "../../protocol/errors.ts";
import { trimHeaderValue } from "../../protocol/header-value.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { latestStateless } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import type { ServedRevisions } from "../../revision/served.ts";
import { headerNames } from "../headers.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { checkStandardHeaders } from "../standard-headers.ts";
import { createRefusal } from "../status.ts";
import { createContext } from "./context.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { StatelessHost } from "./stateless.ts";
import { listenMethod } from "./subscription.ts";
import { SubscriptionTable } from "./subscription-table.ts";

/** Serves such messages. One is enough for a handler. */
export class SelfContained {
  readonly #host: StatelessHost;
  readonly #subscriptions: SubscriptionTable;
  readonly #served: ServedRevisions;
  /** The ids of those whose messages say everything about themselves. */
  readonly #supported: readonly string[];

  constructor(runtime: HttpRuntime, host: StatelessHost) {
    this.#host = host;
    this.#subscriptions = new SubscriptionTable(runtime, host.streams);
    this.#served = runtime.options.revisions;
    this.#supported = this.#served.stateless.map(({ id }) => id);
  }

  /** Serves one, or refuses it with status 400 and its id [M-HTTP-019] [M-ERR-012]. */
  serve(
    message: JsonRpcRequest | JsonRpcNotification,
    request: HttpRequest,
    auth: AuthInfo | undefined,
  ): Promise<HttpReply> | HttpReply {
    const envelope = readEnvelope(message.params);
    const header = (name: string): string | undefined => request.header(name);
    const fault = checkStandardHeaders(message, { header, envelope, supported: this.#supported });
    if (fault !== undefined) {
      return this.#refuse(message, fault);
    }
    const named = envelope.ok
      ? envelope.envelope.protocolVersion
      : trimHeaderValue(header(headerNames.protocolVersion) ?? "");
    const revision = this.#find(named);
    const context = { ...createContext(request, this.#served, { revision, auth }), envelope };
    if ("id" in message && message.method === listenMethod && revision.has(listenMethod, "server")) {
      return this.#subscriptions.open(message, request, context);
    }
    const entry: Classified = "id" in message ? { kind: "request", message } : { kind: "notification", message };
    return this.#host.serve({ kind: "entries", entries: [entry], isBatch: false }, request, context);
  }

  /** Ends the subscriptions; other requests are the host's. */
  close(reason: unknown, reply: TextReply): void {
    this.#subscriptions.close(reason, reply);
  }

  /** What a notification says about itself is not checked, so that it may name none of them. */
  #find(id: string): Revision {
    const { stateless } = this.#served;
    return stateless.find((revision) => revision.id === id) ?? stateless[0] ?? latestStateless;
  }

  #refuse(message: JsonRpcRequest | JsonRpcNotification, fault: JsonRpcErrorObject): TextReply {
    const { code, message: problem, data } = fault;
    const id = "id" in message ? message.id : undefined;
    const namesServed = code === mcpCodes.unsupportedProtocolVersion || message.method === "initialize";
    // A client that begins with a handshake learns from any refusal what is spoken here [M-VER-008].
    return namesServed
      ? createRefusal("badRevision", `${problem}; this server speaks ${this.#served.ids.join(", ")}`, {
          id,
          code,
          data: { ...(isObject(data) ? data : undefined), supported: this.#served.ids },
        })
      : createRefusal("invalidRequest", problem, { id, code, data });
  }
}
