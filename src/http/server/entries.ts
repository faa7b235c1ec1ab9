/**
 * The messages of one POST of a handshake revision, which may be several in an array where the revision has batches.
 *
 * Specification: Basic > Transports > Sending messages to the server; in the second revision, Batching.
 */
import { rpcCodes } from "../../jsonrpc/error.ts";
import { type Classified, classifyMessage, type JsonRpcErrorObject } from "../../jsonrpc/message.ts";
import type { Revision } from "../../revision/revision.ts";
import type { Refused } from "./classify.ts";

/** The messages of a POST. */
export interface Entries {
  readonly kind: "entries";
  readonly entries: readonly Classified[];
  /** Whether they came in an array. */
  readonly isBatch: boolean;
}

/**
 * The messages of a body. Arrays are taken only where the revision has batches [BASE-019].
 *
 * @param single - the one message, where the body is no array
 */
export function readEntries(value: unknown, single: Classified | undefined, revision: Revision): Entries | Refused {
  if (single !== undefined || !Array.isArray(value)) {
    return { kind: "entries", entries: [single ?? classifyMessage(value)], isBatch: false };
  }
  if (!revision.traits.batching) {
    return refuseBatch(`expected one JSON-RPC message, got an array: revision ${revision.id} has no batches`);
  }
  const entries = value.map(classifyMessage);
  const error = findBatchFault(entries);
  return error === undefined ? { kind: "entries", entries, isBatch: true } : refuseBatch(error.message);
}

/** What makes a batch unusable as a whole. Invalid entries among good ones do not. */
function findBatchFault(entries: readonly Classified[]): JsonRpcErrorObject | undefined {
  const fault = (message: string): JsonRpcErrorObject => ({ code: rpcCodes.invalidRequest, message });
  const has = (kind: Classified["kind"]): boolean => entries.some((entry) => entry.kind === kind);
  if (!has("request") && !has("notification") && !has("response")) {
    const [first] = entries;
    return first?.kind === "invalid" ? first.error : fault("expected at least one message in the array, got none");
  }
  if (has("response") && (has("request") || has("notification"))) {
    return fault("expected either requests and notifications or responses in one array, got both");
  }
  return entries.some((entry) => entry.kind === "request" && entry.message.method === "initialize")
    ? fault("expected initialize as a message of its own, got it in an array")
    : undefined;
}

function refuseBatch(message: string): Refused {
  return { kind: "refused", refusal: "invalidRequest", message };
}
