/**
 * A pipe as the link of a client: a `Peer`, and what the stateless revisions ask for on a pipe.
 *
 * There, nothing is ever answered by the client, and what belongs to a subscription is told apart by the id of the
 * request that opened it. Specification: Basic > Transports > stdio; Basic > Utilities > Subscriptions.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import type { McpError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import type { Call, Channel, Dispatcher, Link, LinkRequestOptions } from "../../jsonrpc/link.ts";
import { isRequestId, type JsonObject, type JsonRpcMessage, type JsonRpcNotification } from "../../jsonrpc/message.ts";
import { Peer } from "../../jsonrpc/peer.ts";
import { cancelledMethod, mcpCancellation } from "../../protocol/cancellation.ts";
import { readMeta } from "../../protocol/meta.ts";
import type { McpContext } from "../../revision/exchange.ts";
import type { Revision } from "../../revision/revision.ts";

/** The request that opens a subscription. */
export const listenMethod = "subscriptions/listen";

/** Key of `_meta` that names the subscription a notification belongs to. */
const subscriptionIdKey = "io.modelcontextprotocol/subscriptionId";

type OnRelated = LinkRequestOptions["onRelated"];

/** A subscription that is being opened. */
interface Opening {
  readonly onRelated: OnRelated;
  id?: unknown;
}

/** See the head of this file. */
export class PipeLink implements Link<McpContext> {
  readonly closed: Promise<McpError | undefined>;
  readonly #peer: Peer<McpContext>;
  readonly #revision: () => Revision;
  readonly #onDiagnostic: OnDiagnostic | undefined;
  /** What hears of each subscription, by the id of the request that opened it. */
  readonly #listening = new Map<unknown, OnRelated>();
  /** Subscriptions that the server has ended by a notification, whose closing results come too late. */
  readonly #ended = new Set<unknown>();
  /** Set while a request is handed to the peer, which writes it at once: so its id becomes known. */
  #opening: Opening | undefined;

  /** @param revision - what is spoken at the moment */
  constructor(channel: Channel, revision: () => Revision, onDiagnostic: OnDiagnostic | undefined) {
    this.#revision = revision;
    this.#onDiagnostic = onDiagnostic;
    this.#peer = new Peer<McpContext>(this.#between(channel), {
      createContext: () => ({ revision: revision(), session: undefined, auth: undefined, http: undefined }),
      acceptsBatches: () => revision().traits.batching,
      cancellation: mcpCancellation,
      onDiagnostic,
    });
    this.closed = this.#peer.closed;
  }

  start(dispatcher: Dispatcher<McpContext>): Promise<void> {
    return this.#peer.start(dispatcher);
  }

  request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    if (call.method !== listenMethod) {
      return this.#peer.request(call, options);
    }
    const opening: Opening = { onRelated: options.onRelated };
    this.#opening = opening;
    const answer = this.#peer.request(call, options);
    this.#opening = undefined;
    return answer.finally(() => this.#listening.delete(opening.id));
  }

  notify(call: Call): Promise<void> {
    return this.#peer.notify(call);
  }

  close(): Promise<void> {
    return this.#peer.close();
  }

  /** The channel as the peer sees it. */
  #between(channel: Channel): Channel {
    return {
      open: (receiver) =>
        channel.open({
          message: (value) => {
            const passed = this.#receive(value);
            if (passed !== undefined) {
              receiver.message(passed);
            }
          },
          malformed: (problem) => receiver.malformed(problem),
          closed: (fault) => receiver.closed(fault),
        }),
      send: (message) => (this.#mayLeave(message) ? channel.send(message) : undefined),
      close: () => channel.close(),
    };
  }

  /** Answers of any kind stay here where servers do not ask [M-BASE-002]. */
  #mayLeave(message: JsonRpcMessage): boolean {
    if (!("method" in message)) {
      return this.#revision().traits.serverRequests;
    }
    if ("id" in message && this.#opening !== undefined) {
      this.#opening.id = message.id;
      this.#listening.set(message.id, this.#opening.onRelated);
    }
    return true;
  }

  /** What the peer is to see of an inbound value; nothing where it has been dealt with. */
  #receive(value: unknown): unknown {
    if (!isObject(value) || this.#revision().traits.serverRequests) {
      return value;
    }
    if ("id" in value && !("method" in value)) {
      return this.#ended.delete(value.id) ? undefined : value;
    }
    const params = isObject(value.params) ? value.params : undefined;
    if (typeof value.method !== "string" || "id" in value) {
      return value;
    }
    if (value.method === cancelledMethod) {
      return this.#end(params?.requestId);
    }
    const subscription = readMeta(params)?.[subscriptionIdKey];
    if (!isRequestId(subscription)) {
      return value;
    }
    this.#deliver(subscription, { jsonrpc: "2.0", method: value.method, ...(params && { params }) });
    return undefined;
  }

  /** The server ends subscriptions by a notification, a result, or both: one end in each case [M-CANCEL-003]. */
  #end(id: unknown): unknown {
    if (!this.#listening.has(id)) {
      this.#report("MCP_D_CANCEL_UNKNOWN", `a cancellation of ${JSON.stringify(id)}, which is no open subscription`);
      return undefined;
    }
    this.#ended.add(id);
    return { jsonrpc: "2.0", id, result: { resultType: "complete", _meta: { [subscriptionIdKey]: id } } };
  }

  /** Only to whoever opened the subscription [M-STDIO-001]. */
  #deliver(id: unknown, notification: JsonRpcNotification): void {
    const onRelated = this.#listening.get(id);
    if (onRelated === undefined) {
      const what = `${notification.method} was dropped: no subscription ${JSON.stringify(id)} is open`;
      this.#report("MCP_D_SUBSCRIPTION_UNKNOWN", what);
    } else {
      onRelated(notification);
    }
  }

  #report(code: string, message: string): void {
    this.#onDiagnostic?.({ code, message });
  }
}
