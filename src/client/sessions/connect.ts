/**
 * Opens a session: puts its parts together around one connection and has it negotiate.
 *
 * The only place that knows all the parts. Turning a URL or a command into a link is `connect/`.
 */
import { onAbort } from "../../base/abort.ts";
import { UsageError } from "../../base/error.ts";
import { defaultTotalTimeoutMs } from "../../protocol/outgoing.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import { latestStateless, revisions } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { Answering } from "../answering/answering.ts";
import { Handlers } from "../answering/handlers.ts";
import { ServerInbox } from "../answering/inbox.ts";
import { InputDriver } from "../answering/input-driver.ts";
import { type CacheContext, CachedRequests } from "../cache/cache.ts";
import { Notifications } from "../changes/notifications.ts";
import { SessionChanges } from "../changes/session-changes.ts";
import type { ListName } from "../lists/list-watch.ts";
import { ServerLists } from "../lists/server-lists.ts";
import type { ClientSettings } from "../options.ts";
import { Caller } from "../requests/caller.ts";
import { Connection } from "../requests/connection.ts";
import { ServedTasks } from "../tasks/served-tasks.ts";
import { TaskFollowing } from "../tasks/task-following.ts";
import { TaskSupport } from "../tasks/task-support.ts";
import { KnownTools } from "../tools/known-tools.ts";
import { ParamMirror } from "../tools/param-mirror.ts";
import { ToolCalls } from "../tools/tool-calls.ts";
import { discoverMethod } from "./discovery.ts";
import type { ConnectTarget } from "./link-source.ts";
import { ClientSession } from "./session.ts";
import { announceReplacement, createListWatch, hearNotices, keepAlive, startWatching } from "./session-wiring.ts";

/** Options of `connect`. */
export interface ConnectOptions {
  /** Gives the opening up, whatever it is at; what was opened is closed. An aborted one sends nothing. */
  signal?: AbortSignal | undefined;
  /** Longest time from opening the link to an agreed revision, in milliseconds, whatever is tried. Default 30 000. */
  connectTimeoutMs?: number | undefined;
  /**
   * The only revision to ask for, as its date. Default: the server is asked what it speaks, in the newest revision
   * first, and older servers are spoken to in theirs.
   */
  revision?: string | undefined;
  /**
   * What was agreed on with this server the last time, as {@link ConnectOptions.onNegotiated} told it: it is tried
   * first, which saves older servers a question they do not know. No longer true, it costs one attempt.
   */
  negotiated?: string | undefined;
  /** Told what was agreed on, as the date of the revision; keep it by the full URL or command of the server. */
  onNegotiated?: ((revision: string) => void) | undefined;
  /**
   * How long a server behind a pipe may leave the first question unanswered before it counts as an older one, in
   * milliseconds. Default 5 000. Over HTTP, silence says nothing.
   */
  probeTimeoutMs?: number | undefined;
  /**
   * Whether the server is asked what it speaks and offers. Without that nothing is sent before the first call, in the
   * newest revision unless another one was named, and nothing is known of the server. Default true.
   */
  discover?: boolean | undefined;
  /**
   * Whether a connection that ends by itself is opened again by the next request, and what was subscribed to with it.
   * Needs a function as target. Requests that were lost fail and are not repeated. Default false.
   */
  restart?: boolean | undefined;
  /** Tells sessions of one client apart in hooks; comes back as `server.label`. */
  label?: string | undefined;
  /**
   * Names the server for what is kept beyond the session: its full endpoint URL, say. Without it nothing is. Everything
   * behind one name has to be the same server.
   */
  server?: string | undefined;
  /**
   * Names on whose behalf requests are made, such as the grant: an opaque name or a digest, never the token itself. Read
   * for every request; when it changes, private results that were kept are dropped. Without it they stay in the session.
   */
  authorization?: string | (() => string | undefined) | undefined;
  /** Extensions that this session announces beside those of the client, such as how it came to its tokens. */
  extensions?: ClientCapabilities["extensions"];
}

/** A session and the connection below it. */
export interface OpenedSession<App> {
  readonly session: ClientSession<App>;
  readonly connection: Connection;
}

/**
 * Opens a session over a link, or over a channel, which becomes a link here.
 *
 * @throws {@link TimeoutError} after `connectTimeoutMs`; the signal's reason; {@link UnsupportedRevisionError}; what the
 * link throws. Everything opened has been closed by then.
 */
export async function openSession<App>(
  given: ClientSettings,
  target: ConnectTarget,
  options: ConnectOptions = {},
): Promise<OpenedSession<App>> {
  options.signal?.throwIfAborted();
  const settings = options.extensions === undefined ? given : withExtensions(given, options.extensions);
  const knownTools = new KnownTools(settings.validator, settings.onDiagnostic);
  const mirror = new ParamMirror(knownTools);
  const connection = createConnection(settings, target, options, mirror);
  const { signal, outgoing } = connection;
  const notifications = new Notifications((error, method) => {
    connection.report("MCP_D_CALLBACK_FAULT", `a listener for ${method} threw`, error);
  });
  const handlers = new Handlers(settings, { clock: settings.clock, signal, pause: () => outgoing.pause() });
  const answering = new Answering(connection, handlers);
  const inbox = new ServerInbox(connection, new ServedTasks(connection, answering), notifications);
  const cached = createCache(settings, connection, options);
  const tasks = new TaskFollowing({ connection, answering, hear: (taskId) => changes.hearOfTask(taskId) });
  const caller: Caller = new Caller({
    connection,
    handlers,
    cached,
    tasks,
    inputs: createDriver(connection, answering, handlers),
    relist: (given) => lists.tools({ signal: given, reload: true }).all(),
  });
  const lists = new ServerLists(caller, knownTools, (tools) => keepCallable(connection, mirror, tools), settings.lists);
  const watch = createListWatch(connection, lists);
  const refresh = (list: ListName): void => (settings.autoRefresh ? watch.refresh(list) : undefined);
  const onGap = (): void => {
    watch.refreshAll();
    const { server } = connection;
    if (server !== undefined) {
      connection.tell("onChangesMissed", () => settings.onChangesMissed?.(server));
    }
  };
  const changes: SessionChanges = new SessionChanges({ connection, caller, cached, notifications, inbox, onGap });
  const taskSupport = new TaskSupport(connection, {
    get: (name) => knownTools.get(name),
    list: () => lists.tools().all(),
  });
  const toolCalls = new ToolCalls({
    connection,
    caller,
    known: knownTools,
    tasks,
    support: taskSupport,
    onUnknownTool: () => refresh("tools"),
  });
  const session = new ClientSession<App>({ connection, caller, lists, toolCalls, tasks, notifications, changes });
  connection.onRestore(async () => announceReplacement(connection, { cached, changes, watch }));
  hearNotices({ connection, notifications, changes, cached, handlers, knownTools, tasks, taskSupport, refresh });
  onAbort(signal, () => {
    watch.stop();
    void cached.close();
  });

  await connection.open(inbox, options.signal);
  await keepDiscovery(connection, cached);
  options.onNegotiated?.(connection.revision.id);
  noteDeprecated(connection);
  startWatching(connection, changes, refresh);
  keepAlive(connection);
  await setFirstLogLevel(connection, session);
  return { session, connection };
}

function createConnection(
  settings: ClientSettings,
  target: ConnectTarget,
  options: ConnectOptions,
  mirror: ParamMirror,
): Connection {
  const { connectTimeoutMs = 30_000, probeTimeoutMs = 5_000, restart = false, label } = options;
  const pinned = options.revision === undefined ? undefined : findPinned(options.revision);
  // A revision that is not known any more, or not yet, is none to begin with.
  const expected = revisions.find(({ id }) => id === options.negotiated);
  const first = pinned ?? expected ?? latestStateless;
  const isAssumed = options.discover === false && first.lifecycle === "stateless";
  return new Connection(target, settings, {
    plan: { pinned, expected },
    assumed: isAssumed ? first : undefined,
    connectTimeoutMs,
    probeTimeoutMs,
    restart,
    label,
    mirror: (method, params) => mirror.toHeaders(method, params),
  });
}

/** The settings as they are at any time, but for what is announced. */
function withExtensions(settings: ClientSettings, extensions: ClientCapabilities["extensions"]): ClientSettings {
  const toIdentity = (): ClientSettings["identity"] => {
    const { identity } = settings;
    const { capabilities } = identity;
    const all = { ...capabilities.extensions, ...extensions };
    return { ...identity, capabilities: { ...capabilities, extensions: all } };
  };
  return Object.create(settings, { identity: { get: toIdentity } });
}

function findPinned(id: string): Revision {
  const revision = revisions.find((each) => each.id === id);
  if (revision === undefined) {
    const known = revisions.map((each) => each.id).join(", ");
    throw new UsageError(`revision: expected one of ${known}, got ${id}`);
  }
  return revision;
}

function createCache(
  { cache, isCaching }: ClientSettings,
  connection: Connection,
  { server, authorization }: ConnectOptions,
): CachedRequests {
  const context = (): CacheContext | undefined => {
    const { revision } = connection;
    return !isCaching || !revision.traits.cacheHints
      ? undefined
      : {
          server,
          revision: revision.id,
          authorization: typeof authorization === "function" ? authorization() : authorization,
        };
  };
  return new CachedRequests(cache, context);
}

function createDriver(connection: Connection, answering: Answering, handlers: Handlers): InputDriver {
  const { clock, maxInputRounds: maxRounds, totalTimeoutMs = defaultTotalTimeoutMs } = connection.settings;
  return new InputDriver({
    answering,
    clock,
    maxRounds,
    totalTimeoutMs,
    signal: connection.signal,
    pageTimeoutMs: () => handlers.urls?.completionTimeoutMs,
  });
}

/** Leaves out what cannot be called over HTTP, because its arguments cannot be repeated as it asks [M-HDR-015]. */
function keepCallable(connection: Connection, mirror: ParamMirror, tools: Tool[]): Tool[] {
  if (!connection.mirrorsHeaders) {
    return tools;
  }
  return tools.filter((tool) => {
    const fault = mirror.findFault(tool);
    if (fault !== undefined) {
      connection.report("MCP_D_TOOL_EXCLUDED", `the tool ${JSON.stringify(tool.name)} was left out: ${fault}`);
    }
    return fault === undefined;
  });
}

/** What was discovered on the way is as good as asked for [M-DISC-005]. */
async function keepDiscovery({ agreement }: Connection, cached: CachedRequests): Promise<void> {
  const discovered = agreement?.discovered;
  if (discovered !== undefined) {
    await cached.request(discoverMethod, {}, async () => discovered, { reload: true });
  }
}

function noteDeprecated({ isStateless, settings }: Connection): void {
  const { deprecations, sampling, roots, logLevel } = settings;
  const used = { sampling, roots, logging: logLevel } as const;
  for (const feature of ["sampling", "roots", "logging"] as const) {
    if (isStateless && used[feature] !== undefined) {
      deprecations.note(feature);
    }
  }
}

async function setFirstLogLevel({ isStateless, server, logLevel }: Connection, session: ClientSession): Promise<void> {
  if (logLevel !== undefined && !isStateless && server?.capabilities.logging !== undefined) {
    await session.setLogLevel(logLevel);
  }
}
