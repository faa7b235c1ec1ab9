/**
 * Which form tasks have in a session, and what belongs to the form: the extension where each request stands for itself, the
 * core form after a handshake. Neither is spoken of in the other [X-TASK-008].
 */
import { isObject } from "../../base/json.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientCapabilities, ServerCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Revision } from "../../revision/revision.ts";
import type { TaskForm } from "../../tasks/follower-state.ts";

/** The extension by which servers answer calls with tasks. */
export const tasksExtension = "io.modelcontextprotocol/tasks";

/** The form of tasks in a revision; `undefined` in one that has none. */
export function formIn({ traits }: Revision): TaskForm | undefined {
  return traits.tasks === "none" ? undefined : traits.tasks;
}

/** Whether the capabilities of either side announce the extension. */
export function declaresExtension({ extensions }: Pick<ServerCapabilities, "extensions">): boolean {
  return extensions?.[tasksExtension] !== undefined;
}

/** Capabilities without what is said of tasks in the other form. */
export function withTasksOf(revision: Revision, capabilities: ClientCapabilities): ClientCapabilities {
  if (revision.traits.tasks === "extension") {
    const { tasks: _core, ...rest } = capabilities;
    return rest;
  }
  if (!declaresExtension(capabilities)) {
    return capabilities;
  }
  const { extensions, ...rest } = capabilities;
  const others = Object.entries(extensions ?? {}).filter(([identifier]) => identifier !== tasksExtension);
  return others.length === 0 ? rest : { ...rest, extensions: Object.fromEntries(others) };
}

/** In the core form, a request that asks for a task gets one without a word that it is none of its usual results. */
export function markTask({ traits }: Revision, params: JsonObject | undefined, result: JsonObject): JsonObject {
  return traits.tasks === "core" && isObject(params?.task) && isObject(result.task)
    ? { ...result, resultType: "task" }
    : result;
}

/** What is wrong with a task as a result: it is for those who asked for it [M-BASE-007], in the form of the revision. */
export function findTaskFault(
  { traits }: Revision,
  capabilities: ClientCapabilities,
  { resultType, task }: JsonObject,
): string | undefined {
  const isExpected =
    traits.tasks === "extension" ? declaresExtension(capabilities) : traits.tasks === "core" && isObject(task);
  return resultType === "task" && !isExpected
    ? `result.resultType: expected one that this client knows, got "task" without ${tasksExtension} being declared`
    : undefined;
}
