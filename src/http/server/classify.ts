/**
 * What a POST asks for and which rules hold for it: pure decisions on its body and its headers.
 *
 * Messages that say everything about themselves are told apart before anything looks at sessions: that is decided in
 * `classifyPost` and nowhere else. Specification: Basic > Transports > Session management, Protocol version header;
 * Basic > Versioning > Backward compatibility.
 */
import { isObject } from "../../base/json.ts";
import {
  type Classified,
  classifyMessage,
  type InvalidMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
} from "../../jsonrpc/message.ts";
import { isEnveloped } from "../../protocol/envelope.ts";
import { mcpCodes } from "../../protocol/errors.ts";
import { trimHeaderValue } from "../../protocol/header-value.ts";
import { chooseRevision } from "../../revision/negotiate.ts";
import { assumedHttpRevision, findStateless, latestHandshake } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import type { ServedRevisions } from "../../revision/served.ts";
import { isSessionId } from "../headers.ts";
import type { TextReply } from "../message.ts";
import { createRefusal, type Refusal } from "../status.ts";
import type { ResolvedHttpServerOptions } from "./options.ts";

/** The headers that decide, as received. */
export interface PlacementHeaders {
  readonly protocolVersion: string | undefined;
  readonly sessionId: string | undefined;
}

/** Why a POST is not served. */
export interface Refused {
  readonly kind: "refused";
  readonly refusal: Refusal;
  readonly message: string;
  readonly code?: number | undefined;
  readonly id?: RequestId | undefined;
  readonly data?: unknown;
}

/** The reply that says why. */
export function refuse({ refusal, message, code, id, data }: Refused): TextReply {
  return createRefusal(refusal, message, { code, id, data });
}

/** What a POST belongs to. Where a body is an array, there is no `single` message. */
export type Placement =
  | { readonly kind: "selfContained"; readonly message: JsonRpcRequest | JsonRpcNotification }
  | { readonly kind: "initialize"; readonly message: JsonRpcRequest; readonly revision: Revision }
  | {
      readonly kind: "session";
      readonly sessionId: string;
      /** The revision its header names. */
      readonly declared: Revision | undefined;
      readonly single: Classified | undefined;
    }
  | { readonly kind: "standalone"; readonly revision: Revision; readonly single: Classified | undefined }
  | Refused;

/** What the server is set to. */
type Settings = Pick<ResolvedHttpServerOptions, "revisions" | "sessions">;

/**
 * Decides what a POST belongs to.
 *
 * @param value - its body
 */
export function classifyPost(value: unknown, headers: PlacementHeaders, settings: Settings): Placement {
  const { revisions, sessions } = settings;
  const single = Array.isArray(value) ? undefined : classifyMessage(value);
  if (isSelfContained(value, single, headers.protocolVersion, revisions)) {
    return placeSelfContained(single);
  }
  const hasSessions = sessions !== undefined;
  // An unusable answer goes to the session first, where somebody waits for it.
  if (single?.kind === "invalid" && !(single.meant === "response" && headers.sessionId !== undefined && hasSessions)) {
    return refuseInvalid(single);
  }
  // The handshake says in its params which revision it wants; a header says nothing about it yet [HTTP-051].
  const isHandshake = single?.kind === "request" && single.message.method === "initialize";
  if (isHandshake && (!hasSessions || headers.sessionId === undefined)) {
    return placeHandshake(single.message, revisions);
  }
  const version = isHandshake ? undefined : readRevisionHeader(headers.protocolVersion, revisions);
  if (version?.kind === "refused") {
    return version;
  }
  const declared = version?.revision;
  if (!hasSessions) {
    return placeStandalone(declared, single, revisions);
  }
  const session = readSessionHeader(headers.sessionId);
  return session.kind === "refused" ? session : { kind: "session", sessionId: session.sessionId, declared, single };
}

/** Whether `MCP-Protocol-Version` names a revision whose requests stand for themselves, where such are served. */
export function namesStateless(value: string | undefined, { stateless }: ServedRevisions): boolean {
  return stateless.length > 0 && value !== undefined && findStateless(trimHeaderValue(value)) !== undefined;
}

/**
 * Whether the rules of the revisions without a handshake hold for a body. Its metadata or its header tells; a handshake
 * without such metadata never is, and everything is where no other revisions are served [M-VER-005] [M-VER-006].
 */
function isSelfContained(
  value: unknown,
  single: Classified | undefined,
  version: string | undefined,
  revisions: ServedRevisions,
): boolean {
  // Where one kind alone is served, there is nothing to tell apart.
  if (revisions.stateless.length === 0 || revisions.handshake.length === 0) {
    return revisions.handshake.length === 0;
  }
  if (Array.isArray(value) ? value.some(carriesEnvelope) : carriesEnvelope(value)) {
    return true;
  }
  const isHandshake = single?.kind === "request" && single.message.method === "initialize";
  return !isHandshake && namesStateless(version, revisions);
}

function carriesEnvelope(value: unknown): boolean {
  return isObject(value) && isObject(value.params) && isEnveloped(value.params);
}

/** Only one request or one notification can be self-contained: nobody is asked, so nobody answers [M-HTTP-002]. */
function placeSelfContained(single: Classified | undefined): Placement {
  switch (single?.kind) {
    case "request":
    case "notification":
      return { kind: "selfContained", message: single.message };
    case "invalid":
      return refuseInvalid(single);
    default: {
      const got = single === undefined ? "an array" : "a response";
      const message = `expected one JSON-RPC request or notification, got ${got}`;
      return { kind: "refused", refusal: "invalidRequest", message };
    }
  }
}

/** The revision that the dispatcher will agree to, for what has to be known of it before. */
function placeHandshake(message: JsonRpcRequest, { ids }: ServedRevisions): Placement {
  const wanted = message.params?.protocolVersion;
  const revision = chooseRevision(typeof wanted === "string" ? wanted : "", ids) ?? latestHandshake;
  return { kind: "initialize", message, revision };
}

/** A header that is missing means an early revision, where that is served [HTTP-050] [M-HTTP-018]. */
function placeStandalone(
  declared: Revision | undefined,
  single: Classified | undefined,
  { handshake }: ServedRevisions,
): Placement {
  const revision = declared ?? assumedHttpRevision;
  if (handshake.includes(revision)) {
    return { kind: "standalone", revision, single };
  }
  const expected = `expected one of ${handshake.map(({ id }) => id).join(", ")}`;
  return {
    kind: "refused",
    refusal: "badRevision",
    code: mcpCodes.headerMismatch,
    message: `MCP-Protocol-Version: ${expected}, got no such header; send it with every POST`,
    id: single?.kind === "request" ? single.message.id : undefined,
  };
}

function refuseInvalid({ error, meant, id }: InvalidMessage): Refused {
  const answered = meant === "request" ? id : undefined;
  return { kind: "refused", refusal: "invalidRequest", message: error.message, id: answered };
}

/** Reads `MCP-Protocol-Version` of a handshake revision; nothing where there is none [HTTP-049] [HTTP-051]. */
export function readRevisionHeader(
  value: string | undefined,
  { handshake, ids }: ServedRevisions,
): { readonly kind: "revision"; readonly revision: Revision } | Refused | undefined {
  if (value === undefined) {
    return undefined;
  }
  const revision = handshake.find(({ id }) => id === value);
  if (revision !== undefined) {
    return { kind: "revision", revision };
  }
  return {
    kind: "refused",
    refusal: "badRevision",
    message: `MCP-Protocol-Version: expected one of ${ids.join(", ")}, got ${JSON.stringify(value.slice(0, 64))}`,
    data: { supported: ids, requested: value.slice(0, 64) },
  };
}

/** Reads `MCP-Session-Id` where one is needed [HTTP-044]. */
export function readSessionHeader(
  value: string | undefined,
): { readonly kind: "sessionId"; readonly sessionId: string } | Refused {
  if (value === undefined) {
    const message = "Mcp-Session-Id: expected the id from the reply to initialize, got none; send initialize first";
    return { kind: "refused", refusal: "sessionMissing", message };
  }
  if (!isSessionId(value)) {
    const message =
      "Mcp-Session-Id: expected visible ASCII, at most 256 characters; send the id from the reply to initialize";
    return { kind: "refused", refusal: "sessionMissing", message };
  }
  return { kind: "sessionId", sessionId: value };
}

/** The revision that holds for a message: the session's, which a header may repeat or, unless strict, contradict. */
export function settleRevision(
  declared: Revision | undefined,
  negotiated: Revision,
  isStrict: boolean,
): { readonly kind: "revision"; readonly revision: Revision } | Refused {
  if (isStrict && declared !== undefined && declared !== negotiated) {
    const message = `MCP-Protocol-Version: expected ${negotiated.id}, which this session negotiated, got ${declared.id}`;
    return { kind: "refused", refusal: "badRevision", message };
  }
  return { kind: "revision", revision: negotiated };
}
