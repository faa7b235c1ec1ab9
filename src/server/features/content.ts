/**
 * Small makers of content for tools and prompts: text, image, audio, link, embed, and a tool's error.
 *
 * Bytes become base64 here; what cannot be sent is refused here. Specification: Server > Tools > Tool Result.
 */
import { encodeBase64 } from "../../base/base64.ts";
import { UsageError } from "../../base/error.ts";
import { checkContentBlock } from "../../protocol/checks/content.ts";
import { ToolError } from "../../protocol/errors.ts";
import type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
} from "../../protocol/types/content.ts";
import type { Annotations, MetaObject } from "../../protocol/types/metadata.ts";
import type { Resource } from "../../protocol/types/resource.ts";

/** What any content may carry beside itself. */
export interface ContentOptions {
  /** For whom it is and how much it matters. */
  annotations?: Annotations | undefined;
  /** Goes into `_meta` as it is. */
  meta?: MetaObject | undefined;
}

/** A resource carried whole: text, or bytes. */
export type EmbedInput = { uri: string; mimeType?: string | undefined } & (
  | { text: string; bytes?: never }
  | { bytes: Uint8Array; text?: never }
);

/**
 * Text.
 *
 * @example
 * ```ts
 * import { text } from "parley-mcp/server";
 *
 * text("for the model only", { annotations: { audience: ["assistant"] } });
 * ```
 */
export function text(value: string, options: ContentOptions = {}): TextContent {
  return { type: "text", text: value, ...toDecoration(options) };
}

/**
 * A picture.
 *
 * @param data - its bytes, or base64
 * @param mimeType - such as `image/png`
 * @throws UsageError for text that is no base64 and for something that is no MIME type
 *
 * @example
 * ```ts
 * import { image, tool } from "parley-mcp/server";
 *
 * export const pixel = tool({}, () => image(new Uint8Array([137, 80, 78, 71]), "image/png"));
 * ```
 */
export function image(data: Uint8Array | string, mimeType: string, options: ContentOptions = {}): ImageContent {
  return checked("image", { type: "image", data: toBase64(data), mimeType, ...toDecoration(options) });
}

/**
 * A sound.
 *
 * @param data - its bytes, or base64
 * @param mimeType - such as `audio/wav`
 * @throws UsageError for text that is no base64 and for something that is no MIME type
 *
 * @example
 * ```ts
 * import { audio } from "parley-mcp/server";
 *
 * audio(new Uint8Array(4), "audio/wav");
 * ```
 */
export function audio(data: Uint8Array | string, mimeType: string, options: ContentOptions = {}): AudioContent {
  return checked("audio", { type: "audio", data: toBase64(data), mimeType, ...toDecoration(options) });
}

/**
 * A pointer to a resource, which need not be listed anywhere.
 *
 * @throws UsageError without an absolute URI or a name
 *
 * @example
 * ```ts
 * import { link } from "parley-mcp/server";
 *
 * link({ uri: "note:///today", name: "today" });
 * ```
 */
export function link(resource: Resource): ResourceLink {
  return checked("link", { type: "resource_link", ...resource });
}

/**
 * A resource carried whole.
 *
 * @throws UsageError without an absolute URI
 *
 * @example
 * ```ts
 * import { embed } from "parley-mcp/server";
 *
 * embed({ uri: "note:///today", mimeType: "text/plain", text: "Call Ada" });
 * ```
 */
export function embed(
  { uri, mimeType, text: content, bytes }: EmbedInput,
  options: ContentOptions = {},
): EmbeddedResource {
  const type = mimeType === undefined ? undefined : { mimeType };
  const resource = bytes === undefined ? { uri, ...type, text: content } : { uri, ...type, blob: encodeBase64(bytes) };
  return checked("embed", { type: "resource", resource, ...toDecoration(options) });
}

/**
 * A tool's failure, for the model to read: return it or throw it.
 *
 * @example
 * ```ts
 * import { error, tool } from "parley-mcp/server";
 *
 * export const lookUp = tool({ description: "Finds a user" }, () => error("no such user"));
 * ```
 */
export function error(message: string, ...content: readonly ContentBlock[]): ToolError {
  return new ToolError(message, content.length === 0 ? {} : { content: [text(message), ...content] });
}

function toDecoration({ annotations, meta }: ContentOptions): { annotations?: Annotations; _meta?: MetaObject } {
  return {
    ...(annotations === undefined ? undefined : { annotations }),
    ...(meta === undefined ? undefined : { _meta: meta }),
  };
}

function toBase64(data: Uint8Array | string): string {
  return typeof data === "string" ? data : encodeBase64(data);
}

function checked<Block extends ContentBlock>(maker: string, block: Block): Block {
  const problem = checkContentBlock(block, maker);
  if (problem !== undefined) {
    throw new UsageError(problem);
  }
  return block;
}
