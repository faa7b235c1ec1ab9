/**
 * What a handler returned as a result for the wire: plain values get both forms, content is checked, failures are told.
 *
 * Specification: Server > Tools > Tool Result, Structured Content, Error Handling.
 */
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import { checkContentBlock } from "../../protocol/checks/content.ts";
import { ToolError } from "../../protocol/errors.ts";
import type { ContentBlock } from "../../protocol/types/content.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";

/** Longest text form of a structured result, in characters; what is longer is only sent as data. */
const maxRenderedLength = 1_000_000;

const blockTypes: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  "text",
  "image",
  "audio",
  "resource_link",
  "resource",
]);

/** Writes the text form of a structured result. */
export type Render = (output: unknown) => string | ContentBlock[];

/** A failure that the model reads. */
export function toFailure(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** Whether something is a tool's error, made by whichever copy of the library. */
export function isToolError(value: unknown): value is ToolError {
  return value instanceof ToolError || (value instanceof Error && (value as { code?: unknown }).code === "MCP_TOOL");
}

/** The failure that a tool's error says. */
export function toToolFailure(error: ToolError): CallToolResult {
  return { content: error.content.map((block, index) => checkedBlock(block, index)), isError: true };
}

/** Members of a full result; an object with any other is a plain value. */
const resultMembers: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "content",
  "structuredContent",
  "isError",
  "_meta",
]);

/** Whether a value is a full result rather than a plain object. */
export function isFullResult(value: unknown): value is CallToolResult {
  if (!isObject(value) || !Object.keys(value).every((name) => resultMembers.has(name))) {
    return false;
  }
  const { content } = value;
  return Array.isArray(content) ? content.every(isBlockLike) : content === undefined && "structuredContent" in value;
}

/**
 * The result of a tool without an output schema.
 *
 * @throws UsageError for content that may not be sent, or a value that JSON cannot write
 */
export function toFreeResult(value: unknown, render: Render | undefined): CallToolResult {
  if (value === undefined || value === null) {
    return { content: [] };
  }
  if (typeof value === "string") {
    return { content: [{ type: "text", text: value }] };
  }
  if (Array.isArray(value) && value.some(isBlockLike)) {
    return {
      content: value.map((item, index) => (typeof item === "string" ? toText(item) : checkedBlock(item, index))),
    };
  }
  if (isBlockLike(value)) {
    return { content: [checkedBlock(value, 0)] };
  }
  if (isFullResult(value)) {
    return toFullResult(value, render);
  }
  return isObject(value) ? toStructuredResult(value, render) : { content: [toText(toJsonText(value))] };
}

/**
 * A value in the form in which it is sent, so that what is judged is what is sent: a URL is a text, for example. Dates
 * are left to the schema, which knows whether one is meant.
 */
export function toSentForm(value: unknown): unknown {
  const hasOwnForm =
    typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function";
  return hasOwnForm && !(value instanceof Date) ? JSON.parse(toJsonText(value)) : value;
}

/** A full result, completed by the text form where it lacks content [TOOL-008]. */
export function toFullResult(result: CallToolResult, render: Render | undefined): CallToolResult {
  const { content, structuredContent, isError, _meta } = result;
  if (!["undefined", "boolean"].includes(typeof isError) || (_meta !== undefined && !isObject(_meta))) {
    throw new UsageError(
      `expected isError to be true or false and _meta to be an object, got ${typeof isError} and ${typeof _meta}`,
    );
  }
  if (content === undefined) {
    return { ...result, ...toStructuredResult(structuredContent, render) };
  }
  return { ...result, content: content.map((block, index) => checkedBlock(block, index)) };
}

/** A structured result in both forms, whatever JSON value it is [TOOL-014, M-TOOL-004, M-TOOL-006]. */
export function toStructuredResult(structured: unknown, render: Render | undefined): CallToolResult {
  return { content: toTextForm(structured, render), structuredContent: structured };
}

function toTextForm(structured: unknown, render: Render | undefined): ContentBlock[] {
  const rendered = render === undefined ? toJsonText(structured) : render(structured);
  if (typeof rendered !== "string") {
    return rendered.map((block, index) => checkedBlock(block, index));
  }
  const { length } = rendered;
  return [toText(length > maxRenderedLength ? `[${length} characters of structured content, see there]` : rendered)];
}

function toText(text: string): ContentBlock {
  return { type: "text", text };
}

function toJsonText(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) {
    throw new UsageError(`expected a result that JSON can write, got a ${typeof value}`);
  }
  return text;
}

function isBlockLike(value: unknown): boolean {
  return isObject(value) && blockTypes.has(value.type);
}

function checkedBlock(block: unknown, index: number): ContentBlock {
  const problem = checkContentBlock(block, `content[${index}]`);
  if (problem !== undefined) {
    throw new UsageError(problem);
  }
  return block as ContentBlock;
}
