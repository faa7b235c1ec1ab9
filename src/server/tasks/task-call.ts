/**
 * One call of a tool as a task: the task begun for it, and the answer that says so.
 *
 * When that is done is tool-tasks.ts, for tasks that come first, and late-task.ts, for handlers that come first.
 */
import { onAbort } from "../../base/abort.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { withMeta } from "../../protocol/meta.ts";
import type { CallToolRequestParams, CallToolResult } from "../../protocol/types/tools.ts";
import type { TaskReceiver } from "../../tasks/receiver.ts";
import type { TaskOutcome, TaskRecord } from "../../tasks/record.ts";
import { toCoreTask, toTask } from "../../tasks/wire-form.ts";
import type { MaybePromise } from "../maybe.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { ScopeTask } from "./scope-task.ts";
import { toTaskCaller } from "./task-caller.ts";
import { toFailedOutcome } from "./task-failure.ts";
import type { ResolvedToolTask } from "./task-options.ts";
import { toOrigin } from "./task-origin.ts";

/** A host may tell its model this while the task goes on [TASK-015]. */
const immediateResponseKey = "io.modelcontextprotocol/model-immediate-response";

/** A call that becomes a task. */
export interface TaskCall {
  readonly params: CallToolRequestParams;
  readonly ctx: RequestContext;
  /** Runs the handler. */
  readonly run: () => MaybePromise<CallToolResult>;
}

/** A call with what its tool says of tasks. */
export interface TaskableCall extends TaskCall {
  readonly task: ResolvedToolTask;
}

/**
 * Begins the task of a call. From then on everything the handler does belongs to it, and the request's end is nothing to
 * the handler any more.
 *
 * @param ttlMs - as the client asked
 * @param work - the handler's run, which may have begun already
 * @throws as `TaskReceiver.begin`; the call is then as it was
 */
export async function beginTask(
  receiver: TaskReceiver,
  { params, ctx, task }: TaskableCall,
  ttlMs: number | undefined,
  work: () => Promise<TaskOutcome>,
): Promise<TaskRecord> {
  const { scope } = ctx;
  const { live, exchange, revision, host } = scope;
  const { owner, isSession } = toTaskCaller(exchange.context);
  const link = scope.work.detach();
  const { onDiagnostic, forget } = host.settings;
  const sendsMessages = revision.traits.tasks === "core";
  const scopeTask = new ScopeTask(scope.work.memo, { sendsMessages, session: exchange.context.session, onDiagnostic });
  scope.work.task = scopeTask;
  const tell = (record: TaskRecord): void => {
    if (live !== undefined && sendsMessages) {
      forget(live.notify("notifications/tasks/status", { ...toCoreTask(record) }));
    }
  };
  const beginning = {
    owner,
    method: "tools/call",
    name: params.name,
    ttlMs: ttlMs ?? task.ttlMs,
    pollIntervalMs: task.pollIntervalMs,
    ...(task.resumable ? { origin: toOrigin(params, ctx), memories: scope.work.memo.memories } : undefined),
    onChange: tell,
  };
  try {
    const record = await receiver.begin(beginning, async (run) => {
      const { taskId } = run.record;
      const releases = [onAbort(run.signal, link.abort)];
      if (isSession && live !== undefined) {
        // Nobody else could ask for it.
        releases.push(onAbort(live.signal, () => forget(receiver.cancel(taskId, owner))));
      }
      scopeTask.begun(run);
      try {
        return await work();
      } finally {
        scopeTask.isOver = true;
        scope.finish();
        for (const release of releases) {
          release();
        }
      }
    });
    link.release();
    return record;
  } catch (error) {
    scope.work.task = undefined;
    scopeTask.failed(error);
    throw error;
  }
}

/** What the handler's run comes to. */
export async function toOutcome(
  { params, ctx }: TaskCall,
  run: () => MaybePromise<CallToolResult>,
): Promise<TaskOutcome> {
  try {
    return { result: { ...(await run()) } };
  } catch (thrown) {
    return toFailedOutcome(thrown, params.name, ctx);
  }
}

/** The answer to a call that became a task, in the form of its revision [TASK-014, X-TASK-013, X-TASK-014]. */
export function toCreated(record: TaskRecord, { ctx, task: { immediateResponse } }: TaskableCall): JsonObject {
  if (ctx.scope.revision.traits.tasks === "extension") {
    return { resultType: "task", ...toTask(record) };
  }
  const created = { task: toCoreTask(record) };
  return immediateResponse === undefined ? created : withMeta(created, immediateResponseKey, immediateResponse);
}
