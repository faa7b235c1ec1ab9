/**
 * The one table of HTTP statuses: which refusal has which status and JSON-RPC code, and the reply it makes.
 *
 * An answer to a request that was taken is 200, also when it is an error: the status speaks of the HTTP exchange, the
 * error of the call. Where requests stand for themselves, four errors have statuses of their own.
 * Specification: Basic > Transports > Streamable HTTP.
 */
import { rpcCodes } from "../jsonrpc/error.ts";
import { createErrorResponse, type JsonRpcResponse, type RequestId } from "../jsonrpc/message.ts";
import { mcpCodes } from "../protocol/errors.ts";
import type { Revision } from "../revision/revision.ts";
import { jsonType } from "./media-type.ts";
import { createEmptyReply, type HttpHeaders, type TextReply } from "./message.ts";

/** What the client did wrong. The status says more than a code could, and -32000 to -32019 are not for new ones [M-ERR-003]. */
const mistaken = rpcCodes.invalidRequest;

/** What the server cannot do, now or at all. */
const unable = rpcCodes.internalError;

/** Why a request is refused before any handler runs, with the HTTP status and the code in the body. */
export const refusals = {
  badHost: { status: 400, code: mistaken },
  forbidden: { status: 403, code: mistaken },
  unauthorized: { status: 401, code: mistaken },
  notFound: { status: 404, code: mistaken },
  methodNotAllowed: { status: 405, code: mistaken },
  notAcceptable: { status: 406, code: mistaken },
  unsupportedMediaType: { status: 415, code: mistaken },
  bodyTooLarge: { status: 413, code: mistaken },
  parseError: { status: 400, code: rpcCodes.parseError },
  invalidRequest: { status: 400, code: mistaken },
  badRevision: { status: 400, code: mistaken },
  sessionMissing: { status: 400, code: mistaken },
  sessionUnknown: { status: 404, code: mistaken },
  eventUnknown: { status: 400, code: mistaken },
  eventGone: { status: 410, code: mistaken },
  tooManyRequests: { status: 429, code: mistaken },
  tooManySessions: { status: 503, code: unable },
  tooBusy: { status: 503, code: unable },
  tooManySubscriptions: { status: 503, code: unable },
  closing: { status: 503, code: unable },
  unavailable: { status: 503, code: unable },
  internalError: { status: 500, code: unable },
} as const;

/** The name of a row of {@link refusals}. */
export type Refusal = keyof typeof refusals;

/** Details of a refusal. */
export interface RefusalDetails {
  /** The request it answers; without one the body is an error without an id. */
  readonly id?: RequestId | undefined;
  readonly headers?: HttpHeaders | undefined;
  /** A more precise code than the table's. */
  readonly code?: number | undefined;
  readonly data?: unknown;
  /** See {@link TextReply.closes}. */
  readonly closes?: boolean | undefined;
}

/**
 * A refusal with a JSON-RPC error as its body, so that people and programs read why.
 *
 * @param message - what was expected, what came and what to do
 */
export function createRefusal(refusal: Refusal, message: string, details: RefusalDetails = {}): TextReply {
  const { status, code } = refusals[refusal];
  const error = { code: details.code ?? code, message };
  const body = createErrorResponse(details.id, details.data === undefined ? error : { ...error, data: details.data });
  return {
    kind: "text",
    status,
    headers: { "content-type": jsonType, ...details.headers },
    body: JSON.stringify(body),
    closes: details.closes,
  };
}

/** Errors that show in the status where requests stand for themselves. An envelope that is wrong is refused before. */
const errorStatuses: ReadonlyMap<number, number> = /* @__PURE__ */ new Map<number, number>([
  [mcpCodes.headerMismatch, 400],
  [mcpCodes.missingClientCapability, 400],
  [mcpCodes.unsupportedProtocolVersion, 400],
  [rpcCodes.methodNotFound, 404],
]);

/**
 * The status of an answer that is sent as JSON [M-ERR-008] [M-ERR-009] [M-ERR-010] [M-ERR-014].
 *
 * @param revision - what the request was written in
 */
export function toAnswerStatus(response: JsonRpcResponse, revision: Revision): number {
  return "error" in response && revision.lifecycle === "stateless"
    ? (errorStatuses.get(response.error.code) ?? 200)
    : 200;
}

/** What a notification or a response is answered with once it was taken [HTTP-010]. */
export const acceptedReply: TextReply = /* @__PURE__ */ createEmptyReply(202);
