/**
 * A server's JSON-RPC error in the class that fits its code, so that `error.code` is worth switching on.
 *
 * Code, message and data stay exactly as they were sent; an error whose data lacks what its class promises stays plain.
 */
import { isObject } from "../../base/json.ts";
import { type RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { capabilityPaths } from "../../protocol/capabilities.ts";
import {
  type FittedErrorOptions,
  HeaderMismatchError,
  InvalidParamsError,
  MethodNotFoundError,
  MissingCapabilityError,
  mcpCodes,
  ResourceNotFoundError,
  UnsupportedRevisionError,
  UrlElicitationRequiredError,
} from "../../protocol/errors.ts";
import { checkParams } from "../../protocol/params.ts";
import type { ElicitRequestURLParams } from "../../protocol/types/elicitation.ts";
import { isRpcError } from "./rpc-error.ts";

/**
 * Gives an error of a call its class; anything that is no plain error of the server stays the same object.
 *
 * @param call - what was asked, for what the error itself does not repeat
 */
export function toFittingError(error: unknown, call: Call): unknown {
  return isRpcError(error) && error.remote && error.code === "MCP_RPC" ? (classify(error, call) ?? error) : error;
}

function classify(error: RpcError, { method, params = {} }: Call): RpcError | undefined {
  const { rpcCode, message } = error;
  const data = isObject(error.data) ? error.data : {};
  const options: FittedErrorOptions = { rpcCode, message, data: error.data, remote: true };
  switch (rpcCode) {
    case rpcCodes.methodNotFound:
      return new MethodNotFoundError(method, options);
    case rpcCodes.invalidParams:
      return (
        (method === "initialize" ? toUnsupportedRevision(data, params, options) : undefined) ??
        // Newer revisions have no code of its own for this: the URI in the data tells [M-RES-002].
        (method === "resources/read" && data.uri === params.uri ? toResourceNotFound(data, {}, options) : undefined) ??
        new InvalidParamsError(message, options)
      );
    case mcpCodes.unsupportedProtocolVersion:
      return toUnsupportedRevision(data, params, options);
    case mcpCodes.resourceNotFound:
      return toResourceNotFound(data, params, options);
    case mcpCodes.urlElicitationRequired:
      return toUrlElicitationRequired(data, options);
    case mcpCodes.headerMismatch:
      return new HeaderMismatchError(message, options);
    case mcpCodes.missingClientCapability:
      return toMissingCapability(data, options);
    default:
      return undefined;
  }
}

function toUnsupportedRevision(
  { supported, requested }: JsonObject,
  { protocolVersion }: JsonObject,
  options: FittedErrorOptions,
): UnsupportedRevisionError | undefined {
  if (!Array.isArray(supported)) {
    return undefined;
  }
  const asked = typeof requested === "string" ? requested : String(protocolVersion ?? "");
  const named = supported.filter((revision) => typeof revision === "string");
  return new UnsupportedRevisionError(asked, named, options);
}

function toResourceNotFound(
  data: JsonObject,
  params: JsonObject,
  options: FittedErrorOptions,
): ResourceNotFoundError | undefined {
  const uri = data.uri ?? params.uri;
  return typeof uri === "string" ? new ResourceNotFoundError(uri, options) : undefined;
}

function toUrlElicitationRequired(
  { elicitations }: JsonObject,
  options: FittedErrorOptions,
): UrlElicitationRequiredError | undefined {
  const isUsable =
    Array.isArray(elicitations) &&
    elicitations.length > 0 &&
    elicitations.every((params) => checkParams("elicitation/create", params) === undefined && params.mode === "url");
  return isUsable
    ? new UrlElicitationRequiredError(elicitations as ElicitRequestURLParams[], options.message, options)
    : undefined;
}

function toMissingCapability(
  { requiredCapabilities }: JsonObject,
  options: FittedErrorOptions,
): MissingCapabilityError | undefined {
  const [capability] = isObject(requiredCapabilities) ? capabilityPaths(requiredCapabilities) : [];
  return capability === undefined
    ? undefined
    : new MissingCapabilityError(capability, options.message ?? capability, options);
}
