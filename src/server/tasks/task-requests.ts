/**
 * The requests about tasks, in both forms: `tasks/get`, `tasks/result`, `tasks/update`, `tasks/cancel`, `tasks/list`.
 *
 * Specification: Basic > Utilities > Tasks > Protocol Messages; Extensions > Tasks.
 */
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { metaKeys, withMeta } from "../../protocol/meta.ts";
import type { UpdateTaskRequestParams } from "../../protocol/types/tasks.ts";
import type { TaskReceiver } from "../../tasks/receiver.ts";
import type { TaskRecord } from "../../tasks/record.ts";
import { toCoreTask, toDetailedTask } from "../../tasks/wire-form.ts";
import { humanTimeouts } from "../asking/input.ts";
import { whenDone } from "../maybe.ts";
import type { Limiter } from "../requests/limits.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { declaresTasks, lacksTasks } from "./extension.ts";
import { toTaskCaller } from "./task-caller.ts";

/** What answering needs of its server. */
export interface TaskRequestsHost {
  readonly receiver: TaskReceiver;
  readonly limiter: Limiter;
  readonly pageSize: number;
  /** Puts the result of a call into the form in which it would have been answered. */
  encode(result: JsonObject, ctx: RequestContext): JsonObject;
}

interface Named {
  readonly taskId: string;
}

/** See the head of this file. */
export class TaskRequests {
  readonly #host: TaskRequestsHost;

  constructor(host: TaskRequestsHost) {
    this.#host = host;
  }

  /** Answers `tasks/get` [TASK-025, X-TASK-020]. */
  async get({ taskId }: Named, ctx: RequestContext): Promise<JsonObject> {
    const owner = await this.#admit("tasks/get", ctx);
    return this.toState(await this.#host.receiver.get(taskId, owner), ctx);
  }

  /**
   * Answers `tasks/result` when the task is over, and asks the client meanwhile what the task wants to know [TASK-029,
   * TASK-034].
   *
   * @throws RpcError as the request without a task would have been answered [TASK-030]
   */
  async result({ taskId }: Named, ctx: RequestContext): Promise<JsonObject> {
    const owner = await this.#admit("tasks/result", ctx);
    const ask = (call: Call, signal: AbortSignal): Promise<JsonObject> => askClient(taskId, call, signal, ctx);
    const { live } = ctx.scope;
    const record = await this.#host.receiver.whenOver(taskId, owner, {
      signal: ctx.signal,
      ask: live === undefined ? undefined : ask,
    });
    if (record.status === "completed") {
      const result = this.#host.encode(record.result ?? {}, ctx);
      return withMeta(result, metaKeys.relatedTask, { taskId });
    }
    const { code, message, data } = record.error ?? { code: rpcCodes.internalError, message: "the task was cancelled" };
    throw new RpcError(code, message, { data });
  }

  /** Answers `tasks/update`, with an acknowledgement [X-TASK-029]. */
  async update({ taskId, inputResponses }: UpdateTaskRequestParams, ctx: RequestContext): Promise<JsonObject> {
    const owner = await this.#admit("tasks/update", ctx);
    await this.#host.receiver.answer(taskId, owner, { ...inputResponses });
    return {};
  }

  /**
   * Answers `tasks/cancel`: in the core form with the task, in the extension with an acknowledgement, also where the task
   * was over already [TASK-046, X-TASK-031].
   *
   * @throws InvalidParamsError in the core form for a task that is over [TASK-045]
   */
  async cancel({ taskId }: Named, ctx: RequestContext): Promise<JsonObject> {
    const owner = await this.#admit("tasks/cancel", ctx);
    const { record, isChanged } = await this.#host.receiver.cancel(taskId, owner);
    if (isExtended(ctx)) {
      return {};
    }
    if (!isChanged) {
      throw new InvalidParamsError(`params.taskId: expected a task that is not over, got one that is ${record.status}`);
    }
    return { ...toCoreTask(record) };
  }

  /** Answers `tasks/list`, with the caller's own [TASK-043, TASK-051]. */
  async list({ cursor }: { readonly cursor?: string }, ctx: RequestContext): Promise<JsonObject> {
    const owner = await this.#admit("tasks/list", ctx);
    const { receiver, pageSize } = this.#host;
    const { tasks, nextCursor } = await receiver.list(owner ?? "", cursor, pageSize);
    const listed = { tasks: tasks.map(toCoreTask) };
    return nextCursor === undefined ? listed : { ...listed, nextCursor };
  }

  /** A task as `tasks/get` gives it. */
  toState(record: TaskRecord, ctx: RequestContext): JsonObject {
    return isExtended(ctx)
      ? { ...toDetailedTask(record, (result) => this.#host.encode(result, ctx)) }
      : { ...toCoreTask(record) };
  }

  /**
   * Whose tasks the caller may ask for.
   *
   * @throws MissingCapabilityError before anything is looked up [X-TASK-005]; RpcError for a caller that asks too often
   */
  async #admit(method: string, ctx: RequestContext): Promise<string | undefined> {
    if (isExtended(ctx) && !declaresTasks(ctx.client.capabilities)) {
      throw lacksTasks(method);
    }
    await whenDone(this.#host.limiter(ctx, method), (verdict) => {
      if (!verdict.ok) {
        const { retryAfterMs } = verdict;
        throw new RpcError(rpcCodes.internalError, `${method}: too many requests; slow down`, {
          data: { retryAfterMs },
        });
      }
    });
    return toTaskCaller(ctx.scope.exchange.context).owner;
  }
}

function isExtended(ctx: RequestContext): boolean {
  return ctx.scope.revision.traits.tasks === "extension";
}

/** Asks the client in the course of a request for the result; the question names the task [TASK-033]. */
function askClient(taskId: string, call: Call, signal: AbortSignal, ctx: RequestContext): Promise<JsonObject> {
  const { live, exchange } = ctx.scope;
  const params = withMeta(call.params, metaKeys.relatedTask, { taskId });
  if (live === undefined) {
    return exchange.request({ method: call.method, params }, { signal });
  }
  return live.outgoing.request(
    async (tokened, options) => {
      await live.whenInitialized(options.signal);
      return exchange.request(tokened, options);
    },
    { method: call.method, params },
    { ...humanTimeouts, signal },
  );
}
