/** The body of a POST as a JSON value, or the refusal: its media type, its size, its text, its syntax. */
import { decodeText } from "../../jsonrpc/codec.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import { headerNames } from "../headers.ts";
import { isMediaType, jsonType, parseMediaType } from "../media-type.ts";
import type { HttpRequest, TextReply } from "../message.ts";
import { createRefusal } from "../status.ts";
import type { ResolvedHttpServerOptions } from "./options.ts";

/** A value, or the reply that refuses the body. */
export type BodyResult =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reply: TextReply };

/** Reads the JSON value that was posted. */
export async function readJsonBody(
  request: HttpRequest,
  { maxBodyBytes, maxJsonDepth }: Pick<ResolvedHttpServerOptions, "maxBodyBytes" | "maxJsonDepth">,
): Promise<BodyResult> {
  const refusal = checkMediaType(request) ?? checkAnnouncedSize(request, maxBodyBytes);
  if (refusal !== undefined) {
    return { ok: false, reply: refusal };
  }
  const body = await request.readBody(maxBodyBytes);
  if (!body.ok) {
    return { ok: false, reply: refuseBody(body.reason, maxBodyBytes) };
  }
  const decoded = decodeText(body.text, maxJsonDepth);
  if (decoded.ok) {
    return decoded;
  }
  const { code, message } = decoded.error;
  const refusalName = code === rpcCodes.parseError ? "parseError" : "invalidRequest";
  return { ok: false, reply: createRefusal(refusalName, message, { code }) };
}

/** A refused body has not been read, so its connection cannot be used again. */
function checkMediaType(request: HttpRequest): TextReply | undefined {
  const contentType = request.header(headerNames.contentType);
  if (contentType !== jsonType && !isMediaType(contentType, jsonType)) {
    const got = contentType === undefined ? "none" : JSON.stringify(contentType.slice(0, 80));
    return refuseMediaType(`Content-Type: expected ${jsonType}, got ${got}`);
  }
  const charset = contentType === jsonType ? undefined : parseMediaType(contentType)?.parameters.get("charset");
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    return refuseMediaType(`Content-Type: expected the charset utf-8, got ${JSON.stringify(charset.slice(0, 40))}`);
  }
  const encoding = request.header("content-encoding");
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    return refuseMediaType(`Content-Encoding: expected none, got ${JSON.stringify(encoding.slice(0, 40))}`);
  }
  return undefined;
}

function checkAnnouncedSize(request: HttpRequest, maxBytes: number): TextReply | undefined {
  return Number(request.header("content-length") ?? 0) > maxBytes ? refuseBody("too-large", maxBytes) : undefined;
}

function refuseMediaType(message: string): TextReply {
  return createRefusal("unsupportedMediaType", message, { closes: true });
}

function refuseBody(reason: "too-large" | "not-utf8" | "broken-off", maxBytes: number): TextReply {
  switch (reason) {
    case "too-large":
      return createRefusal("bodyTooLarge", `body: expected at most ${maxBytes} bytes, got more`, { closes: true });
    case "not-utf8":
      return createRefusal("parseError", "body: expected JSON in UTF-8, got bytes that are not UTF-8");
    case "broken-off":
      return createRefusal("parseError", "body: expected JSON, got a request that broke off", { closes: true });
  }
}
