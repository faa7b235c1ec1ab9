/**
 * The headers that every message of a stateless revision repeats from its body: revision, method, and the name of what
 * it is about.
 *
 * Origin and token are looked at before, the method's existence and `Mcp-Param-*` after what is checked here.
 * Specification: Basic > Transports > Streamable HTTP > Request metadata, Server validation.
 */
import { rpcCodes } from "../jsonrpc/error.ts";
import type { JsonObject, JsonRpcErrorObject, JsonRpcNotification, JsonRpcRequest } from "../jsonrpc/message.ts";
import { envelopeKeys, type readEnvelope } from "../protocol/envelope.ts";
import { mcpCodes } from "../protocol/errors.ts";
import {
  checkHeaderValue,
  encodeHeaderValue,
  type HeaderLookup,
  type HeadersResult,
  quote,
  trimHeaderValue,
} from "../protocol/header-value.ts";
import { readMeta } from "../protocol/meta.ts";
import type { ServerRequests } from "../protocol/methods.ts";
import { headerNames } from "./headers.ts";

/** Names of the headers that repeat what a message is about, in lower case. */
export const standardHeaderNames = {
  /** The method of the message. */
  method: "mcp-method",
  /** The tool, prompt, resource or task that it is about. */
  name: "mcp-name",
} as const;

/** The member of the params that `Mcp-Name` repeats. Other methods have no such header. */
const nameSources: { readonly [M in keyof ServerRequests]?: string & keyof ServerRequests[M]["params"] } = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/**
 * The headers of a message, for the client [M-HTTP-016] [M-HDR-001] [M-HDR-002] [M-HDR-006].
 *
 * The revision is the one of the envelope, so that header and body cannot differ; a notification without an envelope
 * gets no such header here. A name that is missing in the params is left to the server's answer.
 *
 * @param params - as they go into the body, envelope included
 * @returns headers in lower case, or why the message cannot be sent: a method or a name that no header can carry
 *
 * @example
 * ```ts
 * toStandardHeaders("tools/call", { name: "add" });
 * // { ok: true, headers: { "mcp-method": "tools/call", "mcp-name": "add" } }
 * ```
 */
export function toStandardHeaders(method: string, params: JsonObject | undefined): HeadersResult {
  const revision = readMeta(params)?.[envelopeKeys.protocolVersion];
  const name = readName(method, params);
  const encoded = name === undefined ? undefined : encodeHeaderValue(name);
  if (encoded?.ok === false) {
    return { ok: false, problem: `params.${nameMember(method)}: ${encoded.problem}, for Mcp-Name` };
  }
  if (!isPlainValue(method)) {
    return { ok: false, problem: `method: expected visible ASCII, for Mcp-Method, got ${quote(method)}` };
  }
  return {
    ok: true,
    headers: {
      ...(typeof revision === "string" ? { [headerNames.protocolVersion]: revision } : undefined),
      [standardHeaderNames.method]: method,
      ...(encoded === undefined ? undefined : { [standardHeaderNames.name]: encoded.value }),
    },
  };
}

/** What a server knows when it checks the headers of a message. */
export interface StandardHeaderContext {
  readonly header: HeaderLookup;
  /** What reading the envelope of the message gave. */
  readonly envelope: ReturnType<typeof readEnvelope>;
  /** The revisions that are served to requests that stand for themselves, as they go over the wire. */
  readonly supported: readonly string[];
}

/**
 * Whether the headers of a message say what its body says, for the server; the first thing wrong decides. The order is
 * fixed: the revision's header is there, the envelope is complete, the two agree, the revision is served, then method
 * and name [M-HTTP-017] [M-HTTP-018] [M-HTTP-019] [M-HDR-003] [M-HDR-004].
 *
 * Nothing is demanded of notifications, for which the specification says nothing about headers [M-HDR-005].
 *
 * @returns the error to answer with, always with status 400, or `undefined`
 */
export function checkStandardHeaders(
  message: JsonRpcRequest | JsonRpcNotification,
  context: StandardHeaderContext,
): JsonRpcErrorObject | undefined {
  return "id" in message ? (checkRevision(context) ?? checkRouting(message, context.header)) : undefined;
}

function checkRevision({ header, envelope, supported }: StandardHeaderContext): JsonRpcErrorObject | undefined {
  const received = header(headerNames.protocolVersion);
  if (received === undefined) {
    const wanted = "expected the revision that params._meta says";
    return createMismatch(`MCP-Protocol-Version: ${wanted}, got no such header; send it with every POST`);
  }
  if (!envelope.ok) {
    return { code: rpcCodes.invalidParams, message: envelope.problem };
  }
  const { protocolVersion } = envelope.envelope;
  if (trimHeaderValue(received) !== protocolVersion) {
    const wanted = `expected ${quote(protocolVersion)}, as params._meta says`;
    return createMismatch(`MCP-Protocol-Version: ${wanted}, got ${quote(received)}; send the same in both places`);
  }
  if (!supported.includes(protocolVersion)) {
    return {
      code: mcpCodes.unsupportedProtocolVersion,
      message: `unsupported protocol version: expected one of ${supported.join(", ")}, got ${quote(protocolVersion)}`,
      data: { supported, requested: protocolVersion },
    };
  }
  return undefined;
}

function checkRouting({ method, params }: JsonRpcRequest, header: HeaderLookup): JsonRpcErrorObject | undefined {
  const received = header(standardHeaderNames.method);
  if (received === undefined || trimHeaderValue(received) !== method) {
    const got = received === undefined ? "no such header" : quote(received);
    return createMismatch(`Mcp-Method: expected ${quote(method)}, the method in the body, got ${got}`);
  }
  const member = nameMember(method);
  if (member === undefined) {
    return undefined;
  }
  const sent = header(standardHeaderNames.name);
  const name = readName(method, params);
  if (name !== undefined) {
    const fault = checkHeaderValue(sent, name, `params.${member}`);
    return fault === undefined ? undefined : createMismatch(`Mcp-Name: ${fault}`);
  }
  // Without either, the check of the params says better what is missing.
  return sent === undefined
    ? undefined
    : createMismatch(`Mcp-Name: expected no such header, as params.${member} is no text, got ${quote(sent)}`);
}

/** The member of the params that holds the name; nothing for a method that is about nothing in particular. */
function nameMember(method: string): string | undefined {
  return Object.hasOwn(nameSources, method) ? nameSources[method as keyof ServerRequests] : undefined;
}

function readName(method: string, params: JsonObject | undefined): string | undefined {
  const member = nameMember(method);
  const name = member === undefined ? undefined : params?.[member];
  return typeof name === "string" ? name : undefined;
}

/** Whether a value needs no encoding, which `Mcp-Method` cannot have. */
function isPlainValue(value: string): boolean {
  const encoded = encodeHeaderValue(value);
  return encoded.ok && encoded.value === value;
}

function createMismatch(message: string): JsonRpcErrorObject {
  return { code: mcpCodes.headerMismatch, message };
}
