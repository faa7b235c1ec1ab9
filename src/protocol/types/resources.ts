/**
 * Listing, reading and watching resources. What a resource is stands in `resource.ts`.
 */
import type { CacheableResult } from "./cache.ts";
import type { InputResponseRequestParams } from "./input.ts";
import type { NotificationParams, PaginatedResult, RequestParams } from "./message.ts";
import type { BlobResourceContents, Resource, ResourceTemplate, TextResourceContents } from "./resource.ts";

/** Result of `resources/list`. Specification: Server > Resources > Listing Resources. */
export interface ListResourcesResult extends PaginatedResult, CacheableResult {
  resources: Resource[];
}

/** Result of `resources/templates/list`. Specification: Server > Resources > Resource Templates. */
export interface ListResourceTemplatesResult extends PaginatedResult, CacheableResult {
  resourceTemplates: ResourceTemplate[];
}

/** Params of `resources/read`. Specification: Server > Resources > Reading Resources. */
export interface ReadResourceRequestParams extends InputResponseRequestParams {
  uri: string;
}

/** Result of `resources/read`; several contents when the URI names a collection. Specification: Server > Resources > Reading Resources. */
export interface ReadResourceResult extends CacheableResult {
  contents: (TextResourceContents | BlobResourceContents)[];
}

/** Params of `resources/subscribe`. Specification: Server > Resources > Subscriptions. */
export interface SubscribeRequestParams extends RequestParams {
  uri: string;
}

/** Params of `resources/unsubscribe`. Specification: Server > Resources > Subscriptions. */
export interface UnsubscribeRequestParams extends RequestParams {
  uri: string;
}

/** A watched resource, or a part of it, changed. Specification: Server > Resources > Subscriptions. */
export interface ResourceUpdatedNotificationParams extends NotificationParams {
  uri: string;
}
