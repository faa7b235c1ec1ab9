/**
 * Streams of changes: a request stays open, what it asked for is sent on it, and its answer ends it.
 *
 * Who gets what is the fan-out's, for streams and sessions alike: subscriptions.ts. A stream ends when its request is
 * aborted, by whichever side: the answer is then given to the edge, which sends it where there is anybody to read it.
 * Specification: Basic > Message Patterns > Subscriptions.
 */
import { onAbort } from "../../base/abort.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import { type ListKind, listKinds } from "../../protocol/changes.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { withMeta } from "../../protocol/meta.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { SubscriptionFilter, SubscriptionsListenRequestParams } from "../../protocol/types/subscriptions.ts";
import type { Resources } from "../features/resources.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { isRpcError } from "../requests/sent-error.ts";
import type { Announcement } from "../sessions/announcement.ts";
import type { Settings } from "../settings.ts";
import type { ServerTasks } from "../tasks/server-tasks.ts";
import type { ChangeStream, Subscriptions } from "./subscriptions.ts";

/** The parts of a server that streams need. */
export interface ListeningHost {
  readonly announcement: Announcement;
  readonly resources: Resources;
  readonly subscriptions: Subscriptions;
  readonly tasks: ServerTasks;
}

const subscriptionIdKey = "io.modelcontextprotocol/subscriptionId";

/** The members of a filter, by the list they are about. */
const listMembers = {
  tools: "toolsListChanged",
  prompts: "promptsListChanged",
  resources: "resourcesListChanged",
} as const satisfies { readonly [Kind in ListKind]: keyof SubscriptionFilter };

/** See the head of this file. */
export class Listening {
  readonly #settings: Settings;
  readonly #host: ListeningHost;
  /** Open streams by caller. */
  readonly #counts = new Map<string, number>();
  readonly #open = new Set<Deferred<void>>();

  constructor(settings: Settings, host: ListeningHost) {
    this.#settings = settings;
    this.#host = host;
  }

  /**
   * Answers `subscriptions/listen` when the stream ends [M-SUB-012].
   *
   * @throws RpcError for more streams or resources than a caller may have [M-SUB-016]
   */
  async listen({ notifications }: SubscriptionsListenRequestParams, ctx: RequestContext): Promise<JsonObject> {
    const { maxStreams } = this.#settings.limits;
    const caller = toPrincipalKey(ctx.auth) ?? "";
    const count = this.#counts.get(caller) ?? 0;
    if (count >= maxStreams) {
      throw new RpcError(rpcCodes.internalError, `expected at most ${maxStreams} streams of changes; close one first`);
    }
    this.#counts.set(caller, count + 1);
    try {
      await this.#serve(notifications, ctx);
    } finally {
      const left = (this.#counts.get(caller) ?? 1) - 1;
      if (left === 0) {
        this.#counts.delete(caller);
      } else {
        this.#counts.set(caller, left);
      }
    }
    return withMeta({}, subscriptionIdKey, ctx.scope.id);
  }

  /** Ends all streams; their requests are answered. */
  end(): void {
    for (const ended of this.#open) {
      ended.resolve();
    }
  }

  async #serve(asked: SubscriptionFilter, ctx: RequestContext): Promise<void> {
    const ended = createDeferred();
    const release = onAbort(ctx.signal, () => ended.resolve());
    this.#open.add(ended);
    const { ready, leave } = this.#host.subscriptions.join();
    try {
      const [honoured] = await Promise.all([this.#honour(asked, ctx), ready]);
      if (ctx.signal.aborted) {
        return;
      }
      const stream = toStream(honoured, ctx);
      const acknowledged = stream.notify("notifications/subscriptions/acknowledged", { notifications: honoured });
      // From here on nothing is missed; what is sent now is sent behind the acknowledgement [M-SUB-003].
      const stop = this.#host.subscriptions.addStream(stream);
      let stopTasks: (() => void) | undefined;
      try {
        await acknowledged;
        stopTasks = await this.#host.tasks.streams.follow(honoured.taskIds ?? [], ctx, (state) =>
          this.#settings.forget(stream.notify("notifications/tasks", state)),
        );
        await ended.promise;
      } finally {
        stop();
        stopTasks?.();
      }
    } finally {
      leave();
      release();
      this.#open.delete(ended);
    }
  }

  /** What of a filter this server sends to this caller [M-SUB-005]. */
  async #honour(asked: SubscriptionFilter, ctx: RequestContext): Promise<SubscriptionFilter> {
    const { context } = ctx.scope.exchange;
    const capabilities = this.#host.announcement.toCapabilities(true, context.revision, context);
    const honoured: SubscriptionFilter = {};
    for (const kind of listKinds) {
      const member = listMembers[kind];
      if (asked[member] === true && capabilities[kind]?.listChanged === true) {
        honoured[member] = true;
      }
    }
    if (asked.resourceSubscriptions !== undefined && capabilities.resources?.subscribe === true) {
      honoured.resourceSubscriptions = await this.#readable(asked.resourceSubscriptions, ctx);
    }
    if (asked.taskIds !== undefined && this.#host.tasks.isOffered) {
      honoured.taskIds = await this.#host.tasks.streams.honour(asked.taskIds, ctx);
    }
    return honoured;
  }

  /** The URIs that this caller may read, each once. */
  async #readable(uris: readonly string[], ctx: RequestContext): Promise<string[]> {
    const { maxSubscriptions } = this.#settings.limits;
    if (uris.length > maxSubscriptions) {
      throw new InvalidParamsError(
        `params.notifications.resourceSubscriptions: expected at most ${maxSubscriptions} URIs, got ${uris.length}`,
      );
    }
    const readable: string[] = [];
    for (const uri of new Set(uris)) {
      try {
        await this.#host.resources.find(uri, ctx);
        readable.push(uri);
      } catch (error) {
        if (!isRpcError(error)) {
          this.#settings.onError(error, { method: "subscriptions/listen" });
        }
      }
    }
    return readable;
  }
}

/** Everything on a stream names the request that opened it, with its type [M-SUB-007]. */
function toStream(filter: SubscriptionFilter, ctx: RequestContext): ChangeStream {
  const id: RequestId | undefined = ctx.scope.id;
  return {
    lists: new Set(listKinds.filter((kind) => filter[listMembers[kind]] === true)),
    uris: new Set(filter.resourceSubscriptions),
    notify: (method, params) => ctx.notify(method, withMeta(params, subscriptionIdKey, id)),
  };
}
