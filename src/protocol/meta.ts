/**
 * The reserved keys of `_meta` that this library reads or writes itself. The grammar of keys is meta-key.ts.
 *
 * Specification: Basic > General fields > `_meta`.
 */
import { isObject } from "../base/json.ts";
import { isRequestId, type JsonObject } from "../jsonrpc/message.ts";
import type { ProgressToken } from "./types/metadata.ts";

/**
 * Names of reserved keys.
 *
 * @example
 * ```ts
 * import { type MetaObject, metaKeys } from "parley-mcp";
 *
 * export function findTask(meta: MetaObject): unknown {
 *   return meta[metaKeys.relatedTask];
 * }
 * ```
 */
export const metaKeys = {
  progressToken: "progressToken",
  relatedTask: "io.modelcontextprotocol/related-task",
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
} as const;

/** The `_meta` object of params or of a result, where there is one. */
export function readMeta(holder: JsonObject | undefined): JsonObject | undefined {
  const meta = holder?._meta;
  return isObject(meta) ? meta : undefined;
}

/** The progress token of a request, where it has a usable one. */
export function readProgressToken(params: JsonObject | undefined): ProgressToken | undefined {
  const token = readMeta(params)?.[metaKeys.progressToken];
  return isRequestId(token) ? token : undefined;
}

/** Params with one more `_meta` key; the caller's other keys stay. */
export function withMeta(params: JsonObject | undefined, key: string, value: unknown): JsonObject {
  return { ...params, _meta: { ...readMeta(params), [key]: value } };
}
