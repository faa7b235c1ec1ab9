/**
 * Every method of the protocol: what it takes, what it gives, who answers or sends it. The superset of all
 * revisions; which of them a given revision has is said in `revision/`.
 */
import type { CompleteRequestParams, CompleteResult } from "./types/completion.ts";
import type { ElicitationCompleteNotificationParams, ElicitRequestParams, ElicitResult } from "./types/elicitation.ts";
import type { InputRequiredResult } from "./types/input.ts";
import type { DiscoverResult, InitializeRequestParams, InitializeResult } from "./types/lifecycle.ts";
import type { LoggingMessageNotificationParams, SetLevelRequestParams } from "./types/logging.ts";
import type {
  CancelledNotificationParams,
  EmptyResult,
  NotificationParams,
  PaginatedRequestParams,
  ProgressNotificationParams,
  RequestParams,
} from "./types/message.ts";
import type { GetPromptRequestParams, GetPromptResult, ListPromptsResult } from "./types/prompts.ts";
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  ResourceUpdatedNotificationParams,
  SubscribeRequestParams,
  UnsubscribeRequestParams,
} from "./types/resources.ts";
import type { ListRootsResult } from "./types/roots.ts";
import type { CreateMessageRequestParams, CreateMessageResult } from "./types/sampling.ts";
import type {
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
} from "./types/subscriptions.ts";
import type {
  CancelTaskRequestParams,
  CancelTaskResult,
  CreateTaskResult,
  GetCoreTaskResult,
  GetTaskPayloadRequestParams,
  GetTaskPayloadResult,
  GetTaskRequestParams,
  GetTaskResult,
  ListTasksResult,
  TaskNotificationParams,
  TaskStatusNotificationParams,
  UpdateTaskRequestParams,
} from "./types/tasks.ts";
import type { CallToolRequestParams, CallToolResult, ListToolsResult } from "./types/tools.ts";

/** Requests both sides answer. */
interface SharedRequests {
  ping: { params: RequestParams; result: EmptyResult };
  "tasks/get": { params: GetTaskRequestParams; result: GetTaskResult | GetCoreTaskResult };
  "tasks/cancel": { params: CancelTaskRequestParams; result: CancelTaskResult };
  "tasks/result": { params: GetTaskPayloadRequestParams; result: GetTaskPayloadResult };
  "tasks/list": { params: PaginatedRequestParams; result: ListTasksResult };
}

/**
 * Requests a server answers. `interim` is what may come first instead of the result.
 * Specification: Schema > ClientRequest.
 */
export interface ServerRequests extends SharedRequests {
  initialize: { params: InitializeRequestParams; result: InitializeResult };
  "server/discover": { params: RequestParams; result: DiscoverResult };
  "tools/list": { params: PaginatedRequestParams; result: ListToolsResult };
  "tools/call": {
    params: CallToolRequestParams;
    result: CallToolResult;
    interim: InputRequiredResult | CreateTaskResult;
  };
  "resources/list": { params: PaginatedRequestParams; result: ListResourcesResult };
  "resources/templates/list": { params: PaginatedRequestParams; result: ListResourceTemplatesResult };
  "resources/read": { params: ReadResourceRequestParams; result: ReadResourceResult; interim: InputRequiredResult };
  "resources/subscribe": { params: SubscribeRequestParams; result: EmptyResult };
  "resources/unsubscribe": { params: UnsubscribeRequestParams; result: EmptyResult };
  "prompts/list": { params: PaginatedRequestParams; result: ListPromptsResult };
  "prompts/get": { params: GetPromptRequestParams; result: GetPromptResult; interim: InputRequiredResult };
  "completion/complete": { params: CompleteRequestParams; result: CompleteResult };
  "logging/setLevel": { params: SetLevelRequestParams; result: EmptyResult };
  "subscriptions/listen": { params: SubscriptionsListenRequestParams; result: SubscriptionsListenResult };
  "tasks/update": { params: UpdateTaskRequestParams; result: EmptyResult };
}

/** Requests a client answers. Specification: Schema > ServerRequest. */
export interface ClientRequests extends SharedRequests {
  "sampling/createMessage": { params: CreateMessageRequestParams; result: CreateMessageResult };
  "elicitation/create": { params: ElicitRequestParams; result: ElicitResult };
  "roots/list": { params: RequestParams; result: ListRootsResult };
}

/** Notifications both sides send. */
interface SharedNotifications {
  "notifications/cancelled": CancelledNotificationParams;
  "notifications/progress": ProgressNotificationParams;
  "notifications/tasks/status": TaskStatusNotificationParams;
}

/** Notifications a server sends, with their params. Specification: Schema > ServerNotification. */
export interface ServerNotifications extends SharedNotifications {
  "notifications/message": LoggingMessageNotificationParams;
  "notifications/tools/list_changed": NotificationParams;
  "notifications/resources/list_changed": NotificationParams;
  "notifications/resources/updated": ResourceUpdatedNotificationParams;
  "notifications/prompts/list_changed": NotificationParams;
  "notifications/elicitation/complete": ElicitationCompleteNotificationParams;
  "notifications/subscriptions/acknowledged": SubscriptionsAcknowledgedNotificationParams;
  "notifications/tasks": TaskNotificationParams;
}

/** Notifications a client sends, with their params. Specification: Schema > ClientNotification. */
export interface ClientNotifications extends SharedNotifications {
  "notifications/initialized": NotificationParams;
  "notifications/roots/list_changed": NotificationParams;
}

/** A request in either direction. */
export type RequestMethod = keyof ServerRequests | keyof ClientRequests;

/** A notification in either direction. */
export type NotificationMethod = keyof ServerNotifications | keyof ClientNotifications;

/** The table of all requests, for code that does not care about direction. */
export type Requests = ServerRequests & ClientRequests;

/** The table of all notifications, for code that does not care about direction. */
export type Notifications = ServerNotifications & ClientNotifications;

/** One side of a connection, or both. */
export type Side = "server" | "client" | "both";

type SideOf<Method, ForServer, ForClient> = Method extends ForServer & ForClient
  ? "both"
  : Method extends ForServer
    ? "server"
    : "client";

const answeredBy: { readonly [M in RequestMethod]: SideOf<M, keyof ServerRequests, keyof ClientRequests> } = {
  ping: "both",
  "tasks/get": "both",
  "tasks/cancel": "both",
  "tasks/result": "both",
  "tasks/list": "both",
  initialize: "server",
  "server/discover": "server",
  "tools/list": "server",
  "tools/call": "server",
  "resources/list": "server",
  "resources/templates/list": "server",
  "resources/read": "server",
  "resources/subscribe": "server",
  "resources/unsubscribe": "server",
  "prompts/list": "server",
  "prompts/get": "server",
  "completion/complete": "server",
  "logging/setLevel": "server",
  "subscriptions/listen": "server",
  "tasks/update": "server",
  "sampling/createMessage": "client",
  "elicitation/create": "client",
  "roots/list": "client",
};

const sentBy: {
  readonly [M in NotificationMethod]: SideOf<M, keyof ServerNotifications, keyof ClientNotifications>;
} = {
  "notifications/cancelled": "both",
  "notifications/progress": "both",
  "notifications/tasks/status": "both",
  "notifications/message": "server",
  "notifications/tools/list_changed": "server",
  "notifications/resources/list_changed": "server",
  "notifications/resources/updated": "server",
  "notifications/prompts/list_changed": "server",
  "notifications/elicitation/complete": "server",
  "notifications/subscriptions/acknowledged": "server",
  "notifications/tasks": "server",
  "notifications/initialized": "client",
  "notifications/roots/list_changed": "client",
};

/**
 * Which side answers a request; `undefined` when the protocol has no such request.
 *
 * @example
 * ```ts
 * requestReceiver("tools/call"); // "server"
 * ```
 */
export function requestReceiver(method: string): Side | undefined {
  return Object.hasOwn(answeredBy, method) ? answeredBy[method as RequestMethod] : undefined;
}

/**
 * Which side sends a notification; `undefined` when the protocol has no such notification.
 *
 * @example
 * ```ts
 * notificationSender("notifications/message"); // "server"
 * ```
 */
export function notificationSender(method: string): Side | undefined {
  return Object.hasOwn(sentBy, method) ? sentBy[method as NotificationMethod] : undefined;
}

/** Whether a server answers this request. Specification: Schema > ClientRequest. */
export function isServerRequest(method: string): method is keyof ServerRequests {
  const side = requestReceiver(method);
  return side === "server" || side === "both";
}

/** Whether a client answers this request. Specification: Schema > ServerRequest. */
export function isClientRequest(method: string): method is keyof ClientRequests {
  const side = requestReceiver(method);
  return side === "client" || side === "both";
}

/** Whether a server sends this notification. Specification: Schema > ServerNotification. */
export function isServerNotification(method: string): method is keyof ServerNotifications {
  const side = notificationSender(method);
  return side === "server" || side === "both";
}

/** Whether a client sends this notification. Specification: Schema > ClientNotification. */
export function isClientNotification(method: string): method is keyof ClientNotifications {
  const side = notificationSender(method);
  return side === "client" || side === "both";
}

/** The names of all requests. */
export function requestMethods(): RequestMethod[] {
  return Object.keys(answeredBy) as RequestMethod[];
}

/** The names of all notifications. */
export function notificationMethods(): NotificationMethod[] {
  return Object.keys(sentBy) as NotificationMethod[];
}
