/**
 * The one error that crosses the wire, and the codes that JSON-RPC itself defines.
 *
 * What MCP adds are subclasses in protocol/errors.ts.
 */
import { McpError, type McpErrorOptions } from "../base/error.ts";

/**
 * The codes of JSON-RPC 2.0.
 *
 * @example
 * ```ts
 * import { RpcError, rpcCodes } from "parley-mcp";
 *
 * export function isServerFault(error: unknown): boolean {
 *   return error instanceof RpcError && error.remote && error.rpcCode === rpcCodes.internalError;
 * }
 * ```
 */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
} as const;

/** Options of an {@link RpcError}. */
export interface RpcErrorOptions extends McpErrorOptions {
  /** Any JSON value with details for the other side. */
  data?: unknown;
  /** Whether the peer sent it. Default false: it is ours to send. */
  remote?: boolean;
}

/**
 * A JSON-RPC error: thrown by a handler it is sent as it is, thrown by a call it is what the peer answered.
 * Specification: Basic > Messages > Error responses.
 *
 * @example
 * ```ts
 * import { RpcError } from "parley-mcp";
 *
 * export function requireKnown(name: string, known: ReadonlySet<string>): void {
 *   if (!known.has(name)) {
 *     throw new RpcError(-32602, `expected a known name, got ${name}`, { data: { name } });
 *   }
 * }
 * ```
 */
export class RpcError<Code extends string = string> extends McpError {
  readonly code: Code = "MCP_RPC" as Code;
  /** The integer `code` of the JSON-RPC error. */
  readonly rpcCode: number;
  /** The `data` of the JSON-RPC error. */
  readonly data: unknown;
  /** Whether the peer sent this error. */
  readonly remote: boolean;

  /**
   * @param rpcCode - an integer; -32000 to -32099 belong to JSON-RPC and MCP
   * @param message - one sentence for the other side
   */
  constructor(rpcCode: number, message: string, options: RpcErrorOptions = {}) {
    super(message, options);
    this.rpcCode = rpcCode;
    this.data = options.data;
    this.remote = options.remote ?? false;
  }
}
