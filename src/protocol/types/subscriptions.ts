/**
 * Listening for changes on one stream that names what it wants to hear.
 */
import type { RequestId } from "../../jsonrpc/message.ts";
import type { FinalResult, NotificationParams, RequestParams } from "./message.ts";
import type { ResultMetaObject } from "./metadata.ts";

/** What to be told; nothing else is sent. Specification: Basic > Utilities > Subscriptions. */
export interface SubscriptionFilter {
  toolsListChanged?: boolean;
  promptsListChanged?: boolean;
  resourcesListChanged?: boolean;
  /** URIs of the resources to watch. */
  resourceSubscriptions?: string[];
  /** Tasks to watch, where the tasks extension is negotiated. */
  taskIds?: string[];
}

/** Params of `subscriptions/listen`. Specification: Basic > Utilities > Subscriptions. */
export interface SubscriptionsListenRequestParams extends RequestParams {
  notifications: SubscriptionFilter;
}

/** The part of the filter a server honours, sent before anything else on the stream. Specification: Basic > Utilities > Subscriptions. */
export interface SubscriptionsAcknowledgedNotificationParams extends NotificationParams {
  notifications: SubscriptionFilter;
}

/** The `_meta` of the result that closes a stream. Specification: Basic > Utilities > Subscriptions. */
export interface SubscriptionsListenResultMetaObject extends ResultMetaObject {
  "io.modelcontextprotocol/subscriptionId": RequestId;
}

/** Result of `subscriptions/listen`, sent when the server ends the stream. Specification: Basic > Utilities > Subscriptions. */
export interface SubscriptionsListenResult extends FinalResult {
  _meta: SubscriptionsListenResultMetaObject;
}
