/**
 * The tasks that a server has this client work on: sampling and elicitation asked for as tasks, and the requests about them.
 *
 * Only the core form has them. Their state is in the memory of the session that they belong to, so nobody else's server
 * sees them. Specification: Basic > Utilities > Tasks.
 */
import { onAbort } from "../../base/abort.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { metaKeys, withMeta } from "../../protocol/meta.ts";
import { checkParams } from "../../protocol/params.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { TaskReceiver } from "../../tasks/receiver.ts";
import type { TaskRecord } from "../../tasks/record.ts";
import { toCoreTask } from "../../tasks/wire-form.ts";
import type { Answering, QuestionContext } from "../answering/answering.ts";
import { toSentError } from "../answering/sent-error.ts";
import { composeMiddleware } from "../middleware.ts";
import type { Connection } from "../requests/connection.ts";
import type { TaskAcceptance } from "./task-options.ts";

/** Whose tasks these are: there is one server in a session. */
const owner = "server";

/** Tasks on a page of a list. */
const pageSize = 100;

/** See the head of this file. */
export class ServedTasks {
  readonly #connection: Connection;
  readonly #answering: Answering;
  #receiver: TaskReceiver | undefined;

  constructor(connection: Connection, answering: Answering) {
    this.#connection = connection;
    this.#answering = answering;
  }

  /** Answers a request of the server: with a task where it asks for one and may, and otherwise with its result. */
  async answer({ method, params }: Call, context: QuestionContext): Promise<JsonObject> {
    const { capabilities, revision, server } = this.#connection;
    if (capabilities.tasks === undefined || revision.traits.tasks !== "core" || server === undefined) {
      return this.#answering.answer({ method, params }, context);
    }
    if (method.startsWith("tasks/") && revision.has(method, "client")) {
      return this.#answerAbout({ method, params }, context);
    }
    const acceptance = this.#acceptanceOf(method);
    const { task, ...request } = params ?? {};
    if (task !== undefined && acceptance !== false) {
      return this.#begin({ method, params: request }, params ?? {});
    }
    if (acceptance === "required") {
      throw new RpcError(rpcCodes.invalidRequest, `${method}: expected to be asked for a task, by params.task`);
    }
    return this.#answering.answer({ method, params: request }, context);
  }

  /** Whether a request may be a task, as the server was told [TASK-003]. */
  #acceptanceOf(method: string): TaskAcceptance {
    const { capabilities, settings } = this.#connection;
    const { requests } = capabilities.tasks ?? {};
    switch (method) {
      case "sampling/createMessage":
        return requests?.sampling?.createMessage !== undefined && (settings.sampling?.tasks ?? false);
      case "elicitation/create":
        return requests?.elicitation?.create !== undefined && (settings.elicitation?.tasks ?? false);
      default:
        return false;
    }
  }

  /** The server has the task at once; the person, or the model, has time [TASK-014]. */
  async #begin({ method, params }: Call, asked: JsonObject): Promise<JsonObject> {
    const fault = checkParams(method, asked);
    if (fault !== undefined) {
      throw new InvalidParamsError(fault);
    }
    const { ttl } = asked.task as { readonly ttl?: number };
    const onChange = (record: TaskRecord): void => this.#announce(record);
    const record = await this.#tasks.begin({ owner, method, ttlMs: ttl, onChange }, async ({ signal }) => {
      try {
        return { result: await this.#answering.answerQuestion({ method, params }, { signal }) };
      } catch (error) {
        return { error: toSentError(this.#connection, error, method, signal) };
      }
    });
    return { task: toCoreTask(record) };
  }

  async #answerAbout({ method, params }: Call, { signal }: QuestionContext): Promise<JsonObject> {
    const fault = checkParams(method, params);
    if (fault !== undefined) {
      throw new InvalidParamsError(fault);
    }
    const answer = composeMiddleware(this.#connection.settings.middleware, (message) =>
      this.#look(message.method, message.params ?? {}, message.signal),
    );
    return (await answer({ direction: "incoming", kind: "request", method, params, signal })) ?? {};
  }

  async #look(method: string, { taskId, cursor }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const id = String(taskId);
    switch (method) {
      case "tasks/get":
        return { ...toCoreTask(await this.#tasks.get(id, owner)) };
      case "tasks/result":
        return this.#toResult(await this.#tasks.whenOver(id, owner, { signal }));
      case "tasks/cancel":
        return this.#cancel(id);
      default: {
        const { tasks, ...page } = await this.#tasks.list(owner, cursor as string | undefined, pageSize);
        return { tasks: tasks.map(toCoreTask), ...page };
      }
    }
  }

  /** @throws RpcError as the request without a task would have been answered [TASK-030] */
  #toResult({ taskId, method, result, error }: TaskRecord): JsonObject {
    if (result !== undefined) {
      return withMeta(this.#connection.revision.encodeResult(method, result), metaKeys.relatedTask, { taskId });
    }
    const { code, message, data } = error ?? { code: rpcCodes.internalError, message: "the task was cancelled" };
    throw new RpcError(code, message, { data });
  }

  async #cancel(taskId: string): Promise<JsonObject> {
    const { record, isChanged } = await this.#tasks.cancel(taskId, owner);
    if (!isChanged) {
      throw new InvalidParamsError(`params.taskId: expected a task that is not over, got one that is ${record.status}`);
    }
    return { ...toCoreTask(record) };
  }

  /** Servers look at tasks anyway, so one that cannot be told of a change misses nothing [TASK-039]. */
  #announce(record: TaskRecord): void {
    const connection = this.#connection;
    if (!connection.signal.aborted) {
      connection.notify("notifications/tasks/status", { ...toCoreTask(record) }).catch((error: unknown) => {
        connection.report("MCP_D_NOTICE_UNSENT", "a server was not told of a change of its task", error);
      });
    }
  }

  /** What keeps the tasks, made when there is one to keep. */
  get #tasks(): TaskReceiver {
    if (this.#receiver === undefined) {
      const { settings, signal } = this.#connection;
      const { clock, tasks, onDiagnostic = () => undefined } = settings;
      const store = createMemoryStore({ clock, onDiagnostic });
      const receiver = new TaskReceiver({ store, clock, limits: tasks.limits, onDiagnostic });
      onAbort(signal, () => {
        receiver
          .close()
          .then(() => store.close())
          .catch((error: unknown) => {
            this.#connection.report("MCP_D_CLOSE_FAULT", "tasks of a server were not ended in order", error);
          });
      });
      this.#receiver = receiver;
    }
    return this.#receiver;
  }
}
