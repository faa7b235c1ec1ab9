/**
 * What was thrown, as the JSON-RPC error that may be sent in a revision; nothing where it is none.
 *
 * Codes that the protocol keeps for itself are sent with their meaning only, by the classes that have it.
 * Specification: Basic > Messages > Error codes.
 */
import { isMcpError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject, JsonRpcErrorObject } from "../../jsonrpc/message.ts";
import type { InsufficientScopeError } from "../../protocol/authorization-errors.ts";
import { type MissingCapabilityError, mcpCodes, type UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { Revision } from "../../revision/revision.ts";

/** Classes whose codes are among those that the protocol keeps for itself. */
const reserved: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "MCP_HEADER_MISMATCH",
  "MCP_MISSING_CAPABILITY",
  "MCP_UNSUPPORTED_REVISION",
]);

/** Whether something is a JSON-RPC error, made by whichever copy of the library. */
export function isRpcError(error: unknown): error is RpcError {
  return error instanceof RpcError || (isMcpError(error) && "rpcCode" in error && Number.isInteger(error.rpcCode));
}

/** Whether an error names pages that must be opened first. */
export function isUrlRequired(error: unknown): error is UrlElicitationRequiredError {
  return isMcpError(error) && error.code === "MCP_URL_ELICITATION_REQUIRED";
}

/** Whether an error names scopes that the caller's token lacks: over HTTP another token can be had [AUTH-065]. */
export function isScopeMissing(error: unknown): error is InsufficientScopeError {
  return isMcpError(error) && error.code === "MCP_INSUFFICIENT_SCOPE" && isRpcError(error) && !error.remote;
}

/** Whether an error is about something that this client did not declare. */
export function isMissingCapability(error: unknown): error is MissingCapabilityError {
  return isMcpError(error) && error.code === "MCP_MISSING_CAPABILITY" && isRpcError(error) && !error.remote;
}

/**
 * An error as it goes over the wire.
 *
 * @param onReplaced - told where a code may not be sent and another is
 */
export function toSentError(
  error: RpcError,
  revision: Revision,
  onReplaced: (code: number) => void,
): JsonRpcErrorObject {
  const complete = isMissingCapability(error) && revision.lifecycle === "stateless" ? withCapabilities(error) : error;
  const encoded = revision.encodeError(complete);
  if (revision.lifecycle !== "stateless" || !isReserved(encoded.code) || reserved.has(error.code)) {
    return encoded;
  }
  onReplaced(encoded.code);
  const isMissing = encoded.code === mcpCodes.resourceNotFound;
  return { ...encoded, code: isMissing ? rpcCodes.invalidParams : rpcCodes.internalError };
}

/** JSON-RPC leaves these codes to the protocol, which gives them out one by one [M-ERR-002, M-ERR-003, M-ERR-005]. */
function isReserved(code: number): boolean {
  return code <= -32_000 && code >= -32_099;
}

/** The data that the code promises, also where an author made the error by hand [M-ERR-008]. */
function withCapabilities(error: MissingCapabilityError): RpcError {
  const { data } = error;
  if (typeof data === "object" && data !== null && "requiredCapabilities" in data) {
    return error;
  }
  const [name = error.capability, ...rest] = error.capability.split(".");
  const inner = name === "extensions" ? [rest.join(".")] : rest;
  const required = [name, ...inner].reduceRight<JsonObject>((below, part) => ({ [part]: below }), {});
  const more = { data: { requiredCapabilities: required } };
  return Object.assign(new RpcError(error.rpcCode, error.message, more), { code: error.code });
}
