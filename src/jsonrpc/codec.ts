/**
 * Text to messages and back, for every edge that reads text.
 *
 * Framing is the edge's own; what a message is stands in message.ts.
 */
import { parseJson } from "../base/json.ts";
import { rpcCodes } from "./error.ts";
import type { ChannelProblem } from "./link.ts";
import type { JsonRpcMessage } from "./message.ts";

/**
 * Nesting of JSON that is taken unless configured otherwise.
 *
 * @example
 * ```ts
 * import { decodeText, defaultMaxDepth } from "parley-mcp/jsonrpc";
 *
 * const depth = defaultMaxDepth + 1;
 * console.log(decodeText("[".repeat(depth) + "]".repeat(depth)).ok); // false
 * ```
 */
export const defaultMaxDepth = 512;

/** A JSON value, or the error to answer with. */
export type Decoded = { readonly ok: true; readonly value: unknown } | ({ readonly ok: false } & ChannelProblem);

/**
 * Decodes the text of one message, without saying yet what kind of message it is.
 *
 * @param text - one frame, body or event
 * @param maxDepth - nesting that is taken
 *
 * @example
 * ```ts
 * import { decodeText } from "parley-mcp/jsonrpc";
 *
 * const decoded = decodeText("{");
 * console.log(decoded.ok ? decoded.value : decoded.error.code); // -32700
 * ```
 */
export function decodeText(text: string, maxDepth: number = defaultMaxDepth): Decoded {
  const parsed = parseJson(text, maxDepth);
  if (parsed.ok) {
    return parsed;
  }
  const code = parsed.reason === "syntax" ? rpcCodes.parseError : rpcCodes.invalidRequest;
  return { ok: false, error: { code, message: parsed.message } };
}

/**
 * Encodes a message as one line of JSON: line breaks inside strings are escaped.
 *
 * @example
 * ```ts
 * import { encodeMessage } from "parley-mcp/jsonrpc";
 *
 * encodeMessage({ jsonrpc: "2.0", id: 1, method: "ping" });
 * ```
 */
export function encodeMessage(message: JsonRpcMessage): string {
  return JSON.stringify(message);
}
