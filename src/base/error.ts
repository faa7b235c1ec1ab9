/**
 * The base error and the local error classes: those that never cross the wire.
 *
 * One class per reaction a caller can have, each with a stable `code`. Errors that are sent to a peer are
 * `RpcError` (jsonrpc/error.ts) and its subclasses (protocol/errors.ts).
 */

const brand = Symbol.for("parley-mcp.error");

/** Options every error takes. */
export interface McpErrorOptions {
  /** What was caught when this error was made. */
  cause?: unknown;
}

/**
 * What every error of this library extends. Switch on {@link McpError.code}, which narrows, rather than on the class.
 *
 * @example
 * ```ts
 * import { isMcpError } from "parley-mcp";
 *
 * function reason(error: unknown): string {
 *   return isMcpError(error) ? error.code : "not ours";
 * }
 * ```
 */
export abstract class McpError extends Error {
  /** Stable, documented name of the reaction, such as `MCP_TIMEOUT`. */
  abstract readonly code: string;

  constructor(message: string, options?: McpErrorOptions) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    Object.defineProperty(this, brand, { value: true });
  }
}

/**
 * Whether a value is an error of this library, also one made by another copy of the package or in another realm.
 *
 * @param value - anything that was caught
 *
 * @example
 * ```ts
 * import { isMcpError } from "parley-mcp";
 *
 * export const codeOf = (error: unknown): string | undefined => (isMcpError(error) ? error.code : undefined);
 * ```
 */
export function isMcpError(value: unknown): value is McpError {
  return typeof value === "object" && value !== null && (value as { [brand]?: unknown })[brand] === true;
}

/**
 * The link ended, so nothing more can be sent or will be answered. `cause` says why when it was a fault.
 *
 * @example
 * ```ts
 * import { isMcpError } from "parley-mcp";
 *
 * // True: connect again. Whether the call was carried out is not known.
 * export const isEnded = (error: unknown): boolean => isMcpError(error) && error.code === "MCP_CLOSED";
 * ```
 */
export class ClosedError extends McpError {
  readonly code = "MCP_CLOSED";
}

/** Which limit a {@link TimeoutError} is about. */
export type TimeoutLimit = "idle" | "total" | "connect";

/**
 * A deadline passed. Specification: Basic > Lifecycle > Timeouts.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * export function advise(error: KnownError): string | undefined {
 *   if (error.code === "MCP_TIMEOUT") {
 *     return error.limit === "connect" ? "is the server running?" : `raise the limit of ${error.timeoutMs} ms`;
 *   }
 * }
 * ```
 */
export class TimeoutError extends McpError {
  readonly code = "MCP_TIMEOUT";
  /** The limit that fired: nothing heard for too long, too long altogether, or no connection in time. */
  readonly limit: TimeoutLimit;
  /** The limit, in milliseconds. */
  readonly timeoutMs: number;
  /** How many progress notifications had arrived by then. */
  readonly progressCount: number;

  constructor(
    message: string,
    details: { limit: TimeoutLimit; timeoutMs: number; progressCount?: number } & McpErrorOptions,
  ) {
    super(message, details);
    this.limit = details.limit;
    this.timeoutMs = details.timeoutMs;
    this.progressCount = details.progressCount ?? 0;
  }
}

/**
 * The peer answered with an HTTP status that the protocol gives no meaning here.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * // How long to wait before the next attempt; undefined when another one would not help.
 * export function retryDelayMs(error: KnownError): number | undefined {
 *   return error.code === "MCP_HTTP" && error.status >= 500 ? (error.retryAfterMs ?? 1_000) : undefined;
 * }
 * ```
 */
export class HttpError extends McpError {
  readonly code = "MCP_HTTP";
  /** The HTTP status received. */
  readonly status: number;
  /** The start of the answer's body, at most a few hundred characters. */
  readonly excerpt: string;
  /** How long the server asked to wait before trying again, in milliseconds, where it said so. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    details: { status: number; excerpt?: string; retryAfterMs?: number | undefined } & McpErrorOptions,
  ) {
    super(message, details);
    this.status = details.status;
    this.excerpt = details.excerpt ?? "";
    this.retryAfterMs = details.retryAfterMs;
  }
}

/**
 * The peer broke the protocol. The message says what was expected and what came.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * // A second attempt meets the same fault: tell whoever runs the server.
 * export function describeFault(error: KnownError): string | undefined {
 *   return error.code === "MCP_PEER" ? `fault of the server: ${error.message}` : undefined;
 * }
 * ```
 */
export class PeerError extends McpError {
  readonly code = "MCP_PEER";
}

/**
 * The caller misused the API. Thrown at once, at registration or construction, never later.
 *
 * @example
 * ```ts
 * import { UsageError } from "parley-mcp";
 *
 * // Nothing to catch: the message says which argument to correct. Code built on this library may throw it too.
 * export function assertPort(port: number): void {
 *   if (!Number.isInteger(port)) throw new UsageError(`port: expected an integer, got ${port}`);
 * }
 * ```
 */
export class UsageError extends McpError {
  readonly code = "MCP_USAGE";
}

/**
 * Any caught value as an error of this library; one that already is stays the same object.
 *
 * @param value - what was caught
 * @param wrap - makes the error for everything that is not ours; gets the message and the original as cause
 */
export function toMcpError(
  value: unknown,
  wrap: (message: string, options: McpErrorOptions) => McpError = (message, options) =>
    new ClosedError(message, options),
): McpError {
  if (isMcpError(value)) {
    return value;
  }
  return wrap(value instanceof Error ? value.message : String(value), { cause: value });
}
