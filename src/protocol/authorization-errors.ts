/**
 * The errors of authorization: a person must act, the flow failed, the token lacks scopes.
 *
 * Knows what can be said about a failure, not how authorization works: that is `auth/`.
 * Specification: Basic > Authorization.
 */
import { McpError, type McpErrorOptions } from "../base/error.ts";
import { isObject } from "../base/json.ts";
import { RpcError, type RpcErrorOptions, rpcCodes } from "../jsonrpc/error.ts";
import type { JsonRpcErrorObject } from "../jsonrpc/message.ts";

/**
 * A person must act before the call can succeed: open the URL, then call again.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * export function findPage(error: KnownError): string | undefined {
 *   return error.code === "MCP_AUTHORIZATION_REQUIRED" ? error.url : undefined;
 * }
 * ```
 */
export class AuthorizationRequiredError extends McpError {
  readonly code = "MCP_AUTHORIZATION_REQUIRED";
  /** Where to send the user. */
  readonly url: string;

  constructor(url: string, message: string, options?: McpErrorOptions) {
    super(message, options);
    this.url = url;
  }
}

/** Where in authorization something happened. */
export type AuthorizationStage =
  | "challenge"
  | "resource-metadata"
  | "server-metadata"
  | "registration"
  | "authorization"
  | "token"
  | "refresh"
  | "access";

/** Details of an {@link AuthorizationError}. */
export interface AuthorizationErrorDetails extends McpErrorOptions {
  stage: AuthorizationStage;
  /** The authorization server concerned, where one was found. */
  issuer?: string | undefined;
  /** The error code that the server gave, such as `invalid_grant`. */
  oauthError?: string | undefined;
  /** Whether the same attempt may succeed later, as when a server was out of reach. Default false. */
  isTransient?: boolean | undefined;
}

/**
 * Authorization failed, and trying again as before would fail again unless `isTransient`. The message lists what was tried.
 * Specification: Basic > Authorization.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * export function explainRefusal(error: KnownError): string | undefined {
 *   return error.code === "MCP_AUTHORIZATION" ? `${error.stage} at ${error.issuer}: ${error.oauthError}` : undefined;
 * }
 * ```
 */
export class AuthorizationError extends McpError {
  readonly code = "MCP_AUTHORIZATION";
  readonly stage: AuthorizationStage;
  readonly issuer: string | undefined;
  readonly oauthError: string | undefined;
  readonly isTransient: boolean;

  constructor(message: string, details: AuthorizationErrorDetails) {
    super(message, details);
    this.stage = details.stage;
    this.issuer = details.issuer;
    this.oauthError = details.oauthError;
    this.isTransient = details.isTransient ?? false;
  }
}

/**
 * The caller's token lacks scopes that the request needs. Over HTTP it becomes a 403 whose challenge names them.
 * Specification: Basic > Authorization > Runtime Insufficient Scope Errors.
 *
 * @example
 * ```ts
 * import { InsufficientScopeError } from "parley-mcp";
 * import type { Context } from "parley-mcp/server";
 *
 * // For what cannot be said by `scopes` of the tool, because it depends on the arguments.
 * export function assertMayWrite(path: string, ctx: Context): void {
 *   if (path.startsWith("/etc/") && !ctx.auth?.scopes.includes("files:admin")) {
 *     throw new InsufficientScopeError(["files:admin"], `writing ${path}`);
 *   }
 * }
 * ```
 */
export class InsufficientScopeError extends RpcError<"MCP_INSUFFICIENT_SCOPE"> {
  override readonly code = "MCP_INSUFFICIENT_SCOPE";
  /** All scopes that the request needs, those the caller has included. */
  readonly scopes: readonly string[];

  /**
   * @param scopes - all that the request needs
   * @param what - what needs them, for the message
   */
  constructor(scopes: readonly string[], what = "the request", options?: RpcErrorOptions) {
    super(rpcCodes.invalidRequest, `${what} needs the scopes ${scopes.join(" ")}, not all of which the caller has`, {
      data: { scopes: [...scopes] },
      ...options,
    });
    this.scopes = scopes;
  }
}

/** The scopes that an error asks for; `undefined` where it is about something else. */
export function readNeededScopes(error: JsonRpcErrorObject): readonly string[] | undefined {
  const scopes: unknown = isObject(error.data) ? error.data.scopes : undefined;
  const isList = Array.isArray(scopes) && scopes.length > 0 && scopes.every((scope) => typeof scope === "string");
  return error.code === rpcCodes.invalidRequest && isList ? scopes : undefined;
}
