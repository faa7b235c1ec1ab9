/** Choosing a revision in the handshake, as server and as client. Specification: Basic > Lifecycle > Version negotiation. */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { UnsupportedRevisionError } from "../protocol/errors.ts";
import type { ClientCapabilities, ServerCapabilities } from "../protocol/types/lifecycle.ts";
import { findHandshake, handshakeRevisions } from "./registry.ts";
import type { Revision } from "./revision.ts";

/**
 * What a server answers to a requested revision: that one if it speaks it, else its newest [LIFE-013, LIFE-014].
 *
 * @param served - ids of the revisions it speaks, those without a handshake included; all where there are none
 * @returns nothing where it speaks only revisions without a handshake
 */
export function chooseRevision(requested: string, served?: readonly string[]): Revision | undefined {
  const spoken = handshakeRevisions.filter(({ id }) => served?.includes(id) ?? true);
  return spoken.find(({ id }) => id === requested) ?? spoken[0];
}

/**
 * The revision a server chose, checked by the client, which ends the connection if it cannot speak it [LIFE-015].
 *
 * @param chosen - what the server answered
 * @param requested - what the client had asked for
 * @throws {@link UnsupportedRevisionError}
 */
export function acceptRevision(chosen: string, requested: Revision): Revision {
  const revision = findHandshake(chosen);
  if (revision === undefined) {
    const supported = handshakeRevisions.map((known) => known.id);
    throw new UnsupportedRevisionError(chosen, supported, {
      data: { requested: requested.id, answered: chosen, supported },
    });
  }
  return revision;
}

/**
 * What a client declared, as far as the negotiated revision knows it: a feature of a later revision is not used just
 * because a peer names it [LIFE-017].
 *
 * @param params - the params of `initialize`
 */
export function readClientCapabilities(revision: Revision, params: JsonObject): ClientCapabilities {
  return capabilitiesOf(revision.decodeParams("initialize", revision.encodeParams("initialize", params)));
}

/**
 * What a server declared, as far as the negotiated revision knows it [LIFE-017].
 *
 * @param result - the result of `initialize`
 */
export function readServerCapabilities(revision: Revision, result: JsonObject): ServerCapabilities {
  return capabilitiesOf(revision.decodeResult("initialize", revision.encodeResult("initialize", result)));
}

function capabilitiesOf(holder: JsonObject | undefined): JsonObject {
  return isObject(holder?.capabilities) ? holder.capabilities : {};
}
