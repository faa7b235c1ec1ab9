/**
 * The tasks of a session's server: following them, whatever began them, and taking to them what is said of them.
 *
 * What follows one task is tasks/follower.ts; this is its way to the server, and to whoever answers its questions.
 */
import { raceAbort } from "../../base/abort.ts";
import type { Unsubscribe } from "../../base/emitter.ts";
import { PeerError } from "../../base/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { MissingCapabilityError } from "../../protocol/errors.ts";
import { defaultTotalTimeoutMs, type RequestOptions } from "../../protocol/outgoing.ts";
import { checkResult } from "../../protocol/results.ts";
import { Follower } from "../../tasks/follower.ts";
import type { FollowerHost } from "../../tasks/follower-host.ts";
import type { TaskForm } from "../../tasks/follower-state.ts";
import type { Answering } from "../answering/answering.ts";
import { answerInput } from "../answering/input-answer.ts";
import { InputError } from "../answering/input-error.ts";
import type { Connection } from "../requests/connection.ts";
import { toFittingError } from "../requests/remote-error.ts";
import { formIn } from "./extension.ts";
import { FollowedTask } from "./followed-task.ts";

/** What following works with. */
export interface TaskFollowingParts {
  readonly connection: Connection;
  readonly answering: Answering;
  /** Asks the server to tell of changes of a task, where that is possible and wanted. */
  readonly hear: (taskId: string) => Unsubscribe;
}

/** A task to follow. */
export interface TaskToFollow {
  readonly id: string;
  /** As the server handed it out. */
  readonly task?: JsonObject | undefined;
  /** The request it was made of, whose result it has. */
  readonly call: Call;
  /** Longest silence of each request about it, in milliseconds. */
  readonly idleTimeoutMs?: number | undefined;
  /** Judges the result beyond its shape. */
  readonly judge?: ((result: JsonObject) => void) | undefined;
  /** Told what came of the task, whenever that is asked for. Must not throw. */
  readonly onResult?: ((result: JsonObject) => void) | undefined;
  /** The same for what it failed with. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** See the head of this file. */
export class TaskFollowing {
  readonly #parts: TaskFollowingParts;
  /** What is followed at the moment, by id. */
  readonly #followed = new Map<string, Set<Follower>>();

  constructor(parts: TaskFollowingParts) {
    this.#parts = parts;
  }

  /**
   * The form of tasks in this session.
   *
   * @throws {@link MissingCapabilityError} in a revision without tasks
   */
  get form(): TaskForm {
    const { revision } = this.#parts.connection;
    const form = formIn(revision);
    if (form === undefined) {
      throw new MissingCapabilityError("tasks", `revision ${revision.id}, which was negotiated, has no tasks`);
    }
    return form;
  }

  /** Takes what a notification says to whoever follows the task; nobody depends on it [TASK-040]. */
  receive(task: JsonObject): void {
    for (const follower of [...(this.#followed.get(String(task.taskId)) ?? [])]) {
      try {
        follower.receive(task);
      } catch (error) {
        this.#parts.connection.report("MCP_D_NOTIFICATION_INVALID", "a notification of a task was dropped", error);
      }
    }
  }

  /** Makes what follows a task; nothing is sent before somebody wants something of it. */
  open({ id, task, call, idleTimeoutMs, judge, onResult, onError }: TaskToFollow): FollowedTask {
    const { connection, answering } = this.#parts;
    const host: FollowerHost = {
      form: this.form,
      clock: connection.settings.clock,
      request: (method, params, options) => connection.request(method, params, { idleTimeoutMs, ...options }),
      answer: (key, question, signal) => {
        const put = { call: call.method, key, question };
        return answerInput(answering, put, { signal, blockedCall: toBlockedCall(run, call.method) });
      },
    };
    const run: FollowedTask = new FollowedTask({
      createFollower: (hooks) => new Follower({ ...host, ...hooks }, id, task),
      signal: connection.signal,
      accept: (result) => {
        const read = this.#read(call, result);
        judge?.(read);
        return read;
      },
      onResult,
      onError,
      toError: (error) => toFittingError(error, call),
      onStart: (follower) => this.#register(follower),
      onFault: (error) =>
        connection.report("MCP_D_CALLBACK_FAULT", "a listener for the changes of a task threw", error),
    });
    return run;
  }

  /** What follows the task that a request was answered with. */
  begin(created: JsonObject, followed: Omit<TaskToFollow, "id" | "task">): FollowedTask {
    const task = (this.form === "core" ? created.task : created) as JsonObject;
    return this.open({ ...followed, id: String(task.taskId), task });
  }

  /**
   * Sends a request that asks for a task. Given up before the task is known, it is cancelled as soon as it is: nothing else
   * may cancel what is a task [CANCEL-004].
   */
  async create(
    call: Call,
    options: RequestOptions,
    send: (options: RequestOptions) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { signal, ...others } = options;
    signal?.throwIfAborted();
    const created = send(others);
    try {
      return await raceAbort(created, signal);
    } catch (error) {
      if (signal?.aborted) {
        created.then(
          (result) => (isTask(result) ? this.abandon(this.begin(result, { call })) : undefined),
          // Whoever asked has been told that it was given up.
          () => undefined,
        );
      }
      throw error;
    }
  }

  /**
   * Waits for what comes of a task. When that is given up, the server is told.
   *
   * @param elapsedMs - how much of the total time has passed
   */
  async finish(run: FollowedTask, what: string, options: RequestOptions, elapsedMs: number): Promise<JsonObject> {
    const { outgoing, settings } = this.#parts.connection;
    const { signal, totalTimeoutMs = settings.totalTimeoutMs ?? defaultTotalTimeoutMs } = options;
    const limits = { signal, totalTimeoutMs: totalTimeoutMs - elapsedMs };
    try {
      return await outgoing.within(what, limits, (limit) => run.wait(limit));
    } catch (error) {
      if (!run.isOver) {
        this.abandon(run);
      }
      throw error;
    }
  }

  /** Has a task cancelled that nobody waits for any more [X-TASK-032]. */
  abandon(run: FollowedTask): void {
    const { connection } = this.#parts;
    if (connection.signal.aborted) {
      return;
    }
    this.cancel(run.follower).catch((error: unknown) => {
      const what = `the task ${run.follower.taskId} was given up, and could not be cancelled; the server may go on`;
      connection.report("MCP_D_TASK_UNCANCELLED", what, error);
    });
  }

  /** Reports why a task is followed no longer, where nobody waits for it. */
  reportUnfollowed(taskId: string, error: unknown): void {
    this.#parts.connection.report("MCP_D_TASK_UNFOLLOWED", `the task ${taskId} is followed no longer`, error);
  }

  /** @throws {@link MissingCapabilityError} where the server cancels no tasks [TASK-004] */
  async cancel(follower: Follower): Promise<void> {
    this.assertOffered("cancel");
    await follower.cancel();
  }

  /** @throws {@link MissingCapabilityError} for what the server does not offer [TASK-004] */
  assertOffered(operation: "list" | "cancel"): void {
    const { agreement } = this.#parts.connection;
    const isOffered =
      this.form === "extension" ? operation === "cancel" : agreement?.capabilities?.tasks?.[operation] !== undefined;
    if (!isOffered) {
      const path = `tasks.${operation}`;
      throw new MissingCapabilityError(path, `tasks/${operation} needs ${path}, which the server does not declare`);
    }
  }

  #register(follower: Follower): () => void {
    const { taskId } = follower;
    const others = this.#followed.get(taskId) ?? new Set();
    this.#followed.set(taskId, others.add(follower));
    const stopHearing = this.#parts.hear(taskId);
    return () => {
      others.delete(follower);
      if (others.size === 0 && this.#followed.get(taskId) === others) {
        this.#followed.delete(taskId);
      }
      stopHearing();
    };
  }

  /** The result has the shape that the request would have given without a task [TASK-030] [X-TASK-021]. */
  #read({ method }: Call, result: JsonObject): JsonObject {
    const decoded = this.#parts.connection.revision.decodeResult(method, result);
    const { resultType = "complete" } = decoded;
    const fault =
      resultType === "complete"
        ? checkResult(method, decoded)
        : `result.resultType: expected "complete", as the task is over, got ${JSON.stringify(resultType)}`;
    if (fault !== undefined) {
      throw new PeerError(`${method}, as a task: ${fault}`);
    }
    return decoded;
  }
}

/** Whether a request was answered with a task in place of its result. */
export function isTask({ resultType }: JsonObject): boolean {
  return resultType === "task";
}

function toBlockedCall(run: FollowedTask, method: string): { retry(): void; cancel(): void } {
  return {
    // The server goes on by itself once it has what it waits for.
    retry: () => undefined,
    cancel: () => {
      const message = `${method}: given up while a page was to be visited for it`;
      run.giveUp(new InputError(message, { reason: "cancelled" }));
    },
  };
}
