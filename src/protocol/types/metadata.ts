/**
 * Descriptive vocabulary shared by all features: names, icons, annotations, implementations and the
 * `_meta` object. Reading and writing reserved `_meta` keys is not done here but in `protocol/meta.ts`.
 */
import type { RequestId } from "../../jsonrpc/message.ts";

/** Who speaks in a conversation, or whom something is meant for. Specification: Schema > Common Types. */
export type Role = "user" | "assistant";

/** An opaque value that ties progress notifications to one request. Specification: Basic > Utilities > Progress. */
export type ProgressToken = string | number;

/** An opaque position in a paged list, only meaningful to the server that issued it. Specification: Server > Utilities > Pagination. */
export type Cursor = string;

/**
 * Free-form metadata. Keys follow the prefix rules of the specification; unknown keys pass through
 * untouched. Specification: Basic > General fields > `_meta`.
 */
export interface MetaObject {
  [key: string]: unknown;
}

/** The `_meta` of a request; a `progressToken` asks for progress. Specification: Basic > Utilities > Progress. */
export interface RequestMetaObject extends MetaObject {
  progressToken?: ProgressToken;
}

/** The `_meta` of a notification, which names its subscription when it has one. Specification: Basic > Utilities > Subscriptions. */
export interface NotificationMetaObject extends MetaObject {
  "io.modelcontextprotocol/subscriptionId"?: RequestId;
}

/** The `_meta` of a result, which may say what software produced it. Specification: Basic > General fields > `_meta`. */
export interface ResultMetaObject extends MetaObject {
  "io.modelcontextprotocol/serverInfo"?: Implementation;
}

/** A picture for a user interface. Only the source is required. Specification: Basic > General fields > `icons`. */
export interface Icon {
  /** An `https:` or base64 `data:` URI. */
  src: string;
  mimeType?: string;
  /** Each `WIDTHxHEIGHT` in pixels, or `any`; absent means usable at every size. */
  sizes?: string[];
  /** The background the picture was drawn for; absent means both. */
  theme?: "light" | "dark";
}

/** Whatever can be shown with icons. Specification: Basic > General fields > `icons`. */
export interface Icons {
  icons?: Icon[];
}

/** A programmatic name with an optional title for people. Specification: Schema > Common Types. */
export interface BaseMetadata {
  name: string;
  title?: string;
}

/** Hints on whom content is for and how much it matters. Specification: Server > Resources > Annotations. */
export interface Annotations {
  audience?: Role[];
  /** From 0 (optional) to 1 (effectively required). */
  priority?: number;
  /** An ISO 8601 moment. */
  lastModified?: string;
}

/** The name and version of a program, self-reported and unverified. Specification: Basic > Lifecycle > Initialization. */
export interface Implementation extends BaseMetadata, Icons {
  version: string;
  description?: string;
  websiteUrl?: string;
}
