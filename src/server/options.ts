/** What an author may say about a server. How it is resolved is settings.ts. */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import type { Clock } from "../base/timer.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { OutgoingOptions } from "../protocol/outgoing.ts";
import type { AuthInfo } from "../protocol/types/auth.ts";
import type { ToolTypes } from "../protocol/types/definition.ts";
import type { Icon } from "../protocol/types/metadata.ts";
import type { CallToolResult } from "../protocol/types/tools.ts";
import type { HttpDetails } from "../revision/exchange.ts";
import type { Store } from "../store/contracts.ts";
import type { TaskEvent } from "../tasks/events.ts";
import type { RequestStateOptions } from "./asking/request-state-options.ts";
import type { CacheHints } from "./features/cache-hints.ts";
import type { PromptDefinition } from "./features/prompt.ts";
import type { ResourceDefinition, TemplateDefinition } from "./features/resource.ts";
import type { ToolDefinition } from "./features/tool.ts";
import type { LoggingOptions } from "./logging/log.ts";
import type { MaybePromise } from "./maybe.ts";
import type { Middleware } from "./middleware.ts";
import type { ClientDetails, Context } from "./requests/context.ts";
import type { ServerLimits } from "./requests/limits.ts";
import type { ServerSession } from "./sessions/session.ts";
import type { TaskOptions } from "./tasks/task-options.ts";

/** What a request is known by before its handler runs. */
export interface IncomingRequest {
  readonly method: string;
  readonly params: Readonly<JsonObject>;
  /** Who calls, where that was verified. */
  readonly auth: AuthInfo | undefined;
  /** The HTTP request, on links that have one. */
  readonly request: HttpDetails | undefined;
  /** Who is at the other end and what it can do, as it says itself. */
  readonly client: ClientDetails;
  readonly session: ServerSession | undefined;
  readonly signal: AbortSignal;
}

/** Where something was thrown. */
export interface ErrorDetails {
  readonly method: string;
  /** The tool, where one threw. */
  readonly name?: string | undefined;
  readonly session?: ServerSession | undefined;
}

/** Options of a server. Only `name` and `version` are needed. */
export interface ServerOptions<Value = never> {
  /** For programs. */
  name: string;
  version: string;
  /** For people. */
  title?: string | undefined;
  description?: string | undefined;
  websiteUrl?: string | undefined;
  icons?: readonly Icon[] | undefined;
  /** How to use the server, for the model. */
  instructions?: string | undefined;
  tools?: Readonly<Record<string, ToolDefinition<ToolTypes, Value>>> | undefined;
  resources?: Readonly<Record<string, ResourceDefinition<Value>>> | undefined;
  templates?: Readonly<Record<string, TemplateDefinition<Value>>> | undefined;
  prompts?: Readonly<Record<string, PromptDefinition<Value>>> | undefined;
  /** Makes `ctx.value`, once per request, before anything else runs; what it throws refuses the request. */
  context?: ((incoming: IncomingRequest) => MaybePromise<Value>) | undefined;
  /** Layers around all handlers, the first one outermost. */
  middleware?: readonly Middleware<Value>[] | undefined;
  /** Requests beside the protocol's, by method. */
  methods?: Readonly<Record<string, (params: JsonObject, ctx: Context<Value>) => MaybePromise<JsonObject>>> | undefined;
  /** Notifications, by method; those of the protocol have their effect first. */
  notifications?: Readonly<Record<string, (params: JsonObject, ctx: Context<Value>) => MaybePromise<void>>> | undefined;
  /** Whether and how log messages are sent. Default: from `info` on, at most 100 a second, secrets masked. */
  logging?: boolean | LoggingOptions | undefined;
  /**
   * Told of everything a handler threw that was no message for the other side. Must not throw. Without it,
   * `onDiagnostic` is told, as `MCP_D_HANDLER_FAULT`.
   */
  onError?: ((error: unknown, details: ErrorDetails) => void) | undefined;
  /** Told of what was dropped, tolerated or repaired. Without it, whoever runs the server is: {@link Server.reportTo}. */
  onDiagnostic?: OnDiagnostic | undefined;
  /**
   * Told, while you develop, of what is allowed and likely not meant: a tool without hints, a text that contradicts its
   * structured result. It costs a little at every call, so leave it out in production. Default: nobody looks.
   */
  onAdvice?: OnDiagnostic | undefined;
  /** Hides the messages of errors that tools throw, other than ToolError. Default false. */
  maskErrors?: boolean | undefined;
  /** Last look at every tool result before it is sent [TOOL-028]. */
  filterOutput?:
    | ((result: CallToolResult, name: string, ctx: Context<Value>) => MaybePromise<CallToolResult>)
    | undefined;
  /** Items per page of every list. Default 100. */
  pageSize?: number | undefined;
  limits?: ServerLimits | undefined;
  /**
   * How long tasks are kept, how many there may be, and when calls become such; `false` for none at all, whatever tools
   * say. Default: there are tasks where a tool has said so. `{}` says so for tools that come later, or from elsewhere.
   */
  tasks?: TaskOptions | false | undefined;
  /** Told of everything that happens to tasks, and of requests about tasks that are not the caller's. Must not throw. */
  onTask?: ((event: TaskEvent) => void) | undefined;
  /** How long results stay fresh and for whom, by operation. Default: stale at once, private. */
  cache?: CacheHints | undefined;
  /** The state of calls that ask the client, where it travels with the client: keys, bounds, single use. */
  requestState?: RequestStateOptions | undefined;
  /** Time limits of questions to the client, in milliseconds; questions to a person have their own. */
  requestTimeouts?: Pick<OutgoingOptions, "idleTimeoutMs" | "totalTimeoutMs"> | undefined;
  /** Whether changes of the tools are announced. Default: where they can be delivered. */
  toolsListChanged?: boolean | undefined;
  /** Whether changes of the prompts are announced. Default: where they can be delivered. */
  promptsListChanged?: boolean | undefined;
  /** Whether changes of the resources and templates are announced. Default: where they can be delivered. */
  resourcesListChanged?: boolean | undefined;
  /** Whether resources can be subscribed to. Default: where updates can be delivered. */
  resourceSubscriptions?: boolean | undefined;
  /** Capabilities beside the protocol's, by name. */
  experimental?: { [name: string]: JsonObject } | undefined;
  /** Whether results name the server, where the revision has a place for that. Default true. */
  sendServerInfo?: boolean | undefined;
  /** Settings of extensions, by identifier such as `com.example/name`; what a client has is in `ctx.client`. */
  extensions?: { [identifier: string]: JsonObject } | undefined;
  /**
   * Where sessions, event streams and tasks are kept, and changes made known: one for all processes that serve this
   * definition, and for no other definition. It stays open when the server is closed. Default: a memory of this process,
   * until {@link Server.useStore} or `serve` gives one.
   */
  store?: Store | undefined;
  clock?: Clock | undefined;
}
