/**
 * Requests that stand for themselves: what they must say, and which revisions there are to say it in.
 *
 * Specification: Basic > General fields > `_meta`; Basic > Versioning.
 */
import type { JsonRpcRequest } from "../../jsonrpc/message.ts";
import type { Envelope } from "../../protocol/envelope.ts";
import { InvalidParamsError, UnsupportedRevisionError } from "../../protocol/errors.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { findStateless, revisions } from "../../revision/registry.ts";

/** The ids of the revisions that are served, newest first: the same wherever they are named [M-VER-003]. */
export function servedRevisions({ served }: McpContext): readonly string[] {
  return served ?? revisions.map(({ id }) => id);
}

/** What a request says about itself, where it does so usably. */
export function envelopeOf({ envelope }: McpContext): Envelope | undefined {
  return envelope?.ok === true ? envelope.envelope : undefined;
}

/**
 * Fails for a request of a stateless revision that does not say what it must.
 *
 * @throws InvalidParamsError without the metadata [M-META-004]
 * @throws UnsupportedRevisionError for a revision that is not served [M-VER-001], and for a handshake [M-VER-008]
 */
export function assertEnvelope({ method, params }: JsonRpcRequest, context: McpContext): void {
  const { revision, envelope } = context;
  if (revision.lifecycle !== "stateless") {
    return;
  }
  const served = servedRevisions(context);
  if (envelope?.ok !== true && method === "initialize") {
    throw new UnsupportedRevisionError(String(params?.protocolVersion).slice(0, 64), served);
  }
  if (envelope?.ok !== true) {
    throw new InvalidParamsError(envelope?.problem ?? "params._meta: expected the request's metadata, got nothing");
  }
  const { protocolVersion } = envelope.envelope;
  if (findStateless(protocolVersion) === undefined || !served.includes(protocolVersion)) {
    throw new UnsupportedRevisionError(protocolVersion, served);
  }
}
