/**
 * A message of a stateless revision as it goes to the link: encoded, and with what it says about its sender.
 *
 * Nothing is remembered between messages, so each one is made from what holds at that moment.
 * Specification: Basic > Messages > Request metadata.
 */
import { isMcpError } from "../../base/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import { withEnvelope } from "../../protocol/envelope.ts";
import { mcpCodes, SessionExpiredError } from "../../protocol/errors.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { LoggingLevel } from "../../protocol/types/logging.ts";
import { readClientCapabilities } from "../../revision/negotiate.ts";
import type { Revision } from "../../revision/revision.ts";
import type { ClientIdentity } from "../sessions/handshake.ts";
import { withTasksOf } from "../tasks/extension.ts";
import { isRpcError } from "./rpc-error.ts";

/** Adds the envelope, which replaces what the caller put under its keys [M-META-001] [M-META-003] [M-META-007]. */
export function encodeStateless(
  { method, params }: Call,
  revision: Revision,
  identity: ClientIdentity,
  logLevel?: LoggingLevel,
): Call {
  const envelope = {
    protocolVersion: revision.id,
    clientCapabilities: toDeclared(revision, identity.capabilities),
    clientInfo: identity.anonymous ? undefined : identity.info,
    logLevel,
  };
  return { method, params: withEnvelope(revision.encodeParams(method, params), envelope) };
}

/**
 * The refusal of a revision that was agreed on, as the end of what was agreed: the server has become another one since,
 * and is to be asked anew [M-VER-009]. Any other error stays itself.
 */
export function toRevisionLoss(error: unknown): unknown {
  return isRpcError(error) && error.remote && error.rpcCode === mcpCodes.unsupportedProtocolVersion
    ? new SessionExpiredError("the server no longer speaks the revision that was agreed on", { cause: error })
    : error;
}

/** The refusal itself, where asking anew has not helped. */
export function fromRevisionLoss(error: unknown): unknown {
  return isMcpError(error) && error.code === "MCP_SESSION_EXPIRED" && isRpcError(error.cause) ? error.cause : error;
}

/** What a client declares, as far as the revision knows it: what cannot be sent is not announced [M-META-006]. */
export function toDeclared(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  const known = readClientCapabilities(revision, { capabilities: withTasksOf(revision, capabilities) });
  return known.roots === undefined || revision.has("notifications/roots/list_changed", "server")
    ? known
    : { ...known, roots: {} };
}
