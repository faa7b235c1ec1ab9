/** Entry "./client": defining a client, opening sessions, and what they are typed with. */
export { toDisplayName } from "../protocol/annotations.ts";
export type { Icon } from "../protocol/types/metadata.ts";
export {
  expandUriTemplate,
  parseUriTemplate,
  type UriTemplate,
  type UriTemplateInput,
} from "../protocol/uri-template.ts";
export { TaskError, type TaskFailure } from "../tasks/follower-error.ts";
export type { TaskLimits } from "../tasks/limits.ts";
export type { BlockedCall } from "./answering/blocked-call.ts";
export type { ElicitationOptions, FormAnswer, FormElicitation } from "./answering/elicitation.ts";
export { InputError, type InputFailure } from "./answering/input-error.ts";
export type { RateLimitOptions } from "./answering/rate-limit.ts";
export type { RootsOptions, RootsProvider } from "./answering/roots.ts";
export type { Decision, SamplingOptions } from "./answering/sampling.ts";
export type { ServeRequest, ServingContext } from "./answering/serving.ts";
export type { UrlDecision, UrlElicitation, UrlElicitationOptions } from "./answering/url-elicitation.ts";
export { type InspectedUrl, inspectUrl, type UrlWarning } from "./answering/url-inspection.ts";
export type { CacheOptions } from "./cache/cache-options.ts";
export { createMemoryCache, type MemoryCacheOptions } from "./cache/memory-cache.ts";
export type { CachedResult, ResultCache } from "./cache/result-cache.ts";
export type { NotificationListener } from "./changes/notifications.ts";
export type { Change, ChangeHooks, ChangeSubscription } from "./changes/session-changes.ts";
export type { ResourceListener, ResourceUpdate, SubscribeOptions, Subscription } from "./changes/subscriptions.ts";
export { type Client, defineClient } from "./client.ts";
export type { ImageInfo } from "./icons/icon-image.ts";
export { type FetchedIcon, type FetchIconOptions, fetchIcon } from "./icons/icons.ts";
export type { ListDiff } from "./lists/list-diff.ts";
export type { ListChange, ListedItems, ListName, OnListChanged } from "./lists/list-watch.ts";
export type { ItemList, ListOptions } from "./lists/lists.ts";
export type { ListRequestOptions } from "./lists/server-lists.ts";
export { type ClientMessage, isMessage, type Middleware, type Next, type ParamsOf } from "./middleware.ts";
export type { ClientOptions, RelistenOptions, ServedFeatures } from "./options.ts";
export type { ConnectOptions } from "./sessions/connect.ts";
export type { KeepAliveFailure, KeepAliveOptions } from "./sessions/keep-alive.ts";
export type { ConnectTarget } from "./sessions/link-source.ts";
export type { InterimOf, ManualRequestOptions, MessageSession } from "./sessions/message-session.ts";
export type { ServerDetails } from "./sessions/server-details.ts";
export type { ClientSession, ReadResourceOptions } from "./sessions/session.ts";
export type { SessionTasks } from "./tasks/session-tasks.ts";
export type { TaskHandle, TaskListener, TaskResultOptions } from "./tasks/task-handle.ts";
export type { ClientTaskOptions, TaskAcceptance, TaskWish } from "./tasks/task-options.ts";
export type { ApproveCall, CallRecord, ProposedCall } from "./tools/call-policy.ts";
export type {
  CallArguments,
  CallValue,
  ToolCallOptions,
  TypedCallResult,
  TypedTools,
} from "./tools/typed-tools.ts";
