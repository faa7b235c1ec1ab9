/**
 * Checks of the vocabulary in `types/metadata.ts` and `types/message.ts`: `_meta`, icons, annotations,
 * implementations, and the members every request, notification and page may carry.
 */
import type { Check, CheckOf } from "../check.ts";
import type {
  CancelledNotificationParams,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
  ProgressNotificationParams,
  RequestParams,
  TaskMetadata,
} from "../types/message.ts";
import type { Annotations, Icon, Implementation, RequestMetaObject } from "../types/metadata.ts";

/** Specification: Basic > Messages. The two speakers of a conversation. */
export const role: Check = { choices: ["user", "assistant"] };

/** Specification: Basic > Utilities > Progress [PROG-001]. */
export const requestMeta: CheckOf<RequestMetaObject> = { optional: { progressToken: "token" } };

/** Specification: Server > Resources > Annotations [RES-012]. */
export const annotations: CheckOf<Annotations> = {
  optional: { audience: { each: role }, priority: { from: 0, to: 1 }, lastModified: "string" },
};

/** Specification: Basic > General fields > `icons` [ICON-001]. */
export const icon: CheckOf<Icon> = {
  required: { src: "string" },
  optional: { mimeType: "string", sizes: { each: "string" }, theme: { choices: ["light", "dark"] } },
};

/** Specification: Basic > Lifecycle > Initialization [LIFE-003]. */
export const implementation: CheckOf<Implementation> = {
  required: { name: "string", version: "string" },
  optional: { title: "string", description: "string", websiteUrl: "string", icons: { each: icon } },
};

/** Params of a request that has no others of its own. */
export const requestParams: CheckOf<RequestParams> = { optional: { _meta: requestMeta } };

/** Params of a notification that has no others of its own. */
export const notificationParams: CheckOf<NotificationParams> = { optional: { _meta: "object" } };

/** Specification: Server > Utilities > Pagination [PAGE-001]. */
export const paginatedRequestParams: CheckOf<PaginatedRequestParams> = {
  optional: { _meta: requestMeta, cursor: "string" },
};

/** The optional members of every page. */
export const page = { _meta: "object", nextCursor: "string" } as const satisfies CheckOf<PaginatedResult>["optional"];

/** Specification: Basic > Utilities > Tasks > Creating Tasks. */
export const taskMetadata: CheckOf<TaskMetadata> = { optional: { ttl: "integer" } };

/** Specification: Basic > Utilities > Progress. */
export const progressParams: CheckOf<ProgressNotificationParams> = {
  required: { progressToken: "token", progress: "number" },
  optional: { _meta: "object", total: "number", message: "string" },
};

/** Specification: Basic > Utilities > Cancellation. */
export const cancelledParams: CheckOf<CancelledNotificationParams> = {
  optional: { _meta: "object", requestId: "token", reason: "string" },
};
