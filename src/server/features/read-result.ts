/**
 * What reading a resource gave, as a result for the wire: text stays text, bytes become base64, each part has a URI.
 *
 * Specification: Server > Resources > Resource Contents.
 */
import { encodeBase64 } from "../../base/base64.ts";
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import { findMismatch } from "../../protocol/check.ts";
import { readResourceResult } from "../../protocol/checks/resources.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import type { BlobResourceContents, TextResourceContents } from "../../protocol/types/resource.ts";
import type { ReadResourceResult } from "../../protocol/types/resources.ts";
import type { ResourcePart, ResourceReturn } from "./resource.ts";

/**
 * The result of reading.
 *
 * @param mimeType - the type of parts that say none
 * @throws ResourceNotFoundError where reading gave nothing [RES-006]
 * @throws UsageError where a part is neither text nor binary, or both [RES-004]
 */
export function toReadResult(value: ResourceReturn, uri: string, mimeType: string | undefined): ReadResourceResult {
  if (value === undefined || value === null) {
    throw new ResourceNotFoundError(uri);
  }
  const isFull = isObject(value) && "contents" in value;
  const parts = isFull || !Array.isArray(value) ? [value as ResourcePart] : (value as readonly ResourcePart[]);
  const result = isFull
    ? (value as ReadResourceResult)
    : { contents: parts.map((part) => toContents(part, uri, mimeType)) };
  const problem = findMismatch(readResourceResult, result, "result");
  if (problem !== undefined) {
    throw new UsageError(`reading ${uri}: ${problem}`);
  }
  return result;
}

function toContents(
  part: ResourcePart,
  uri: string,
  mimeType: string | undefined,
): TextResourceContents | BlobResourceContents {
  const type = mimeType === undefined ? undefined : { mimeType };
  if (typeof part === "string") {
    return { uri, ...type, text: part };
  }
  if (part instanceof Uint8Array) {
    return { uri, ...type, blob: encodeBase64(part) };
  }
  if ("bytes" in part && part.bytes !== undefined) {
    const { bytes, ...rest } = part;
    return { uri, ...type, ...rest, blob: encodeBase64(bytes) } as BlobResourceContents;
  }
  return { uri, ...type, ...part } as TextResourceContents | BlobResourceContents;
}
