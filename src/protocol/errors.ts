/**
 * What MCP adds to the errors: its JSON-RPC errors, the error of a tool, authorization, and the union of all codes.
 *
 * Specification: Basic > Messages > Error responses, and the error sections of each feature.
 */
import {
  type ClosedError,
  type HttpError,
  McpError,
  type McpErrorOptions,
  type PeerError,
  type TimeoutError,
  type UsageError,
} from "../base/error.ts";
import { RpcError, type RpcErrorOptions, rpcCodes } from "../jsonrpc/error.ts";
import type { MessageTooLargeError } from "../jsonrpc/too-large.ts";
import type { AuthorizationError, AuthorizationRequiredError, InsufficientScopeError } from "./authorization-errors.ts";
import type { ContentBlock } from "./types/content.ts";
import type { ElicitRequestURLParams } from "./types/elicitation.ts";

/**
 * The codes that MCP defines beside those of JSON-RPC.
 *
 * @example
 * ```ts
 * import { mcpCodes, RpcError } from "parley-mcp";
 *
 * // For the handler of a sampling request that its person turned down.
 * throw new RpcError(mcpCodes.userRejected, "the user declined to let a model answer");
 * ```
 */
export const mcpCodes = {
  /** A person refused a sampling request. */
  userRejected: -1,
  resourceNotFound: -32002,
  urlElicitationRequired: -32042,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const;

/** Options of the errors below. One that a peer sent keeps its own code and words. */
export interface FittedErrorOptions extends RpcErrorOptions {
  /** The words, in place of those that the error has of itself. */
  message?: string;
  /** The code, in place of the one that the error has of itself. */
  rpcCode?: number;
}

/**
 * The peer, or we, know no such method, or its capability was not declared.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * // True: go on without the feature, the other side does not have it.
 * export const isUnsupported = (error: KnownError): boolean => error.code === "MCP_METHOD_NOT_FOUND";
 * ```
 */
export class MethodNotFoundError extends RpcError<"MCP_METHOD_NOT_FOUND"> {
  override readonly code = "MCP_METHOD_NOT_FOUND";

  constructor(method: string, options?: FittedErrorOptions) {
    super(rpcCodes.methodNotFound, options?.message ?? `method not found: ${method}`, options);
  }
}

/**
 * Params that do not fit the method. The message names the member, what was expected and what came.
 *
 * @example
 * ```ts
 * import { InvalidParamsError } from "parley-mcp";
 *
 * throw new InvalidParamsError("params.since: expected a date, got \"soon\"");
 * ```
 */
export class InvalidParamsError extends RpcError<"MCP_INVALID_PARAMS"> {
  override readonly code = "MCP_INVALID_PARAMS";

  constructor(message: string, options?: RpcErrorOptions) {
    super(rpcCodes.invalidParams, message, options);
  }
}

/**
 * The peer did not declare a capability that the call needs. Raised before anything is sent.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * export function explain(error: KnownError): string {
 *   return error.code === "MCP_MISSING_CAPABILITY" ? `the other side lacks ${error.capability}` : error.message;
 * }
 * ```
 */
export class MissingCapabilityError extends RpcError<"MCP_MISSING_CAPABILITY"> {
  override readonly code = "MCP_MISSING_CAPABILITY";
  /** The capability, as a path such as `sampling.tools`. */
  readonly capability: string;

  constructor(capability: string, message: string, options?: FittedErrorOptions) {
    super(options?.rpcCode ?? rpcCodes.methodNotFound, message, options);
    this.capability = capability;
  }
}

/**
 * No revision of the protocol is spoken by both sides.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * export function explain(error: KnownError): string {
 *   return error.code === "MCP_UNSUPPORTED_REVISION" ? `it speaks ${error.supported.join(", ")}` : error.message;
 * }
 * ```
 */
export class UnsupportedRevisionError extends RpcError<"MCP_UNSUPPORTED_REVISION"> {
  override readonly code = "MCP_UNSUPPORTED_REVISION";
  /** What was asked for. */
  readonly requested: string;
  /** What the refusing side speaks. */
  readonly supported: readonly string[];

  constructor(requested: string, supported: readonly string[], options?: FittedErrorOptions) {
    super(
      options?.rpcCode ?? rpcCodes.invalidParams,
      options?.message ?? `unsupported protocol version: expected one of ${supported.join(", ")}, got ${requested}`,
      { data: { supported, requested }, ...options },
    );
    this.requested = requested;
    this.supported = supported;
  }
}

/**
 * An HTTP header does not say what the body says. Specification: Basic > Transports > Streamable HTTP.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * // True: something between client and server rewrote the headers; look at the proxy, not at the call.
 * export const isRewritten = (error: KnownError): boolean => error.code === "MCP_HEADER_MISMATCH";
 * ```
 */
export class HeaderMismatchError extends RpcError<"MCP_HEADER_MISMATCH"> {
  override readonly code = "MCP_HEADER_MISMATCH";

  constructor(message: string, options?: RpcErrorOptions) {
    super(mcpCodes.headerMismatch, message, options);
  }
}

/**
 * No resource has this URI. Specification: Server > Resources > Error handling.
 *
 * @example
 * ```ts
 * import { ResourceNotFoundError } from "parley-mcp";
 *
 * throw new ResourceNotFoundError("note://gone");
 * ```
 */
export class ResourceNotFoundError extends RpcError<"MCP_RESOURCE_NOT_FOUND"> {
  override readonly code = "MCP_RESOURCE_NOT_FOUND";
  readonly uri: string;

  constructor(uri: string, options?: FittedErrorOptions) {
    super(options?.rpcCode ?? mcpCodes.resourceNotFound, options?.message ?? `resource not found: ${uri}`, {
      data: { uri },
      ...options,
    });
    this.uri = uri;
  }
}

/**
 * The request needs the user to visit a URL first.
 * Specification: Client > Elicitation > URL elicitation required error.
 *
 * @example
 * ```ts
 * import { UrlElicitationRequiredError } from "parley-mcp";
 *
 * const url = "https://example.com/sign-in";
 * throw new UrlElicitationRequiredError([{ mode: "url", elicitationId: "1", url, message: "Sign in first" }]);
 * ```
 */
export class UrlElicitationRequiredError extends RpcError<"MCP_URL_ELICITATION_REQUIRED"> {
  override readonly code = "MCP_URL_ELICITATION_REQUIRED";
  readonly elicitations: readonly ElicitRequestURLParams[];

  constructor(elicitations: readonly ElicitRequestURLParams[], message?: string, options?: RpcErrorOptions) {
    super(mcpCodes.urlElicitationRequired, message ?? "the user must visit a URL first", {
      data: { elicitations },
      ...options,
    });
    this.elicitations = elicitations;
  }
}

/**
 * The server ended or forgot the session. The client makes a new one. Specification: Transports > Session management.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * // True: ask again what you had asked for, subscriptions and the logging level are those of a new session.
 * export const isForgotten = (error: KnownError): boolean => error.code === "MCP_SESSION_EXPIRED";
 * ```
 */
export class SessionExpiredError extends McpError {
  readonly code = "MCP_SESSION_EXPIRED";
}

/**
 * Thrown by a tool: a message for the model, sent as a result with `isError`.
 * Specification: Server > Tools > Error handling.
 *
 * @example
 * ```ts
 * import { ToolError } from "parley-mcp";
 *
 * export function findUser(id: string, users: ReadonlyMap<string, string>): string {
 *   const user = users.get(id);
 *   if (user === undefined) {
 *     throw new ToolError(`no user ${id}; list users first`);
 *   }
 *   return user;
 * }
 * ```
 */
export class ToolError extends McpError {
  readonly code = "MCP_TOOL";
  /** What the model sees: the message as text unless given. */
  readonly content: readonly ContentBlock[];

  constructor(message: string, options: McpErrorOptions & { content?: readonly ContentBlock[] } = {}) {
    super(message, options);
    this.content = options.content ?? [{ type: "text", text: message }];
  }
}

/**
 * The errors that both roles throw on every link. `switch (error.code)` narrows it. A code of one role or one link has its
 * class there: `MCP_INPUT` at the client, `MCP_SERVER_PROCESS` at the stdio client, `MCP_SUSPENDED` in a handler.
 */
export type KnownError =
  | RpcError<"MCP_RPC">
  | MethodNotFoundError
  | InvalidParamsError
  | MissingCapabilityError
  | UnsupportedRevisionError
  | HeaderMismatchError
  | ResourceNotFoundError
  | UrlElicitationRequiredError
  | ClosedError
  | TimeoutError
  | HttpError
  | PeerError
  | UsageError
  | MessageTooLargeError
  | SessionExpiredError
  | AuthorizationRequiredError
  | AuthorizationError
  | InsufficientScopeError
  | ToolError;

/** The codes of all errors. */
export type ErrorCode = KnownError["code"];
