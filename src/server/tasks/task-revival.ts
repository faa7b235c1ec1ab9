/**
 * The handler of a task run again where another process left it: with the context of the call it was, as far as that was
 * kept, and without a request, a session or a token.
 */
import { ClosedError } from "../../base/error.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";
import type { McpExchange } from "../../revision/exchange.ts";
import type { TaskOutcome } from "../../tasks/record.ts";
import type { TaskRun } from "../../tasks/run.ts";
import type { MaybePromise } from "../maybe.ts";
import { Memo } from "../requests/memo.ts";
import { RequestContext } from "../requests/request-context.ts";
import { RequestScope, type ScopeHost } from "../requests/request-scope.ts";
import { ScopeTask } from "./scope-task.ts";
import { toOutcome } from "./task-call.ts";
import { parseOrigin, type TaskOrigin } from "./task-origin.ts";

/** What running again needs of its server. */
export interface RevivalHost extends ScopeHost {
  /** Runs a tool by its name. */
  readonly tools: { rerun(name: string, args: JsonObject, ctx: RequestContext): MaybePromise<CallToolResult> };
  /** Makes `ctx.value`. */
  readonly createValue:
    | ((ctx: RequestContext, method: string, params: JsonObject) => MaybePromise<unknown>)
    | undefined;
}

/** Goes on with the work of a task. */
export async function revive(host: RevivalHost, run: TaskRun): Promise<TaskOutcome> {
  const origin = parseOrigin(run.record.origin);
  if (origin === undefined) {
    const message = "the process that worked on the task ended, and this one cannot read what it left";
    return { error: { code: rpcCodes.internalError, message } };
  }
  const params = { name: origin.name, arguments: origin.args };
  const message = { jsonrpc: "2.0" as const, id: run.record.taskId, method: "tools/call", params };
  const scope = new RequestScope(host, toExchange(origin, run), undefined, message);
  const ctx = new RequestContext(scope);
  const { onDiagnostic } = host.settings;
  scope.work.task = new ScopeTask(new Memo(run.record.memories), {
    sendsMessages: false,
    session: undefined,
    onDiagnostic,
  });
  scope.work.task.begun(run);
  return toOutcome({ params, ctx, run: () => host.tools.rerun(origin.name, origin.args, ctx) }, async () => {
    scope.value = await host.createValue?.(ctx, "tools/call", params);
    return host.tools.rerun(origin.name, origin.args, ctx);
  });
}

function toExchange({ revision, capabilities, clientInfo, auth }: TaskOrigin, { signal }: TaskRun): McpExchange {
  const envelope = { protocolVersion: revision.id, clientCapabilities: capabilities, clientInfo };
  return {
    signal,
    context: { revision, envelope: { ok: true, envelope }, session: undefined, auth, http: undefined },
    // There is no request any more that anything could belong to.
    notify: async () => undefined,
    request: ({ method }) =>
      Promise.reject(new ClosedError(`${method}: the request that it belongs to was another process's`)),
  };
}
