/**
 * Checks of content blocks and resource contents. Blocks are told apart by `type`; the tolerant check is
 * for what a peer sent, the exact one also insists on valid base64 and MIME types, for what we send or
 * hand to a model.
 */
import { isBase64 } from "../../base/base64.ts";
import { isObject } from "../../base/json.ts";
import { type Check, type CheckFunction, type CheckOf, expected, findFault, findMismatch } from "../check.ts";
import { parseResourceUri } from "../resource-uri.ts";
import type {
  AudioContent,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  ToolResultContent,
  ToolUseContent,
} from "../types/content.ts";
import type { BlobResourceContents, TextResourceContents } from "../types/resource.ts";
import { annotations, icon } from "./metadata.ts";

const decoration = { annotations, _meta: "object" } as const;

const textContent: CheckOf<TextContent> = { required: { text: "string" }, optional: decoration };

const mediaContent: CheckOf<ImageContent | AudioContent> = {
  required: { data: "string", mimeType: "string" },
  optional: decoration,
};

const resourceLink: CheckOf<ResourceLink> = {
  required: { uri: "string", name: "string" },
  optional: {
    ...decoration,
    title: "string",
    description: "string",
    mimeType: "string",
    size: "integer",
    icons: { each: icon },
  },
};

const textContents: CheckOf<TextResourceContents> = {
  required: { uri: "string", text: "string" },
  optional: { mimeType: "string", _meta: "object" },
};

const blobContents: CheckOf<BlobResourceContents> = {
  required: { uri: "string", blob: "string" },
  optional: { mimeType: "string", _meta: "object" },
};

/** Text or binary contents; exactly one of the two. Specification: Server > Resources > Resource Contents [RES-004]. */
export const resourceContents: CheckFunction = (value) => {
  if (!isObject(value)) {
    return expected("an object", value);
  }
  if (value.text !== undefined && value.blob !== undefined) {
    return ": expected either text or blob, got both";
  }
  if (value.text === undefined && value.blob === undefined) {
    return ": expected either text or blob, got neither";
  }
  return findFault(value.blob === undefined ? textContents : blobContents, value);
};

const embeddedResource: CheckOf<EmbeddedResource> = {
  required: { resource: resourceContents },
  optional: decoration,
};

/** What a peer may put in tool results and prompts. Specification: Server > Tools > Tool Result [TOOL-009]. */
export const contentBlock: Check = {
  by: "type",
  variants: {
    text: textContent,
    image: mediaContent,
    audio: mediaContent,
    resource_link: resourceLink,
    resource: embeddedResource,
  },
};

const base64: CheckFunction = (value) => {
  if (typeof value !== "string") {
    return expected("a string", value);
  }
  return isBase64(value) ? undefined : ": expected base64 with padding, got other characters or a wrong length";
};

const mimeType: CheckFunction = (value) =>
  typeof value === "string" && /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+\s*(;.*)?$/.test(value)
    ? undefined
    : expected("a MIME type such as image/png", value);

const absoluteUri: CheckFunction = (value) => {
  if (typeof value !== "string") {
    return expected("a URI", value);
  }
  const parsed = parseResourceUri(value);
  return parsed.ok ? undefined : `: expected a URI. ${parsed.problem}`;
};

const exactMedia: CheckOf<ImageContent | AudioContent> = {
  required: { data: base64, mimeType },
  optional: decoration,
};

const exactContents: CheckFunction = (value) =>
  resourceContents(value) ?? findFault({ required: { uri: absoluteUri }, optional: { mimeType, blob: base64 } }, value);

const exactVariants = {
  text: textContent,
  image: exactMedia,
  audio: exactMedia,
  resource_link: { ...resourceLink, required: { uri: absoluteUri, name: "string" } },
  resource: { required: { resource: exactContents }, optional: decoration },
} as const satisfies { [type: string]: Check };

/** What we put in tool results and prompts. Specification: Server > Prompts > Content [PROMPT-006, PROMPT-007]. */
export const exactContentBlock: Check = { by: "type", variants: exactVariants };

const toolUse: CheckOf<ToolUseContent> = {
  required: { id: "string", name: "string", input: "object" },
  optional: { _meta: "object" },
};

const toolResult: CheckOf<ToolResultContent> = {
  required: { toolUseId: "string", content: { each: exactContentBlock } },
  optional: { isError: "boolean", _meta: "object" },
};

/** What a sampling message may hold. Specification: Client > Sampling > Data Types [SAMP-011, SAMP-014, SAMP-015]. */
export const samplingContentBlock: Check = {
  by: "type",
  variants: {
    text: textContent,
    image: exactMedia,
    audio: exactMedia,
    tool_use: toolUse,
    tool_result: toolResult,
  },
};

/**
 * Judges a content block someone here made: known type, required members, base64 data, MIME types,
 * absolute URIs. Answers `undefined` when it is fine, else what is wrong.
 * Specification: Server > Tools > Tool Result; Server > Prompts > Content.
 *
 * @param at - what the block is called in the message
 *
 * @example
 * ```ts
 * checkContentBlock({ type: "image", data: "?", mimeType: "image/png" }); // "content.data: expected base64 ..."
 * ```
 */
export function checkContentBlock(block: unknown, at = "content"): string | undefined {
  return findMismatch(exactContentBlock, block, at);
}
