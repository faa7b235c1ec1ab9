/** The parts of a server, made and joined once: features, sessions, fan-out, and the table of methods. */
import { UsageError } from "../base/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ListKind } from "../protocol/changes.ts";
import { isServerRequest } from "../protocol/methods.ts";
import { OpenElicitations } from "./asking/open-elicitations.ts";
import type { RequestStates } from "./asking/request-state.ts";
import { UrlElicitations } from "./asking/url-elicitation.ts";
import { Listening } from "./changes/listening.ts";
import { Subscriptions } from "./changes/subscriptions.ts";
import { Completion } from "./features/completion.ts";
import { Prompts } from "./features/prompts.ts";
import { Resources } from "./features/resources.ts";
import { Tools } from "./features/tools.ts";
import type { MaybePromise } from "./maybe.ts";
import type { Middleware } from "./middleware.ts";
import type { ServerOptions } from "./options.ts";
import type { DispatchHost, NotificationHandler, RequestHandler } from "./requests/dispatch.ts";
import type { RequestContext } from "./requests/request-context.ts";
import { Announcement } from "./sessions/announcement.ts";
import { Lifecycle } from "./sessions/lifecycle.ts";
import { Sessions } from "./sessions/sessions.ts";
import { resolveSettings, type Settings } from "./settings.ts";
import { ServerTasks } from "./tasks/server-tasks.ts";
import { revive } from "./tasks/task-revival.ts";

/** See the head of this file. */
export class ServerParts implements DispatchHost {
  readonly settings: Settings;
  readonly tasks: ServerTasks;
  readonly tools: Tools;
  readonly resources: Resources;
  readonly prompts: Prompts;
  readonly completion: Completion;
  readonly announcement: Announcement;
  readonly subscriptions: Subscriptions;
  readonly listening: Listening;
  readonly sessions: Sessions;
  readonly urlElicitations: UrlElicitations;
  readonly states: RequestStates;
  readonly requests: ReadonlyMap<string, RequestHandler>;
  readonly notifications: ReadonlyMap<string, NotificationHandler>;
  readonly listeners: ReadonlyMap<string, NotificationHandler>;
  readonly custom: ReadonlySet<string>;
  readonly middleware: readonly Middleware<never>[];
  readonly createValue: DispatchHost["createValue"];

  constructor(options: ServerOptions) {
    const settings = resolveSettings(options);
    this.settings = settings;
    const { maskErrors, onError, reports } = settings;
    const host = {
      maskErrors,
      onAdvice: reports.onAdvice,
      onError: (error: unknown, name: string) => onError(error, { method: "tools/call", name }),
    };
    this.tasks = new ServerTasks(settings, options, {
      hasTaskTools: () => this.tools.hasTasks,
      revive: (run) => revive(this, run),
    });
    this.tools = new Tools(settings, host, options.filterOutput, this.tasks.calls);
    this.resources = new Resources(settings);
    this.prompts = new Prompts(settings);
    this.completion = new Completion(settings, this.prompts, this.resources);
    this.announcement = new Announcement(options, this);
    this.subscriptions = new Subscriptions(settings, (list) => this.listChanged(list));
    this.listening = new Listening(settings, this);
    const elicitations = new OpenElicitations(settings);
    this.sessions = new Sessions(settings, [this.subscriptions, elicitations]);
    this.urlElicitations = new UrlElicitations(elicitations, settings.onDiagnostic);
    this.states = settings.states;
    this.middleware = options.middleware ?? [];
    this.createValue = toValueFactory(options);
    const { methods = {}, notifications = {} } = options;
    assertCustom(methods);
    this.custom = new Set(Object.keys(methods));
    this.requests = new Map([...this.#protocolRequests(), ...(Object.entries(methods) as [string, RequestHandler][])]);
    this.notifications = protocolNotifications();
    this.listeners = new Map(Object.entries(notifications) as [string, NotificationHandler][]);
    this.#register(options);
    this.#watch();
  }

  /** Announces that a list changed, also to whoever has mounted it; pages that were kept are made anew. */
  listChanged(list: ListKind): void {
    const { tools, prompts, resources } = this;
    const sources = {
      tools: [tools.source],
      prompts: [prompts.source],
      resources: [resources.source, resources.templateSource],
    };
    if (!Object.hasOwn(sources, list)) {
      throw new UsageError(`expected one of ${Object.keys(sources).join(", ")}, got ${JSON.stringify(list)}`);
    }
    for (const source of sources[list]) {
      source.changed();
    }
  }

  *#protocolRequests(): Iterable<[string, RequestHandler]> {
    const { tools, resources, prompts, completion, subscriptions, announcement, listening, sessions } = this;
    const lifecycle = new Lifecycle(this.settings, announcement);
    const tasks = this.tasks.requests;
    const handlers: Record<string, (params: never, ctx: RequestContext) => MaybePromise<JsonObject>> = {
      initialize: async (params, { scope: { live, exchange } }) => {
        const result = await lifecycle.initialize(params, live, exchange.context);
        if (live !== undefined) {
          await sessions.begun(live);
        }
        return result;
      },
      ping: () => ({}),
      "server/discover": (_params, ctx) => lifecycle.discover(ctx.scope.exchange.context),
      "subscriptions/listen": (params, ctx) => listening.listen(params, ctx),
      "logging/setLevel": (params, ctx) => lifecycle.setLevel(params, ctx.scope.live),
      "tools/list": ({ cursor }: Page, ctx) => tools.pager.list(cursor, ctx),
      "tools/call": (params, ctx) => tools.call(params, ctx),
      "resources/list": ({ cursor }: Page, ctx) => resources.pager.list(cursor, ctx),
      "resources/templates/list": ({ cursor }: Page, ctx) => resources.templatePager.list(cursor, ctx),
      "resources/read": ({ uri }: Named, ctx) => resources.read(uri, ctx),
      "resources/subscribe": async ({ uri }: Named, ctx) => {
        await resources.find(uri, ctx);
        if (ctx.scope.live !== undefined) {
          await subscriptions.subscribe(uri, ctx.scope.live);
        }
        return {};
      },
      "resources/unsubscribe": async ({ uri }: Named, ctx) => {
        if (ctx.scope.live !== undefined) {
          await subscriptions.unsubscribe(uri, ctx.scope.live);
        }
        return {};
      },
      "prompts/list": ({ cursor }: Page, ctx) => prompts.pager.list(cursor, ctx),
      "prompts/get": (params, ctx) => prompts.get(params, ctx),
      "completion/complete": (params, ctx) => completion.complete(params, ctx),
      "tasks/get": (params, ctx) => tasks.get(params, ctx),
      "tasks/result": (params, ctx) => tasks.result(params, ctx),
      "tasks/update": (params, ctx) => tasks.update(params, ctx),
      "tasks/cancel": (params, ctx) => tasks.cancel(params, ctx),
      "tasks/list": (params, ctx) => tasks.list(params, ctx),
    };
    yield* Object.entries(handlers);
  }

  #register(options: ServerOptions): void {
    for (const [name, definition] of Object.entries(options.tools ?? {})) {
      this.tools.registry.set(name, definition);
    }
    for (const [name, definition] of Object.entries(options.resources ?? {})) {
      this.resources.registry.set(name, definition);
    }
    for (const [name, definition] of Object.entries(options.templates ?? {})) {
      this.resources.templates.set(name, definition);
    }
    for (const [name, definition] of Object.entries(options.prompts ?? {})) {
      this.prompts.registry.set(name, definition);
    }
  }

  #watch(): void {
    const { tools, resources, prompts, subscriptions } = this;
    tools.source.onChange(() => subscriptions.listChanged("tools"));
    prompts.source.onChange(() => subscriptions.listChanged("prompts"));
    resources.source.onChange(() => subscriptions.listChanged("resources"));
  }
}

interface Page {
  readonly cursor?: string;
}

interface Named {
  readonly uri: string;
}

function toValueFactory({ context }: ServerOptions): DispatchHost["createValue"] {
  return context === undefined
    ? undefined
    : (ctx, method, params) => {
        const { auth, request, client, session } = ctx;
        return context({
          method,
          params,
          auth,
          request,
          client,
          session,
          get signal() {
            return ctx.signal;
          },
        });
      };
}

function assertCustom(methods: object): void {
  const taken = Object.keys(methods).find(isServerRequest);
  if (taken !== undefined) {
    throw new UsageError(`methods: ${taken} belongs to the protocol; wrap it with middleware instead of replacing it`);
  }
}

function protocolNotifications(): Map<string, NotificationHandler> {
  return new Map<string, NotificationHandler>([
    ["notifications/initialized", (_params, { scope }) => scope.live?.setInitialized()],
    [
      "notifications/roots/list_changed",
      async (_params, { scope: { live } }) => {
        if (live !== undefined) {
          live.roots.answer = undefined;
          await live.update((state) => ({ ...state, rootsChanges: (state.rootsChanges ?? 0) + 1 }));
        }
      },
    ],
  ]);
}
