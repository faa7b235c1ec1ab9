/**
 * What a host works with: the calls, lists and events of one session with one server.
 *
 * A thin face: each feature lives in its own file, and everything goes out through {@link Connection}.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { InvalidParamsError, MissingCapabilityError } from "../../protocol/errors.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import { checkParams } from "../../protocol/params.ts";
import type { CompleteRequestParams, CompleteResult } from "../../protocol/types/completion.ts";
import type { ToolArguments, ToolName, ToolOutput } from "../../protocol/types/definition.ts";
import type { ServerCapabilities } from "../../protocol/types/lifecycle.ts";
import type { LoggingLevel } from "../../protocol/types/logging.ts";
import type { GetPromptResult, Prompt } from "../../protocol/types/prompts.ts";
import type { Resource, ResourceTemplate } from "../../protocol/types/resource.ts";
import type { ReadResourceResult } from "../../protocol/types/resources.ts";
import type { SubscriptionFilter } from "../../protocol/types/subscriptions.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { ChangeHooks, ChangeSubscription } from "../changes/session-changes.ts";
import type { ResourceListener, SubscribeOptions, Subscription } from "../changes/subscriptions.ts";
import type { ItemList } from "../lists/lists.ts";
import type { ListRequestOptions, ServerLists } from "../lists/server-lists.ts";
import { ping } from "../requests/ping.ts";
import { SessionTasks } from "../tasks/session-tasks.ts";
import type { TaskFollowing } from "../tasks/task-following.ts";
import type { ToolCalls } from "../tools/tool-calls.ts";
import { type CallArguments, createTypedTools, type TypedCallResult, type TypedTools } from "../tools/typed-tools.ts";
import { MessageSession, type MessageSessionParts } from "./message-session.ts";

/** What a session is made of. */
export interface SessionParts extends MessageSessionParts {
  readonly lists: ServerLists;
  readonly toolCalls: ToolCalls;
  readonly tasks: TaskFollowing;
}

/** Options of reading a resource. */
export interface ReadResourceOptions extends RequestOptions {
  /** Reads it from the server, whatever was kept. Default false. */
  reload?: boolean | undefined;
}

/**
 * A session with one server. `ClientSession<typeof app>` knows the tools of `app`.
 *
 * Every request may throw: a {@link MissingCapabilityError} before anything is sent when the server does not offer it,
 * an `RpcError` with `remote` set when the server refuses, of the class that fits its code, a {@link HttpError} when its
 * HTTP endpoint does, a {@link TimeoutError}, a {@link ClosedError}, a {@link PeerError} for an answer that breaks the
 * protocol, and the reason of the caller's signal, untouched.
 *
 * @example
 * ```ts
 * import { defineClient } from "parley-mcp/client";
 * import type { Channel } from "parley-mcp/jsonrpc";
 *
 * export async function run(channel: Channel): Promise<void> {
 *   await using session = await defineClient({ name: "host", version: "1.0.0" }).connect(channel);
 *   for await (const tool of session.listTools()) {
 *     await session.callTool(tool.name, {});
 *   }
 * }
 * ```
 */
export class ClientSession<App = unknown> extends MessageSession {
  /**
   * The server's tools as functions. They give the structured result, or the content of a tool that has none, and
   * throw a {@link ToolError} for a result with `isError`.
   */
  readonly tools: TypedTools<App>;
  /** The server's tasks by hand: begun, gone on with, listed, cancelled. */
  readonly tasks: SessionTasks<App>;
  readonly #parts: SessionParts;

  constructor(parts: SessionParts) {
    super(parts);
    this.#parts = parts;
    parts.connection.onRestore(() => this.#restoreLogLevel());
    this.tasks = new SessionTasks(parts);
    this.tools = createTypedTools((name, args, options = {}) => parts.toolCalls.call(name, args, options));
  }

  /**
   * Calls a tool and gives its result as it is, also one with `isError`. A call that the server makes a task of just takes
   * longer; given up, it is cancelled there. Specification: Server > Tools > Calling Tools.
   *
   * @throws {@link PeerError} when the structured content does not fit the listed output schema
   */
  async callTool<Name extends ToolName<App>>(
    name: Name,
    ...[args, options = {}]: CallArguments<ToolArguments<App, Name>>
  ): Promise<TypedCallResult<ToolOutput<App, Name>>> {
    const result = await this.#parts.toolCalls.call(name, args as JsonObject | undefined, options);
    return result as TypedCallResult<ToolOutput<App, Name>>;
  }

  /** All tools, page by page as they are read. Specification: Server > Tools > Listing Tools. */
  listTools(options?: ListRequestOptions): ItemList<Tool> {
    return this.#parts.lists.tools(options);
  }

  /** All resources. Specification: Server > Resources > Listing Resources. */
  listResources(options?: ListRequestOptions): ItemList<Resource> {
    return this.#parts.lists.resources(options);
  }

  /** All resource templates. Specification: Server > Resources > Resource Templates. */
  listResourceTemplates(options?: ListRequestOptions): ItemList<ResourceTemplate> {
    return this.#parts.lists.resourceTemplates(options);
  }

  /** All prompts. Specification: Server > Prompts > Listing Prompts. */
  listPrompts(options?: ListRequestOptions): ItemList<Prompt> {
    return this.#parts.lists.prompts(options);
  }

  /** Reads a resource. Specification: Server > Resources > Reading Resources. */
  readResource(uri: string, options?: ReadResourceOptions): Promise<ReadResourceResult> {
    return this.#parts.caller.request("resources/read", { uri }, options);
  }

  /**
   * Watches a resource. Specification: Server > Resources > Subscriptions.
   *
   * @param listener - told of every change, and once after a reconnection, when changes may have been missed
   */
  subscribe(uri: string, listener: ResourceListener, options?: SubscribeOptions): Promise<Subscription> {
    return this.#parts.changes.subscriptions.subscribe(uri, listener, options);
  }

  /** Fills in a prompt; all arguments are strings. Specification: Server > Prompts > Getting a Prompt. */
  getPrompt(name: string, args?: { [name: string]: string }, options?: RequestOptions): Promise<GetPromptResult> {
    const params = { name, ...(args === undefined ? undefined : { arguments: args }) };
    return this.#parts.caller.request("prompts/get", params, options);
  }

  /**
   * Asks for completions of one argument. Pass what is already chosen as `context`, and debounce what a person types.
   * Specification: Server > Utilities > Completion.
   */
  async complete(params: CompleteRequestParams, options?: RequestOptions): Promise<CompleteResult["completion"]> {
    const { completion } = await this.#parts.caller.request("completion/complete", params, options);
    return completion;
  }

  /**
   * Sets the least severe level of log messages the server sends. Where each request stands for itself, all that follow
   * say it, and nothing is sent by this. Specification: Server > Utilities > Logging.
   */
  async setLogLevel(level: LoggingLevel, options?: RequestOptions): Promise<void> {
    const { connection, caller } = this.#parts;
    if (connection.isStateless) {
      assertLevel(level, connection.agreement?.capabilities);
      connection.settings.deprecations.note("logging");
    } else {
      await caller.request("logging/setLevel", { level }, options);
    }
    connection.logLevel = level;
  }

  /**
   * Asks whether the server is there: by `ping`, or where that is no more by `server/discover`.
   * Specification: Basic > Utilities > Ping; Basic > Discovery.
   */
  async ping(options?: RequestOptions): Promise<void> {
    await ping(this.#parts.connection, options);
  }

  /**
   * Hears of changes by a subscription of its own, beside those that the session keeps. One that is lost is opened
   * again. Specification: Basic > Utilities > Subscriptions.
   *
   * @param filter - what to hear of; older servers announce lists unasked, and are asked for each resource
   * @returns once the server has said what of it it agrees to
   */
  listen(filter: SubscriptionFilter, hooks: ChangeHooks): Promise<ChangeSubscription> {
    return this.#parts.changes.listen(filter, hooks);
  }

  /** A session that took the place of another knows no level yet. */
  async #restoreLogLevel(): Promise<void> {
    const { connection } = this.#parts;
    if (connection.logLevel !== undefined && !connection.isStateless) {
      await connection.request("logging/setLevel", { level: connection.logLevel }, { restoring: true });
    }
  }
}

function assertLevel(level: LoggingLevel, capabilities: ServerCapabilities | undefined): void {
  if (capabilities !== undefined && capabilities.logging === undefined) {
    throw new MissingCapabilityError("logging", "setLogLevel needs logging, which the server does not declare");
  }
  const fault = checkParams("logging/setLevel", { level });
  if (fault !== undefined) {
    throw new InvalidParamsError(`setLogLevel: ${fault}`);
  }
}
