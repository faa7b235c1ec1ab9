/**
 * The handshake: `initialize`, the choice of a revision, `notifications/initialized`.
 *
 * Used when a session opens and again when the server has forgotten it. Closing the link after a failure is the
 * caller's business. Specification: Basic > Lifecycle > Initialization.
 */
import { PeerError } from "../../base/error.ts";
import type { Link } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { checkResult } from "../../protocol/results.ts";
import type { ClientCapabilities, InitializeResult, ServerCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Implementation } from "../../protocol/types/metadata.ts";
import { acceptRevision, readServerCapabilities } from "../../revision/negotiate.ts";
import type { Revision } from "../../revision/revision.ts";
import { toFittingError } from "../requests/remote-error.ts";
import { withTasksOf } from "../tasks/extension.ts";

/** What a client says about itself. */
export interface ClientIdentity {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Whether requests that stand for themselves leave out who sends them. */
  readonly anonymous?: boolean | undefined;
}

/** What both sides agreed on, and what the server said about itself. */
export interface Agreement {
  readonly revision: Revision;
  readonly serverInfo: Implementation;
  /** What it offers; `undefined` where it was not asked. */
  readonly capabilities: ServerCapabilities | undefined;
  readonly instructions: string | undefined;
  /** The answer to `server/discover`, where that was asked. */
  readonly discovered?: JsonObject | undefined;
}

/**
 * Shakes hands over a started link. Nothing is sent after a failure, `initialized` least of all [LIFE-015].
 *
 * @param requested - the revision asked for; the server may answer with another one [LIFE-012]
 * @param onAgreed - told what was agreed before the server is told, as from then on it may ask things
 * @param signal - gives up; the server is not told, as `initialize` is never cancelled [CANCEL-003]
 * @throws {@link UnsupportedRevisionError} when there is no common revision; `supported` says what the refusing side
 * speaks [LIFE-016]
 */
export async function shakeHands(
  link: Link,
  identity: ClientIdentity,
  requested: Revision,
  onAgreed: (agreement: Agreement) => void,
  signal: AbortSignal,
): Promise<void> {
  const params = requested.encodeParams("initialize", {
    protocolVersion: requested.id,
    capabilities: withTasksOf(requested, identity.capabilities),
    clientInfo: identity.info,
  });
  const result = await sendInitialize(link, params, signal);
  const fault = checkResult("initialize", result);
  if (fault !== undefined) {
    throw new PeerError(`initialize: ${fault}`);
  }
  const { protocolVersion } = result as InitializeResult;
  const revision = acceptRevision(protocolVersion, requested);
  const { serverInfo, instructions } = revision.decodeResult("initialize", result) as InitializeResult;
  signal.throwIfAborted();
  onAgreed({ revision, serverInfo, instructions, capabilities: readServerCapabilities(revision, result) });
  await link.notify({ method: "notifications/initialized" });
}

async function sendInitialize(link: Link, params: JsonObject | undefined, signal: AbortSignal): Promise<JsonObject> {
  const call = { method: "initialize", params };
  try {
    return await link.request(call, { signal });
  } catch (error) {
    throw toFittingError(error, call);
  }
}
