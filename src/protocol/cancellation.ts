/** How MCP cancels a request on a pipe. Specification: Basic > Utilities > Cancellation. */
import { isMcpError } from "../base/error.ts";
import type { CancellationRules } from "../jsonrpc/link.ts";
import { isRequestId } from "../jsonrpc/message.ts";

/** The notification that gives up a request. */
export const cancelledMethod = "notifications/cancelled";

/**
 * `initialize` is never cancelled [CANCEL-003]. A cancellation that makes no sense cancels nothing [CANCEL-006].
 */
export const mcpCancellation: CancellationRules = {
  toNotification: (requestId, request, reason) =>
    request.method === "initialize"
      ? undefined
      : { method: cancelledMethod, params: { requestId, reason: describeReason(reason) } },
  parse: ({ method, params }) => {
    if (method !== cancelledMethod || !isRequestId(params?.requestId)) {
      return undefined;
    }
    return {
      id: params.requestId,
      reason: typeof params.reason === "string" ? params.reason : undefined,
    };
  },
};

/** An abort reason as one sentence for the peer. */
export function describeReason(reason: unknown): string {
  if (typeof reason === "string") {
    return reason;
  }
  // The text of a foreign error may hold what is none of the peer's business.
  if (isMcpError(reason)) {
    return reason.message;
  }
  return reason instanceof Error && reason.name !== "AbortError" ? reason.message : "cancelled by the caller";
}
