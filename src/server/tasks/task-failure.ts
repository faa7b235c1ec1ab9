/** What the work of a task threw, as the outcome that the request without a task would have been answered with. */
import { isAbortOf } from "../../base/abort.ts";
import { isMcpError, UsageError } from "../../base/error.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { TaskOutcome } from "../../tasks/record.ts";
import { toFailure } from "../features/tool-result.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { isRpcError, isUrlRequired, toSentError } from "../requests/sent-error.ts";

/** The outcome of `tools/call` that threw. Only a JSON-RPC error keeps its words. */
export async function toFailedOutcome(thrown: unknown, name: string, ctx: RequestContext): Promise<TaskOutcome> {
  const { host, live, revision } = ctx.scope;
  const { settings } = host;
  const details = { method: "tools/call", name, session: ctx.session };
  if (isAbortOf(ctx.signal, thrown)) {
    return { error: { code: rpcCodes.internalError, message: "the work was given up" } };
  }
  try {
    const error = isUrlRequired(thrown) ? await host.urlElicitations.prepare(thrown, live) : thrown;
    if (error === undefined && isMcpError(thrown)) {
      return { result: { ...toFailure(`${thrown.message}: the client cannot open pages for this server`) } };
    }
    if (isRpcError(error)) {
      const onReplaced = (code: number): void =>
        settings.onError(
          new UsageError(`tools/call: the code ${code} belongs to the protocol and was replaced`),
          details,
        );
      return { error: toSentError(error, revision, onReplaced) };
    }
    settings.onError(thrown, details);
  } catch (fault) {
    // The author's error could not be made fit to be sent; that is what the author must hear of.
    settings.onError(fault, details);
  }
  return { error: { code: rpcCodes.internalError, message: "internal error" } };
}
