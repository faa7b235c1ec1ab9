/**
 * Checks of resources, templates, reads and subscriptions. Whether a URI exists or may be read is for the
 * server.
 */
import type { CheckOf } from "../check.ts";
import type { Resource, ResourceTemplate } from "../types/resource.ts";
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceRequestParams,
  ReadResourceResult,
  ResourceUpdatedNotificationParams,
  SubscribeRequestParams,
} from "../types/resources.ts";
import { resourceContents } from "./content.ts";
import { annotations, icon, page, requestMeta } from "./metadata.ts";

const description = {
  title: "string",
  description: "string",
  mimeType: "string",
  annotations,
  icons: { each: icon },
  _meta: "object",
} as const;

/** Specification: Server > Resources > Data Types [RES-002]. */
export const resource: CheckOf<Resource> = {
  required: { uri: "string", name: "string" },
  optional: { ...description, size: "integer" },
};

/** Specification: Server > Resources > Resource Templates [RES-003]. */
const resourceTemplate: CheckOf<ResourceTemplate> = {
  required: { uriTemplate: "string", name: "string" },
  optional: description,
};

/** Specification: Server > Resources > Listing Resources. */
export const listResourcesResult: CheckOf<ListResourcesResult> = {
  required: { resources: { each: resource } },
  optional: page,
};

/** Specification: Server > Resources > Resource Templates. */
export const listResourceTemplatesResult: CheckOf<ListResourceTemplatesResult> = {
  required: { resourceTemplates: { each: resourceTemplate } },
  optional: page,
};

/** Specification: Server > Resources > Reading Resources [RES-004]. */
export const readResourceParams: CheckOf<ReadResourceRequestParams> = {
  required: { uri: "string" },
  optional: { _meta: requestMeta, inputResponses: { values: "object" }, requestState: "string" },
};

/** Specification: Server > Resources > Reading Resources [RES-004]. */
export const readResourceResult: CheckOf<ReadResourceResult> = {
  required: { contents: { each: resourceContents } },
  optional: { _meta: "object" },
};

/** Params of subscribing and unsubscribing. Specification: Server > Resources > Subscriptions [RES-008]. */
export const subscribeParams: CheckOf<SubscribeRequestParams> = {
  required: { uri: "string" },
  optional: { _meta: requestMeta },
};

/** Specification: Server > Resources > Subscriptions [RES-009]. */
export const resourceUpdatedParams: CheckOf<ResourceUpdatedNotificationParams> = {
  required: { uri: "string" },
  optional: { _meta: "object" },
};
