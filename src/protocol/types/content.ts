/**
 * Content blocks. Each union is discriminated by `type`, so a `switch` on it narrows without casts. Blocks
 * carry no index signature for that reason; members unknown to this library are still there at run time.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Annotations, MetaObject } from "./metadata.ts";
import type { BlobResourceContents, Resource, TextResourceContents } from "./resource.ts";

/** Text. Specification: Server > Tools > Tool Result > Text Content. */
export interface TextContent {
  type: "text";
  text: string;
  annotations?: Annotations;
  _meta?: MetaObject;
}

/** A picture, as base64. Specification: Server > Tools > Tool Result > Image Content. */
export interface ImageContent {
  type: "image";
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: MetaObject;
}

/** A sound, as base64. Specification: Server > Tools > Tool Result > Audio Content. */
export interface AudioContent {
  type: "audio";
  data: string;
  mimeType: string;
  annotations?: Annotations;
  _meta?: MetaObject;
}

/** A pointer to a resource, which need not appear in any list. Specification: Server > Tools > Tool Result > Resource Links. */
export interface ResourceLink extends Resource {
  type: "resource_link";
}

/** A resource carried whole. Specification: Server > Tools > Tool Result > Embedded Resources. */
export interface EmbeddedResource {
  type: "resource";
  resource: TextResourceContents | BlobResourceContents;
  annotations?: Annotations;
  _meta?: MetaObject;
}

/** What tools and prompts may say. Specification: Server > Tools > Tool Result. */
export type ContentBlock = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource;

/** A model asking for a tool to be run. Specification: Client > Sampling > Sampling with Tools. */
export interface ToolUseContent {
  type: "tool_use";
  id: string;
  name: string;
  input: JsonObject;
  _meta?: MetaObject;
}

/** What came of a tool use, tied to it by id. Specification: Client > Sampling > Sampling with Tools. */
export interface ToolResultContent {
  type: "tool_result";
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  /** Absent means that the tool succeeded. */
  isError?: boolean;
  _meta?: MetaObject;
}

/** What a sampling message may hold: no resources, but tool traffic. Specification: Client > Sampling > Data Types. */
export type SamplingMessageContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ToolUseContent
  | ToolResultContent;
