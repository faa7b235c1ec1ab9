/**
 * The one way in: decode by the message's revision, check, run the layers and the handler, encode.
 *
 * Never rejects: what is thrown becomes an error response, and only an RpcError keeps its words. Stays in this turn of
 * the event loop as long as handlers do.
 */
import { isAbortOf } from "../../base/abort.ts";
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import {
  createErrorResponse,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from "../../jsonrpc/message.ts";
import { InvalidParamsError, MethodNotFoundError, type UrlElicitationRequiredError } from "../../protocol/errors.ts";
import { withMeta } from "../../protocol/meta.ts";
import { checkParams } from "../../protocol/params.ts";
import type { McpExchange } from "../../revision/exchange.ts";
import type { Revision } from "../../revision/revision.ts";
import { toFailure } from "../features/tool-result.ts";
import { attempt, type MaybePromise, whenDone } from "../maybe.ts";
import { compose, type Middleware, type Next, type ServerMessage } from "../middleware.ts";
import type { Announcement } from "../sessions/announcement.ts";
import { assertStarted } from "../sessions/lifecycle.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { RequestContext } from "./request-context.ts";
import { RequestScope, type ScopeHost } from "./request-scope.ts";
import { isRpcError, isUrlRequired, toSentError } from "./sent-error.ts";
import { assertEnvelope } from "./stateless.ts";

/** Answers a method. */
export type RequestHandler = (params: never, ctx: RequestContext) => MaybePromise<JsonObject>;

/** Takes note of a notification. */
export type NotificationHandler = (params: never, ctx: RequestContext) => MaybePromise<void>;

/** What dispatching needs of its server. */
export interface DispatchHost extends ScopeHost {
  readonly sessions: Sessions;
  readonly announcement: Announcement;
  readonly tasks: { touch(): void };
  /** By method; those of the protocol exist as far as the revision and the announcement have them. */
  readonly requests: ReadonlyMap<string, RequestHandler>;
  /** What the protocol's own notifications do, before anything else sees them. */
  readonly notifications: ReadonlyMap<string, NotificationHandler>;
  /** What the author does with notifications. */
  readonly listeners: ReadonlyMap<string, NotificationHandler>;
  /** Requests beside the protocol's. */
  readonly custom: ReadonlySet<string>;
  readonly middleware: readonly Middleware<never>[];
  /** Makes `ctx.value`. */
  readonly createValue:
    | ((ctx: RequestContext, method: string, params: JsonObject) => MaybePromise<unknown>)
    | undefined;
}

const serverInfoKey = "io.modelcontextprotocol/serverInfo";

/** Methods whose results are kept, so that what is made of them for an older revision is worth keeping too. */
const listMethods: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "tools/list",
  "resources/list",
  "resources/templates/list",
  "prompts/list",
]);

/** See the head of this file. */
export class Dispatch {
  readonly #host: DispatchHost;
  readonly #run: Next;
  readonly #encodedLists = new WeakMap<JsonObject, Map<Revision, JsonObject>>();

  constructor(host: DispatchHost) {
    this.#host = host;
    const handle: Next = (message, ctx) => {
      if (!(ctx instanceof RequestContext)) {
        throw new UsageError("middleware: expected the ctx that was given to be passed on, got another object");
      }
      return this.#handle(message, ctx);
    };
    this.#run = compose(host.middleware, handle);
  }

  /** Answers a request; gives nothing for a notification. */
  dispatch(message: JsonRpcRequest | JsonRpcNotification, exchange: McpExchange): Promise<JsonRpcResponse | undefined> {
    const { session } = exchange.context;
    const live = session === undefined ? undefined : this.#host.sessions.of(session);
    const ctx = new RequestContext(new RequestScope(this.#host, exchange, live, message));
    if (!("id" in message)) {
      return Promise.resolve(this.#notify(message, ctx)).then(() => undefined);
    }
    const { id, method } = message;
    const response = attempt<JsonRpcResponse>(
      () => {
        assertEnvelope(message, exchange.context);
        return whenDone(this.#answer(message, ctx), (result) => this.#respond(id, method, result, ctx));
      },
      (error) => {
        ctx.scope.finish();
        return this.#refuse(message, error, ctx);
      },
    );
    return Promise.resolve(response);
  }

  #answer({ method, params }: JsonRpcRequest, ctx: RequestContext): MaybePromise<JsonObject | undefined> {
    this.#host.tasks.touch();
    const { live, revision: spoken, canListen, rounds } = ctx.scope;
    assertStarted(method, live);
    const isCustom = this.#host.custom.has(method);
    const isKnown = isCustom || (spoken.has(method, "server") && this.#host.requests.has(method));
    if (!isKnown || !this.#host.announcement.offers(method, canListen, ctx.scope.exchange.context)) {
      return this.#runUnknown(method, params ?? {}, ctx);
    }
    const decoded = spoken.decodeParams(method, params);
    const problem = checkParams(method, decoded);
    if (problem !== undefined) {
      throw new InvalidParamsError(problem);
    }
    const run = (): MaybePromise<JsonObject | undefined> => this.#runLayers("request", method, decoded ?? {}, ctx);
    return rounds === undefined
      ? run()
      : rounds.run(() =>
          attempt(run, (error) => (isUrlRequired(error) ? this.#askPages(method, error, ctx) : rethrow(error))),
        );
  }

  /** Where the client is asked by rounds, pages that must be opened first are one of its questions. */
  async #askPages(method: string, error: UrlElicitationRequiredError, ctx: RequestContext): Promise<JsonObject> {
    await this.#host.urlElicitations.askUntilRefused(ctx.scope.target, error);
    const message = `${error.message}; it was not opened`;
    if (method === "tools/call") {
      return { ...toFailure(message) };
    }
    throw new RpcError(rpcCodes.internalError, message);
  }

  /** Layers see unknown methods too, and may answer them. */
  #runUnknown(method: string, params: JsonObject, ctx: RequestContext): MaybePromise<JsonObject | undefined> {
    if (this.#host.middleware.length === 0) {
      throw new MethodNotFoundError(method);
    }
    const problem = checkParams(method, params);
    if (problem !== undefined) {
      throw new MethodNotFoundError(method);
    }
    return this.#runLayers("request", method, params, ctx);
  }

  #runLayers(
    kind: ServerMessage["kind"],
    method: string,
    params: JsonObject,
    ctx: RequestContext,
  ): MaybePromise<JsonObject | undefined> {
    const message = { kind, method, params } as ServerMessage;
    const { createValue } = this.#host;
    if (createValue === undefined || method === "initialize" || method === "ping") {
      return this.#run(message, ctx);
    }
    return whenDone(createValue(ctx, method, params), (value) => {
      ctx.scope.value = value;
      return this.#run(message, ctx);
    });
  }

  #handle({ kind, method, params }: ServerMessage, ctx: RequestContext): MaybePromise<JsonObject | undefined> {
    if (kind === "notification") {
      return whenDone(this.#host.listeners.get(method)?.(params as never, ctx), () => undefined);
    }
    const handler = this.#host.requests.get(method);
    const isOffered =
      this.#host.custom.has(method) ||
      (ctx.scope.revision.has(method, "server") &&
        this.#host.announcement.offers(method, ctx.scope.canListen, ctx.scope.exchange.context));
    if (handler === undefined || !isOffered) {
      throw new MethodNotFoundError(method);
    }
    return handler(params as never, ctx);
  }

  #respond(
    id: JsonRpcRequest["id"],
    method: string,
    result: JsonObject | undefined,
    ctx: RequestContext,
  ): JsonRpcResponse {
    ctx.scope.finish();
    if (!isObject(result)) {
      throw new TypeError(`${method}: expected the handler to give an object, got ${typeof result}`);
    }
    if (result.resultType === "input_required" && ctx.scope.rounds === undefined) {
      throw new UsageError(`${method}: expected a result that answers, got one that asks, which is of no use here`);
    }
    return {
      jsonrpc: "2.0",
      id,
      result: method === "initialize" ? result : this.#encode(method, result, ctx.scope.revision),
    };
  }

  #encode(method: string, result: JsonObject, revision: Revision): JsonObject {
    const kept = listMethods.has(method) ? this.#encodedLists.get(result)?.get(revision) : undefined;
    if (kept !== undefined) {
      return kept;
    }
    const encoded = this.#sign(revision.encodeResult(method, result), revision);
    if (encoded !== result && listMethods.has(method)) {
      const byRevision = this.#encodedLists.get(result) ?? new Map<Revision, JsonObject>();
      this.#encodedLists.set(result, byRevision.set(revision, encoded));
    }
    return encoded;
  }

  /** Names the server in the result, where results are all that a client hears of it [M-META-009]. */
  #sign(result: JsonObject, { lifecycle }: Revision): JsonObject {
    const { info, sendServerInfo } = this.#host.settings;
    return lifecycle === "stateless" && sendServerInfo ? withMeta(result, serverInfoKey, info) : result;
  }

  async #refuse({ id, method }: JsonRpcRequest, error: unknown, ctx: RequestContext): Promise<JsonRpcResponse> {
    const { settings } = this.#host;
    if (isAbortOf(ctx.signal, error)) {
      return createErrorResponse(id, { code: rpcCodes.internalError, message: "the request was cancelled" });
    }
    try {
      const sent = isUrlRequired(error) ? await this.#host.urlElicitations.prepare(error, ctx.scope.live) : error;
      if (isUrlRequired(error) && sent === undefined) {
        const message = `${error.message}: the client cannot open pages for this server`;
        return method === "tools/call"
          ? { jsonrpc: "2.0", id, result: this.#encode(method, { ...toFailure(message) }, ctx.scope.revision) }
          : createErrorResponse(id, { code: rpcCodes.internalError, message });
      }
      if (isRpcError(sent)) {
        return createErrorResponse(
          id,
          toSentError(sent, ctx.scope.revision, (code) => {
            const fault = `${method}: the code ${code} belongs to the protocol and was replaced; use one outside -32768 to -32000`;
            settings.onError(new UsageError(fault, { cause: error }), { method, session: ctx.session });
          }),
        );
      }
      settings.onError(error, { method, session: ctx.session });
    } catch (fault) {
      // The author's error could not be made fit to be sent; that is what the author must hear of.
      settings.onError(fault, { method, session: ctx.session });
    }
    return createErrorResponse(id, { code: rpcCodes.internalError, message: "internal error" });
  }

  #notify(message: JsonRpcNotification, ctx: RequestContext): MaybePromise<void> {
    const { method, params } = message;
    const { settings, notifications, listeners, middleware } = this.#host;
    // Taken in the order of arrival, before anything that might wait.
    ctx.scope.live?.outgoing.receiveProgress(message);
    const decoded = ctx.scope.revision.decodeParams(method, params);
    const isKnown = listeners.has(method) || ctx.scope.revision.has(method, "server");
    const problem = isKnown ? checkParams(method, decoded) : "it is not known";
    if (problem !== undefined) {
      settings.onDiagnostic({ code: "MCP_D_NOTIFICATION", message: `${method} was dropped: ${problem}` });
      return;
    }
    return attempt(
      () =>
        whenDone(notifications.get(method)?.(decoded as never, ctx), () =>
          middleware.length === 0 && !listeners.has(method)
            ? undefined
            : whenDone(this.#runLayers("notification", method, decoded ?? {}, ctx), () => undefined),
        ),
      (error) => {
        if (!isAbortOf(ctx.signal, error)) {
          settings.onError(error, { method, session: ctx.session });
        }
      },
    );
  }
}

function rethrow(error: unknown): never {
  throw error;
}
