/**
 * A server: a definition that any number of sessions and links use at the same time. What is in it may change.
 *
 * It holds no connection of its own. Edges hand in exchanges by `dispatch`; `serve` is the edge for one channel.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { UsageError } from "../base/error.ts";
import type { Channel } from "../jsonrpc/link.ts";
import type { JsonRpcNotification, JsonRpcRequest, JsonRpcResponse } from "../jsonrpc/message.ts";
import type { ListKind } from "../protocol/changes.ts";
import type { Definition, DefinitionTypes, definitionTypes } from "../protocol/types/definition.ts";
import type { Implementation } from "../protocol/types/metadata.ts";
import type { McpDispatcher, McpExchange } from "../revision/exchange.ts";
import type { Store } from "../store/contracts.ts";
import { DefaultStore } from "./default-store.ts";
import type { Mountable, ServerSources } from "./features/item.ts";
import type { PromptDefinition } from "./features/prompt.ts";
import type { ResourceDefinition, TemplateDefinition } from "./features/resource.ts";
import type { ToolDefinition } from "./features/tool.ts";
import { assertPrefix, PrefixedSource } from "./lists/mount.ts";
import type { Registrations } from "./lists/registry.ts";
import { createLog, type Log } from "./logging/log.ts";
import type { ServerOptions } from "./options.ts";
import { ServerParts } from "./parts.ts";
import { Dispatch } from "./requests/dispatch.ts";
import { keepAlive } from "./sessions/keep-alive.ts";
import { Pipe } from "./sessions/pipe.ts";
import type { ServeHandle, ServeOptions } from "./sessions/serve-options.ts";
import type { ServerSession } from "./sessions/session.ts";

/**
 * What {@link defineServer} gives: see the head of this file. Its type carries the tools.
 *
 * @example
 * ```ts
 * import { type Server, tool } from "parley-mcp/server";
 *
 * export function addClock(server: Server): void {
 *   server.tools.add("now", tool({ description: "Tells the time" }, () => new Date().toISOString()));
 * }
 * ```
 */
export class Server<Types extends DefinitionTypes = DefinitionTypes>
  implements McpDispatcher, Definition<Types>, Mountable
{
  declare readonly [definitionTypes]?: Types;
  readonly #parts: ServerParts;
  readonly #dispatch: Dispatch;
  readonly #handles = new Set<ServeHandle>();

  constructor(options: ServerOptions) {
    this.#parts = new ServerParts(options);
    this.#dispatch = new Dispatch(this.#parts);
  }

  /** What the server calls itself. */
  get info(): Implementation {
    return this.#parts.settings.info;
  }

  /** The tools by name; changes reach every session. */
  get tools(): Registrations<ToolDefinition> {
    return this.#parts.tools.registry;
  }

  /** By name; a URI belongs to one of them. */
  get resources(): Registrations<ResourceDefinition> {
    return this.#parts.resources.registry;
  }

  /** By name; a URI is read by the first that matches it. */
  get templates(): Registrations<TemplateDefinition> {
    return this.#parts.resources.templates;
  }

  /** By name. */
  get prompts(): Registrations<PromptDefinition> {
    return this.#parts.prompts.registry;
  }

  /** The sessions of this process. */
  get sessions(): Iterable<ServerSession> & { readonly size: number } {
    return this.#parts.sessions;
  }

  /** Everything it lists, for mounting it elsewhere. */
  get sources(): ServerSources {
    const { tools, resources, prompts } = this.#parts;
    return {
      tools: tools.source,
      resources: resources.source,
      templates: resources.templateSource,
      prompts: prompts.source,
    };
  }

  /** Log messages to every session. Handlers use `ctx.log`. */
  get log(): Log {
    return createLog(({ level, data, logger }) => {
      for (const session of this.#parts.sessions) {
        session.log[level](data, logger);
      }
    });
  }

  /** Where it keeps what outlives a request; edges keep theirs there too. */
  get store(): Store {
    return this.#parts.settings.store;
  }

  /**
   * Gives the definition its store, for whoever runs a definition that is not theirs; `serve` does so with its option
   * of the same name. It stays open when the server is closed.
   *
   * @throws UsageError where the definition has a store of its own, was given one before, or has served somebody
   * @example
   * ```ts
   * import type { Server } from "parley-mcp/server";
   * import { createMemoryStore } from "parley-mcp/store";
   *
   * export function shareStore(one: Server, other: Server): void {
   *   const store = createMemoryStore();
   *   one.useStore(store);
   *   other.useStore(store);
   * }
   * ```
   */
  useStore(store: Store): void {
    const own = this.#parts.settings.store;
    if (own instanceof DefaultStore) {
      own.replace(store);
    } else if (own !== store) {
      throw new UsageError("useStore: the server has a store already, from defineServer; leave one of the two out");
    }
  }

  /**
   * URIs that some session or stream of changes is subscribed to, as far as this process knows: other processes that
   * share its store may have more, and a session counts where it was last served.
   */
  get subscribedUris(): Iterable<string> {
    return this.#parts.subscriptions.subscribedUris;
  }

  /** The one way in for edges: answers a request, takes note of a notification. Never rejects. */
  dispatch(message: JsonRpcRequest | JsonRpcNotification, exchange: McpExchange): Promise<JsonRpcResponse | undefined> {
    return this.#dispatch.dispatch(message, exchange);
  }

  /**
   * Serves one channel, such as one end of a memory pair or standard input and output.
   *
   * @returns the handle at once; a channel that cannot be opened ends it
   */
  serve(channel: Channel, options: ServeOptions = {}): ServeHandle {
    const { settings, sessions } = this.#parts;
    const pipe = new Pipe(channel, options, settings);
    const session = sessions.of(pipe);
    const handle: ServeHandle = {
      session,
      closed: pipe.closed,
      get openRequests() {
        return pipe.openRequests;
      },
      close: () => pipe.close(),
    };
    this.#handles.add(handle);
    void pipe.closed.then(() => this.#handles.delete(handle));
    if (options.keepAlive !== undefined) {
      const { clock, onDiagnostic } = settings;
      keepAlive(session, options.keepAlive, { clock, onDiagnostic, close: () => settings.forget(pipe.close()) });
    }
    pipe.start(this).catch((error: unknown) => {
      settings.onDiagnostic({ code: "MCP_D_CHANNEL", message: "the channel could not be opened", detail: error });
      settings.forget(pipe.close());
    });
    return handle;
  }

  /**
   * Tells subscribers that a resource changed. Specification: Server > Resources > Subscriptions.
   *
   * @param options - `within` names a subscribed resource that this one is a part of
   */
  notifyResourceUpdated(uri: string, options: { within?: string | undefined } = {}): void {
    this.#parts.subscriptions.resourceUpdated(uri, options.within);
  }

  /**
   * Tells clients to list anew, for changes that this server cannot see: behind a template's `list`, an `allow`, or a
   * source of your own. Changes made through `tools`, `resources`, `templates` and `prompts` are told without it.
   * Several in one turn are one notification. Specification: Server > Resources > List Changed Notification, and the
   * same for tools and prompts.
   *
   * @param list - templates belong to `resources`
   */
  notifyListChanged(list: ListKind): void {
    this.#parts.listChanged(list);
  }

  /**
   * Has diagnostics go somewhere while the definition has no `onDiagnostic`: for whoever runs a definition that is not
   * theirs. Of several, the first is told.
   *
   * @returns takes it away
   */
  reportTo(onDiagnostic: OnDiagnostic): () => void {
    return this.#parts.settings.reports.addRunner(onDiagnostic);
  }

  /**
   * Tells the client that was asked to open a page that what was to happen there has happened.
   *
   * @returns false where no such elicitation is open
   */
  completeElicitation(elicitationId: string): Promise<boolean> {
    return this.#parts.urlElicitations.complete(elicitationId);
  }

  /**
   * Adds the features of another server, or of anything that has sources, under a prefix: `prefix.name`.
   *
   * @param prefix - letters, digits, `_`, `-` and `.`; empty for none
   * @returns takes them away
   * @throws UsageError for a prefix that cannot begin a name
   */
  mount(prefix: string, { sources }: Mountable): () => void {
    assertPrefix(prefix);
    const { tools, resources, prompts, announcement } = this.#parts;
    const whole = prefix === "" ? "" : `${prefix}.`;
    const undo: (() => void)[] = [];
    if (sources.tools !== undefined) {
      announcement.addMounted("tools");
      undo.push(tools.source.append(new PrefixedSource(whole, sources.tools)));
    }
    if (sources.prompts !== undefined) {
      announcement.addMounted("prompts", "completions");
      undo.push(prompts.source.append(new PrefixedSource(whole, sources.prompts)));
    }
    if (sources.resources !== undefined) {
      announcement.addMounted("resources");
      undo.push(resources.source.append(sources.resources));
    }
    if (sources.templates !== undefined) {
      announcement.addMounted("resources", "completions");
      undo.push(resources.templateSource.append(sources.templates));
    }
    return () => {
      for (const stop of undo.splice(0)) {
        stop();
      }
    };
  }

  /**
   * Ends every channel that is being served, and all streams of changes. Sessions over HTTP end with their edge. Tasks that
   * can be resumed are left to other processes, others fail.
   */
  async close(): Promise<void> {
    await Promise.all([...this.#handles].map((handle) => handle.close()));
    this.#parts.listening.end();
    await this.#parts.tasks.close();
  }
}
