/**
 * The metadata of a request that stands for itself: its revision, what the client can do, who it is, its log level.
 *
 * What a session remembers in the handshake revisions, such a request says again every time.
 * Specification: Basic > Messages > Request metadata.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { type Check, findMismatch } from "./check.ts";
import { loggingLevel } from "./checks/logging.ts";
import { implementation } from "./checks/metadata.ts";
import { readMeta } from "./meta.ts";
import type { ClientCapabilities } from "./types/lifecycle.ts";
import type { LoggingLevel } from "./types/logging.ts";
import type { Implementation } from "./types/metadata.ts";

/** See the head of this file. */
export interface Envelope {
  readonly protocolVersion: string;
  /** What the client can do for this very request. */
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo?: Implementation | undefined;
  /** The least severe log message wanted; none are sent without it [M-LOG-001]. */
  readonly logLevel?: LoggingLevel | undefined;
}

/** Keys of the envelope in `_meta`. */
export const envelopeKeys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

const envelopeCheck: Check = {
  required: { [envelopeKeys.protocolVersion]: "string", [envelopeKeys.clientCapabilities]: "object" },
  optional: { [envelopeKeys.clientInfo]: implementation, [envelopeKeys.logLevel]: loggingLevel },
};

/** Whether params carry an envelope, complete or not: messages of the handshake revisions never do. */
export function isEnveloped(params: JsonObject | undefined): boolean {
  const meta = readMeta(params);
  return meta !== undefined && (envelopeKeys.protocolVersion in meta || envelopeKeys.clientCapabilities in meta);
}

/** Reads the envelope, or says what is wrong with it, for an error -32602 [M-META-004]. */
export function readEnvelope(
  params: JsonObject | undefined,
): { readonly ok: true; readonly envelope: Envelope } | { readonly ok: false; readonly problem: string } {
  const meta = params?._meta;
  const problem = isObject(meta)
    ? findMismatch(envelopeCheck, meta, "params._meta")
    : "params._meta: expected an object with the request's metadata, got nothing";
  if (problem !== undefined || !isObject(meta)) {
    return { ok: false, problem: problem ?? "params._meta: expected an object" };
  }
  return {
    ok: true,
    envelope: {
      protocolVersion: meta[envelopeKeys.protocolVersion] as string,
      clientCapabilities: meta[envelopeKeys.clientCapabilities] as ClientCapabilities,
      clientInfo: meta[envelopeKeys.clientInfo] as Implementation | undefined,
      logLevel: meta[envelopeKeys.logLevel] as LoggingLevel | undefined,
    },
  };
}

/** Params with the envelope; what the caller put under its keys does not count [M-META-007]. */
export function withEnvelope(params: JsonObject | undefined, envelope: Envelope): JsonObject {
  const { protocolVersion, clientCapabilities, clientInfo, logLevel } = envelope;
  return {
    ...params,
    _meta: {
      ...readMeta(params),
      [envelopeKeys.protocolVersion]: protocolVersion,
      [envelopeKeys.clientCapabilities]: clientCapabilities,
      ...(clientInfo === undefined ? undefined : { [envelopeKeys.clientInfo]: clientInfo }),
      ...(logLevel === undefined ? undefined : { [envelopeKeys.logLevel]: logLevel }),
    },
  };
}
