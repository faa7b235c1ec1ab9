/**
 * Listing and calling tools. What a tool is stands in `tool.ts`.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CacheableResult } from "./cache.ts";
import type { ContentBlock } from "./content.ts";
import type { InputResponseRequestParams } from "./input.ts";
import type { FinalResult, PaginatedResult, TaskAugmentedRequestParams } from "./message.ts";
import type { Tool } from "./tool.ts";

/** Result of `tools/list`. Specification: Server > Tools > Listing Tools. */
export interface ListToolsResult extends PaginatedResult, CacheableResult {
  tools: Tool[];
}

/** Params of `tools/call`; absent arguments count as `{}`. Specification: Server > Tools > Calling Tools. */
export interface CallToolRequestParams extends TaskAugmentedRequestParams, InputResponseRequestParams {
  name: string;
  arguments?: JsonObject;
}

/** Result of `tools/call`. Specification: Server > Tools > Tool Result. */
export interface CallToolResult extends FinalResult {
  content: ContentBlock[];
  /** The result as data; any JSON value in the newest revision, an object before. */
  structuredContent?: unknown;
  /** True when the tool failed, so that the model can see why; absent means false. */
  isError?: boolean;
}
