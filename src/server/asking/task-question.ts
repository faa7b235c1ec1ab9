/**
 * Asking the client for something as a task: it is accepted at once, and the answer is fetched when it is there, so that
 * nothing has to stay open in between. Only for what the client has declared; only the core form has this.
 *
 * Specification: Basic > Utilities > Tasks > Capabilities, Creating Tasks.
 */
import { linkSignals } from "../../base/abort.ts";
import { PeerError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { MissingCapabilityError } from "../../protocol/errors.ts";
import type { ClientRequests } from "../../protocol/methods.ts";
import { defaultTotalTimeoutMs } from "../../protocol/outgoing.ts";
import { checkResult } from "../../protocol/results.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { TaskMetadata } from "../../protocol/types/message.ts";
import { Follower } from "../../tasks/follower.ts";
import type { TaskRequestOptions } from "../../tasks/follower-host.ts";
import type { TaskQuestionOptions } from "../requests/context.ts";
import { type Askable, type AskTarget, ask, askRaw, assertAskable } from "./input.ts";

/** What can be asked for as a task. */
type TaskMethod = "sampling/createMessage" | "elicitation/create";

/** Where clients declare that it can. */
const declarations: { readonly [M in TaskMethod]: string } = {
  "sampling/createMessage": "tasks.requests.sampling.createMessage",
  "elicitation/create": "tasks.requests.elicitation.create",
};

/**
 * Asks, as a task where that is wished. A question that belongs to a task itself waits there, so it needs none of its own.
 *
 * @throws as `ask`; MissingCapabilityError where the client takes no such tasks [TASK-003]; TaskError for a task that the
 * client has cancelled or lost
 */
export async function askAsWished<Method extends TaskMethod>(
  target: AskTarget,
  method: Method,
  params: ClientRequests[Method]["params"],
  { task, ...options }: TaskQuestionOptions,
): Promise<ClientRequests[Method]["result"]> {
  if (task === undefined || task === false || target.task !== undefined) {
    return ask(target, method, params, options);
  }
  assertAskable(target, { method, params: { ...params } });
  const live = assertTaskable(target, method);
  const metadata: TaskMetadata = typeof task === "object" && task.ttlMs !== undefined ? { ttl: task.ttlMs } : {};
  const created = await askRaw(target, { method, params: { ...params, task: metadata } }, options);
  const result = isObject(created.task) ? await follow(target, live, method, created.task, options) : created;
  const problem = checkResult(method, result);
  if (problem !== undefined) {
    throw new PeerError(`${method}: ${problem}`);
  }
  return result as ClientRequests[Method]["result"];
}

function assertTaskable({ live, revision, capabilities }: AskTarget, method: TaskMethod): Askable {
  const isCore = revision?.traits.tasks === "core";
  if (live === undefined || !isCore || !isDeclared(method, capabilities)) {
    const declaration = declarations[method];
    throw new MissingCapabilityError(
      declaration,
      `${method}: expected a client that declares ${declaration}, which this one did not; ask without a task`,
    );
  }
  return live;
}

function isDeclared(method: TaskMethod, { tasks }: ClientCapabilities): boolean {
  const { sampling, elicitation } = tasks?.requests ?? {};
  return (method === "sampling/createMessage" ? sampling?.createMessage : elicitation?.create) !== undefined;
}

async function follow(
  target: AskTarget,
  live: Askable,
  method: TaskMethod,
  task: JsonObject,
  { signal, idleTimeoutMs, totalTimeoutMs = defaultTotalTimeoutMs }: TaskQuestionOptions,
): Promise<JsonObject> {
  const fault = checkResult("tasks/get", task);
  if (fault !== undefined) {
    throw new PeerError(`${method}, as a task: ${fault}`);
  }
  const { outgoing } = live;
  const request = async (about: string, params: JsonObject, limits: TaskRequestOptions = {}): Promise<JsonObject> => {
    const result = await outgoing.request(target.send, { method: about, params }, { idleTimeoutMs, ...limits });
    const problem = checkResult(about, result);
    if (problem !== undefined) {
      throw new PeerError(`${about}: ${problem}`);
    }
    return result;
  };
  const follower = new Follower({ form: "core", clock: outgoing.clock, request }, String(task.taskId), task);
  const linked = linkSignals(target.signal, signal);
  try {
    const limits = { signal: linked.signal, totalTimeoutMs };
    const result = await outgoing.within(method, limits, (limit) => follower.run(limit));
    return target.revision?.decodeResult(method, result) ?? result;
  } finally {
    linked.release();
    if (!follower.isOver && target.capabilities.tasks?.cancel !== undefined) {
      follower.cancel().catch(() => {
        // The asker has been told why there is no answer; the client ends the task when its time is over.
      });
    }
  }
}
