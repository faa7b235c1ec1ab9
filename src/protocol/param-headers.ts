/**
 * Arguments of a tool call mirrored as `Mcp-Param-*` headers: what a client sends and what a server insists on.
 *
 * Which arguments those are is protocol/tool-headers.ts. Arguments are not validated here.
 * Specification: Basic > Transports > Streamable HTTP > Custom headers from tool parameters.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { memberPath } from "./check.ts";
import {
  checkHeaderValue,
  encodeHeaderValue,
  type HeaderLookup,
  type HeaderScalar,
  type HeadersResult,
  quote,
} from "./header-value.ts";
import type { HeaderAnnotation } from "./tool-headers.ts";

/**
 * The headers that mirror the arguments of a call, for the client [M-HDR-010] [M-HDR-011] [M-HDR-018].
 *
 * @param annotations - of the tool's latest known definition; none where it is not known
 * @param args - the arguments as they go into the body
 * @returns headers in lower case, or why the call cannot be made: an integer beyond 2^53 - 1 or broken text [M-HDR-013]
 *
 * @example
 * ```ts
 * const annotations = [{ name: "Region", path: ["region"], type: "string" }] as const;
 * toParamHeaders(annotations, { region: "us-west1" }); // { ok: true, headers: { "mcp-param-region": "us-west1" } }
 * ```
 */
export function toParamHeaders(annotations: readonly HeaderAnnotation[], args: JsonObject | undefined): HeadersResult {
  const headers: Record<string, string> = {};
  for (const annotation of annotations) {
    const value = readMirrored(annotation, args);
    if (value === undefined) {
      continue;
    }
    const encoded = encodeHeaderValue(value);
    if (!encoded.ok) {
      return { ok: false, problem: `${toPlace(annotation)}: ${encoded.problem}, for ${toHeaderName(annotation)}` };
    }
    headers[toHeaderName(annotation).toLowerCase()] = encoded.value;
  }
  return { ok: true, headers };
}

/**
 * Whether the headers of a call say what its arguments say, for the server. Headers that no annotation asks for are not
 * looked at [M-HDR-019] [M-HDR-020] [M-HDR-021].
 *
 * @param annotations - of the tool that is called
 * @param args - the arguments in the body
 * @returns the message of an error -32020 for the first header that differs, or `undefined`
 */
export function checkParamHeaders(
  annotations: readonly HeaderAnnotation[],
  args: JsonObject | undefined,
  header: HeaderLookup,
): string | undefined {
  for (const annotation of annotations) {
    const name = toHeaderName(annotation);
    const received = header(name.toLowerCase());
    const value = readMirrored(annotation, args);
    const fault =
      value === undefined ? checkAbsent(received, annotation) : checkHeaderValue(received, value, toPlace(annotation));
    if (fault !== undefined) {
      return `${name}: ${fault}; read tools/list again and send the header that it asks for`;
    }
  }
  return undefined;
}

/**
 * The value at the exact path of the annotation; nothing where it is absent, null, or of a kind that no header carries.
 * The latter never reaches a tool, because the annotated property has one primitive type: validation explains it better.
 */
function readMirrored({ path }: HeaderAnnotation, args: JsonObject | undefined): HeaderScalar | undefined {
  let value: unknown = args;
  for (const member of path) {
    if (!isObject(value) || !Object.hasOwn(value, member)) {
      return undefined;
    }
    value = value[member];
  }
  if (typeof value === "number") {
    return Number.isInteger(value) ? value : undefined;
  }
  return typeof value === "string" || typeof value === "boolean" ? value : undefined;
}

function checkAbsent(received: string | undefined, annotation: HeaderAnnotation): string | undefined {
  return received === undefined
    ? undefined
    : `expected no such header, as ${toPlace(annotation)} has no value for it, got ${quote(received)}`;
}

function toHeaderName({ name }: HeaderAnnotation): string {
  return `Mcp-Param-${name}`;
}

/** Where the argument stands in the body, for messages. */
function toPlace({ path }: HeaderAnnotation): string {
  return `params.arguments${path.map(memberPath).join("")}`;
}
