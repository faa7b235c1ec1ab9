/**
 * What a session does by itself: it listens to notices, keeps lists fresh, restores what a new session lacks, and asks
 * whether the server is still there.
 */
import { onAbort } from "../../base/abort.ts";
import type { Handlers } from "../answering/handlers.ts";
import type { CachedRequests } from "../cache/cache.ts";
import type { Notifications } from "../changes/notifications.ts";
import type { SessionChanges } from "../changes/session-changes.ts";
import { type ListName, ListWatch } from "../lists/list-watch.ts";
import type { ServerLists } from "../lists/server-lists.ts";
import type { Connection } from "../requests/connection.ts";
import { ping } from "../requests/ping.ts";
import type { TaskFollowing } from "../tasks/task-following.ts";
import type { TaskSupport } from "../tasks/task-support.ts";
import type { KnownTools } from "../tools/known-tools.ts";
import { startKeepAlive } from "./keep-alive.ts";

/** The notifications by which servers say that results have changed. */
const outdatingMethods = [
  "notifications/tools/list_changed",
  "notifications/prompts/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
] as const;

/** Watches the lists of a server for whoever is told of their changes. */
export function createListWatch(connection: Connection, lists: ServerLists): ListWatch {
  const { settings } = connection;
  return new ListWatch({
    fetch: (list) => lists.fetch(list),
    onChange: (change) => {
      const { server } = connection;
      if (server !== undefined) {
        connection.tell("onListChanged", () => settings.onListChanged?.(change, server));
      }
    },
    onFault: (list, error) => connection.report("MCP_D_REFRESH_FAILED", `the list of ${list} was not refreshed`, error),
  });
}

/** What hears of notices. */
export interface Hearers {
  readonly connection: Connection;
  readonly notifications: Notifications;
  readonly changes: SessionChanges;
  readonly cached: CachedRequests;
  readonly handlers: Handlers;
  readonly knownTools: KnownTools;
  readonly tasks: TaskFollowing;
  readonly taskSupport: TaskSupport;
  readonly refresh: (list: ListName) => void;
}

/** What the client itself does with notifications. What was kept is outdated before anything is fetched again. */
export function hearNotices(hearers: Hearers): void {
  const { connection, notifications, changes, cached, handlers, knownTools, tasks, taskSupport, refresh } = hearers;
  const { settings } = connection;
  for (const method of outdatingMethods) {
    notifications.on(method, (params) => cached.receive(method, params as { uri: string } | undefined));
  }
  notifications.on("notifications/message", (message) => {
    if (connection.server !== undefined) {
      settings.onLog?.(message, connection.server);
    }
  });
  notifications.on("notifications/resources/updated", (update) => changes.subscriptions.receive(update));
  notifications.on("notifications/elicitation/complete", ({ elicitationId }) => handlers.urls?.complete(elicitationId));
  notifications.on("notifications/prompts/list_changed", () => refresh("prompts"));
  notifications.on("notifications/resources/list_changed", () => {
    refresh("resources");
    refresh("resourceTemplates");
  });
  notifications.on("notifications/tasks/status", (task) => tasks.receive({ ...task }));
  notifications.on("notifications/tasks", (task) => tasks.receive({ ...task }));
  notifications.on("notifications/tools/list_changed", () => {
    taskSupport.outdate();
    refresh("tools");
    if (!settings.autoRefresh) {
      // Nothing replaces what is known, and judging results by it would be wrong.
      knownTools.outdate();
    }
  });
}

/** Tells the host that a new session has taken the place of a forgotten one, and fetches what may have changed. */
export function announceReplacement(
  connection: Connection,
  { cached, changes, watch }: { cached: CachedRequests; changes: SessionChanges; watch: ListWatch },
): void {
  const { settings, server } = connection;
  cached.invalidate();
  if (server !== undefined) {
    connection.tell("onSessionReplaced", () => settings.onSessionReplaced?.(server));
  }
  if (!connection.isStateless) {
    // Where changes are listened to on a stream, the new stream tells of the gap once it is open.
    changes.subscriptions.receiveGap();
    watch.refreshAll();
  }
}

/** The lists as they are at the beginning, for later ones to be compared with, and word of their changes. */
export function startWatching(
  { server, settings }: Connection,
  changes: SessionChanges,
  refresh: (list: ListName) => void,
): void {
  const { tools, prompts, resources } = server?.capabilities ?? {};
  if (!settings.autoRefresh) {
    return;
  }
  if (tools !== undefined) {
    refresh("tools");
    follow("toolsListChanged", tools.listChanged);
  }
  if (prompts !== undefined) {
    refresh("prompts");
    follow("promptsListChanged", prompts.listChanged);
  }
  if (resources !== undefined) {
    refresh("resources");
    refresh("resourceTemplates");
    follow("resourcesListChanged", resources.listChanged);
  }

  function follow(kind: Parameters<SessionChanges["hearOf"]>[0], isAnnounced: boolean | undefined): void {
    if (isAnnounced === true) {
      changes.hearOf(kind);
    }
  }
}

/** Keeps the session alive, or notices that it is not. */
export function keepAlive(connection: Connection): void {
  const { keepAlive: settings, clock } = connection.settings;
  if (settings === undefined) {
    return;
  }
  const stop = startKeepAlive(settings, {
    clock,
    ping: (timeoutMs) => ping(connection, { idleTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs }),
    onFailure: (failure) => {
      connection.report("MCP_D_PING_FAILED", `ping failed, ${failure.failures} in a row`, failure.error);
      connection.tell("keepAlive.onFailure", () => settings.onFailure?.(failure));
    },
    end: (fault) => {
      connection.close(fault).catch((error: unknown) => {
        connection.report("MCP_D_CLOSE_FAULT", "closing the link failed", error);
      });
    },
  });
  onAbort(connection.signal, stop);
}
