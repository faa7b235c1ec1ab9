/**
 * Checks of listen filters and their acknowledgement.
 */
import type { CheckOf } from "../check.ts";
import type {
  SubscriptionFilter,
  SubscriptionsAcknowledgedNotificationParams,
  SubscriptionsListenRequestParams,
  SubscriptionsListenResult,
} from "../types/subscriptions.ts";
import { requestMeta } from "./metadata.ts";

const filter: CheckOf<SubscriptionFilter> = {
  optional: {
    toolsListChanged: "boolean",
    promptsListChanged: "boolean",
    resourcesListChanged: "boolean",
    resourceSubscriptions: { each: "string" },
    taskIds: { each: "string" },
  },
};

/** Specification: Basic > Utilities > Subscriptions. */
export const listenParams: CheckOf<SubscriptionsListenRequestParams> = {
  required: { notifications: filter },
  optional: { _meta: requestMeta },
};

/** Specification: Basic > Utilities > Subscriptions. */
export const acknowledgedParams: CheckOf<SubscriptionsAcknowledgedNotificationParams> = {
  required: { notifications: filter },
  optional: { _meta: "object" },
};

/** Specification: Basic > Utilities > Subscriptions. */
export const listenResult: CheckOf<SubscriptionsListenResult> = {
  required: { _meta: { required: { "io.modelcontextprotocol/subscriptionId": "token" } } },
};
