/**
 * `server/discover` as the first request of a session: what it is answered with, and what the answer means.
 *
 * Whether the server is asked at all, and what follows, is negotiation.ts. Specification: Basic > Discovery; Basic >
 * Versioning > Backward compatibility.
 */
import { HttpError, isMcpError, PeerError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { mcpCodes } from "../../protocol/errors.ts";
import { checkResult } from "../../protocol/results.ts";
import type { DiscoverResult } from "../../protocol/types/lifecycle.ts";
import type { Implementation } from "../../protocol/types/metadata.ts";
import type { Revision } from "../../revision/revision.ts";
import { isRpcError } from "../requests/rpc-error.ts";
import type { Agreement } from "./handshake.ts";

/** The method. */
export const discoverMethod = "server/discover";

/** Key of `_meta` under which results say what software made them. */
const serverInfoKey = "io.modelcontextprotocol/serverInfo";

/** A server that does not say who it is. */
const unknownServer: Implementation = { name: "unknown", version: "unknown" };

/** Errors that only a server of a stateless revision sends [M-ERR-001]. */
const modernCodes: ReadonlySet<number> = /* @__PURE__ */ new Set([
  mcpCodes.headerMismatch,
  mcpCodes.missingClientCapability,
  mcpCodes.unsupportedProtocolVersion,
]);

/** Statuses from 400 to 499 that say nothing about a server's age [M-VER-018]. */
const tellNoAge: ReadonlySet<number> = /* @__PURE__ */ new Set([401, 403, 407, 408, 425, 429]);

/** What an error says about who sent it. */
export type RefusalMeaning =
  /** The server speaks stateless revisions, but not this one: these it speaks. */
  | { readonly kind: "other-revision"; readonly supported: readonly string[] }
  /** It knows no such request, so it begins with `initialize`. */
  | { readonly kind: "older" }
  /** It says nothing about that: the error is the outcome. */
  | { readonly kind: "unrelated" };

/**
 * What it means that `server/discover` failed. No single code decides: whatever a server of a stateless revision would
 * not say is taken for the answer of an older one [M-VER-011] [M-VER-012] [M-VER-013] [M-VER-015] [M-VER-016].
 *
 * @param isPipe - whether the answer came over a pipe, on which nothing but the server can have made the error
 */
export function readRefusalMeaning(error: unknown, isPipe: boolean): RefusalMeaning {
  if (isRpcError(error)) {
    if (!error.remote) {
      return { kind: "unrelated" };
    }
    if (modernCodes.has(error.rpcCode)) {
      const supported = readSupported(error.data);
      return error.rpcCode === mcpCodes.unsupportedProtocolVersion && supported !== undefined
        ? { kind: "other-revision", supported }
        : { kind: "unrelated" };
    }
    // Over HTTP a fault inside the server comes with a status of 500, which says nothing about its age.
    return { kind: isPipe || error.rpcCode !== rpcCodes.internalError ? "older" : "unrelated" };
  }
  if (error instanceof HttpError) {
    const { status } = error;
    return { kind: status >= 400 && status < 500 && !tellNoAge.has(status) ? "older" : "unrelated" };
  }
  return { kind: isMcpError(error) && error.code === "MCP_PEER" ? "older" : "unrelated" };
}

/** Whether `initialize` was refused by a server of a revision that has none, whatever made it say so [M-VER-009]. */
export function isModernRefusal(error: unknown): boolean {
  return isRpcError(error) && error.remote && modernCodes.has(error.rpcCode);
}

/**
 * What a server said about itself.
 *
 * @param revision - what is spoken from now on
 * @throws {@link PeerError} for what is no answer to `server/discover`
 */
export function readDiscovery(result: JsonObject, revision: Revision): Agreement {
  const { capabilities, instructions } = assertDiscovery(result);
  const serverInfo = readServerInfo(result) ?? unknownServer;
  return { revision, serverInfo, capabilities, instructions, discovered: result };
}

/** What is taken for agreed on without asking: the first request shows whether it is true [M-DISC-004]. */
export function assumeAgreement(revision: Revision): Agreement {
  return { revision, serverInfo: unknownServer, capabilities: undefined, instructions: undefined };
}

/** @throws {@link PeerError} for what is no answer to `server/discover` */
export function assertDiscovery(result: JsonObject): DiscoverResult {
  const fault = checkResult(discoverMethod, result);
  if (fault !== undefined) {
    throw new PeerError(`${discoverMethod}: ${fault}`);
  }
  return result as DiscoverResult;
}

/** Who answered: in `_meta`, or as a member of the answer, as drafts had it [M-META-010]. */
function readServerInfo({ _meta, serverInfo }: JsonObject): Implementation | undefined {
  const said = isObject(_meta) ? _meta[serverInfoKey] : undefined;
  return [said, serverInfo].find(isImplementation);
}

function isImplementation(value: unknown): value is Implementation {
  return isObject(value) && typeof value.name === "string" && typeof value.version === "string";
}

function readSupported(data: unknown): string[] | undefined {
  const supported = isObject(data) ? data.supported : undefined;
  return Array.isArray(supported) ? supported.filter((id) => typeof id === "string") : undefined;
}
