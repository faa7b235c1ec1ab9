/**
 * The check of the result of every request, so that callers get what their types promise. Unknown members
 * are tolerated everywhere. The checks stand in `checks/`, one file per feature.
 *
 * Whether structured content fits a tool's output schema, or a form answer its form, is checked elsewhere.
 */
import { isObject } from "../base/json.ts";
import { type Check, expected, findMismatch, listChoices } from "./check.ts";
import { completeResult } from "./checks/completion.ts";
import { elicitResult } from "./checks/elicitation.ts";
import { inputRequiredResult } from "./checks/input.ts";
import { discoverResult, initializeResult } from "./checks/lifecycle.ts";
import { getPromptResult, listPromptsResult } from "./checks/prompts.ts";
import { listResourcesResult, listResourceTemplatesResult, readResourceResult } from "./checks/resources.ts";
import { listRootsResult } from "./checks/roots.ts";
import { createMessageResult } from "./checks/sampling.ts";
import { listenResult } from "./checks/subscriptions.ts";
import { cancelTaskResult, createdTask, listTasksResult, taskState } from "./checks/tasks.ts";
import { callToolResult, listToolsResult } from "./checks/tools.ts";
import type { RequestMethod } from "./methods.ts";

const emptyResult: Check = { optional: { _meta: "object" } };

const checks: { readonly [M in RequestMethod]: Check } = {
  ping: emptyResult,
  initialize: initializeResult,
  "server/discover": discoverResult,
  "tools/list": listToolsResult,
  "tools/call": callToolResult,
  "resources/list": listResourcesResult,
  "resources/templates/list": listResourceTemplatesResult,
  "resources/read": readResourceResult,
  "resources/subscribe": emptyResult,
  "resources/unsubscribe": emptyResult,
  "prompts/list": listPromptsResult,
  "prompts/get": getPromptResult,
  "completion/complete": completeResult,
  "logging/setLevel": emptyResult,
  "subscriptions/listen": listenResult,
  "sampling/createMessage": createMessageResult,
  "elicitation/create": elicitResult,
  "roots/list": listRootsResult,
  "tasks/get": taskState,
  "tasks/update": emptyResult,
  "tasks/cancel": cancelTaskResult,
  "tasks/result": emptyResult,
  "tasks/list": listTasksResult,
};

/** Results that do not end their request, by `resultType`, with the methods that may give them. */
const interimChecks: { readonly [resultType: string]: { readonly check: Check; readonly methods: readonly string[] } } =
  {
    input_required: { check: inputRequiredResult, methods: ["tools/call", "prompts/get", "resources/read"] },
    task: { check: createdTask, methods: ["tools/call"] },
  };

/**
 * Judges the result of a request, final or interim. Answers `undefined` when it is fine, else one sentence:
 * `result.content: expected an array, got nothing`. Of a method unknown to the protocol only the general
 * rules are checked. Specification: Basic > Messages > Responses [BASE-008, BASE-021].
 *
 * @example
 * ```ts
 * checkResult("tools/call", { isError: true }); // "result.content: expected an array, got nothing"
 * ```
 */
export function checkResult(method: string, result: unknown): string | undefined {
  const type = isObject(result) ? result.resultType : undefined;
  if (type !== undefined && type !== "complete") {
    return checkInterim(method, type, result);
  }
  const check = Object.hasOwn(checks, method) ? checks[method as RequestMethod] : emptyResult;
  return findMismatch(check, result, "result");
}

function checkInterim(method: string, type: unknown, result: unknown): string | undefined {
  const interim = typeof type === "string" && Object.hasOwn(interimChecks, type) ? interimChecks[type] : undefined;
  if (interim === undefined || !interim.methods.includes(method)) {
    const allowed = Object.keys(interimChecks).filter((name) => interimChecks[name]?.methods.includes(method));
    return `result.resultType${expected(listChoices(["complete", ...allowed]), type)}`;
  }
  return findMismatch(interim.check, result, "result");
}
