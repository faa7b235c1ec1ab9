/**
 * JSON-RPC 2.0 messages as MCP uses them, and the one place that tells what kind of message a JSON value is.
 *
 * Ids are strings or integers and never null; params, where present, are an object.
 * Specification: Basic > Messages.
 */
import { isObject } from "../base/json.ts";
import { rpcCodes } from "./error.ts";

/** A value that JSON can write. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** A JSON object whose members have not been looked at. */
export type JsonObject = { [key: string]: unknown };

/** Pairs a response with its request. Each direction has ids of its own. */
export type RequestId = string | number;

/** Asks for a result. */
export interface JsonRpcRequest {
  jsonrpc: "2.0";
  id: RequestId;
  method: string;
  params?: JsonObject;
}

/** Tells something; never answered. */
export interface JsonRpcNotification {
  jsonrpc: "2.0";
  method: string;
  params?: JsonObject;
}

/** The error member of a response. */
export interface JsonRpcErrorObject {
  code: number;
  message: string;
  data?: unknown;
}

/** Answers a request with its result. */
export interface JsonRpcResultResponse {
  jsonrpc: "2.0";
  id: RequestId;
  result: JsonObject;
}

/** Answers a request with an error; without an id only where none could be read. */
export interface JsonRpcErrorResponse {
  jsonrpc: "2.0";
  id?: RequestId;
  error: JsonRpcErrorObject;
}

/** Either answer to a request. */
export type JsonRpcResponse = JsonRpcResultResponse | JsonRpcErrorResponse;

/** Anything that travels on a link. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcResponse;

/** What a JSON value turned out to be. */
export type Classified =
  | { readonly kind: "request"; readonly message: JsonRpcRequest }
  | { readonly kind: "notification"; readonly message: JsonRpcNotification }
  | { readonly kind: "response"; readonly message: JsonRpcResponse }
  | InvalidMessage;

/** A JSON value that is no message, and what it seems to have been meant as. */
export interface InvalidMessage {
  readonly kind: "invalid";
  /** Only what was meant as a request, or as nothing recognisable, is answered. */
  readonly meant: "request" | "notification" | "response" | "unknown";
  /** The id, where a usable one was there. */
  readonly id: RequestId | undefined;
  readonly error: JsonRpcErrorObject;
}

/**
 * Whether a value can be a request id: a string, or an integer that a number holds exactly. A larger one has been
 * rounded by being read, and its answer would name another request. Specification: Basic > Messages > Requests.
 *
 * @example
 * ```ts
 * import { isRequestId } from "parley-mcp/jsonrpc";
 *
 * isRequestId(1.5); // false
 * ```
 */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isSafeInteger(value);
}

/**
 * Tells what a JSON value is as a message. Never throws. Specification: Basic > Messages.
 *
 * @example
 * ```ts
 * import { classifyMessage } from "parley-mcp/jsonrpc";
 *
 * const classified = classifyMessage({ jsonrpc: "2.0", id: 1, method: "ping" });
 * if (classified.kind === "request") {
 *   console.log(classified.message.method);
 * }
 * ```
 */
export function classifyMessage(value: unknown): Classified {
  if (!isObject(value)) {
    const came = Array.isArray(value) ? "an array" : value === null ? "null" : typeof value;
    return invalid("unknown", undefined, `expected a JSON-RPC message object, got ${came}`);
  }
  const meant = "method" in value ? ("id" in value ? "request" : "notification") : responseOrUnknown(value);
  const id = isRequestId(value.id) ? value.id : undefined;
  if (value.jsonrpc !== "2.0") {
    return invalid(meant, id, `expected jsonrpc to be "2.0", got ${excerpt(value.jsonrpc)}`);
  }
  return meant === "request" || meant === "notification"
    ? classifyCall(value, meant, id)
    : classifyResponse(value, meant, id);
}

/** What a request and a notification say alike. */
interface Said {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** A request as it is sent: params that are not there are left out. */
export function toRequest(id: RequestId, { method, params }: Said): JsonRpcRequest {
  return params === undefined ? { jsonrpc: "2.0", id, method } : { jsonrpc: "2.0", id, method, params };
}

/** A notification as it is sent: params that are not there are left out. */
export function toNotification({ method, params }: Said): JsonRpcNotification {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/**
 * An error response; without an id where the request had none that could be used. Specification: Basic > Messages > Responses.
 *
 * @example
 * ```ts
 * import { createErrorResponse } from "parley-mcp/jsonrpc";
 *
 * createErrorResponse(1, { code: -32601, message: "method not found: x" });
 * ```
 */
export function createErrorResponse(id: RequestId | undefined, error: JsonRpcErrorObject): JsonRpcErrorResponse {
  return id === undefined ? { jsonrpc: "2.0", error } : { jsonrpc: "2.0", id, error };
}

function classifyCall(value: JsonObject, meant: "request" | "notification", id: RequestId | undefined): Classified {
  if (meant === "request" && id === undefined) {
    const bound = Number.isInteger(value.id) ? ` of at most ${Number.MAX_SAFE_INTEGER}` : "";
    return invalid(meant, id, `expected id to be a string or an integer${bound}, got ${excerpt(value.id)}`);
  }
  if (typeof value.method !== "string") {
    return invalid(meant, id, `expected method to be a string, got ${excerpt(value.method)}`);
  }
  if (value.params !== undefined && !isObject(value.params)) {
    return invalid(meant, id, `expected params to be an object, got ${excerpt(value.params)}`);
  }
  return { kind: meant, message: value as never };
}

function classifyResponse(value: JsonObject, meant: "response" | "unknown", id: RequestId | undefined): Classified {
  if (meant === "unknown") {
    return invalid(meant, id, "expected a method, a result or an error member, got none of them");
  }
  if ("result" in value === "error" in value) {
    return invalid(meant, id, "expected exactly one of result and error, got both");
  }
  if ("result" in value) {
    if (id === undefined || !isObject(value.result)) {
      return invalid(meant, id, `expected an id and an object as result, got ${excerpt(value.result)}`);
    }
  } else if (!isErrorObject(value.error) || (id === undefined && value.id !== undefined && value.id !== null)) {
    return invalid(meant, id, "expected error to have an integer code and a string message");
  }
  return { kind: "response", message: value as never };
}

function responseOrUnknown(value: JsonObject): "response" | "unknown" {
  return "result" in value || "error" in value ? "response" : "unknown";
}

function isErrorObject(value: unknown): value is JsonRpcErrorObject {
  return isObject(value) && Number.isInteger(value.code) && typeof value.message === "string";
}

function invalid(meant: InvalidMessage["meant"], id: RequestId | undefined, message: string): InvalidMessage {
  return { kind: "invalid", meant, id, error: { code: rpcCodes.invalidRequest, message } };
}

function excerpt(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
