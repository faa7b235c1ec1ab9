/**
 * The check of the params of every method, so that handlers get what their types promise. The checks stand
 * in `checks/`, one file per feature; this is the table and the rules for params as such.
 *
 * Conditions over more than one request (capabilities, balance of tool results) are checked elsewhere.
 */
import { type Check, findMismatch } from "./check.ts";
import { completeParams } from "./checks/completion.ts";
import { elicitationCompleteParams, elicitParams } from "./checks/elicitation.ts";
import { initializeParams } from "./checks/lifecycle.ts";
import { loggingMessageParams, setLevelParams } from "./checks/logging.ts";
import {
  cancelledParams,
  notificationParams,
  paginatedRequestParams,
  progressParams,
  requestParams,
} from "./checks/metadata.ts";
import { getPromptParams } from "./checks/prompts.ts";
import { readResourceParams, resourceUpdatedParams, subscribeParams } from "./checks/resources.ts";
import { createMessageParams } from "./checks/sampling.ts";
import { acknowledgedParams, listenParams } from "./checks/subscriptions.ts";
import { coreTask, taskIdParams, taskState, updateTaskParams } from "./checks/tasks.ts";
import { callToolParams } from "./checks/tools.ts";
import type { NotificationMethod, RequestMethod } from "./methods.ts";

const checks: { readonly [M in RequestMethod | NotificationMethod]: Check } = {
  ping: requestParams,
  initialize: initializeParams,
  "server/discover": requestParams,
  "tools/list": paginatedRequestParams,
  "tools/call": callToolParams,
  "resources/list": paginatedRequestParams,
  "resources/templates/list": paginatedRequestParams,
  "resources/read": readResourceParams,
  "resources/subscribe": subscribeParams,
  "resources/unsubscribe": subscribeParams,
  "prompts/list": paginatedRequestParams,
  "prompts/get": getPromptParams,
  "completion/complete": completeParams,
  "logging/setLevel": setLevelParams,
  "subscriptions/listen": listenParams,
  "sampling/createMessage": createMessageParams,
  "elicitation/create": elicitParams,
  "roots/list": requestParams,
  "tasks/get": taskIdParams,
  "tasks/update": updateTaskParams,
  "tasks/cancel": taskIdParams,
  "tasks/result": taskIdParams,
  "tasks/list": paginatedRequestParams,
  "notifications/cancelled": cancelledParams,
  "notifications/progress": progressParams,
  "notifications/initialized": notificationParams,
  "notifications/message": loggingMessageParams,
  "notifications/tools/list_changed": notificationParams,
  "notifications/resources/list_changed": notificationParams,
  "notifications/resources/updated": resourceUpdatedParams,
  "notifications/prompts/list_changed": notificationParams,
  "notifications/roots/list_changed": notificationParams,
  "notifications/elicitation/complete": elicitationCompleteParams,
  "notifications/subscriptions/acknowledged": acknowledgedParams,
  "notifications/tasks": taskState,
  "notifications/tasks/status": coreTask,
};

/** Methods whose params may be left out, because nothing in them is required. */
function needsNothing(check: Check): boolean {
  return check === requestParams || check === notificationParams || check === paginatedRequestParams;
}

/**
 * Judges the params of a request or notification. Answers `undefined` when they are fine, else one sentence
 * for the error: `params.name: expected a string, got 5`. Of a method unknown to the protocol only the
 * general rules are checked: params are an object, a progress token is a string or an integer.
 * Specification: Basic > Messages [BASE-017, BASE-020].
 *
 * @example
 * ```ts
 * checkParams("tools/call", { name: 5 }); // "params.name: expected a string, got 5"
 * ```
 */
export function checkParams(method: string, params: unknown): string | undefined {
  const check = Object.hasOwn(checks, method) ? checks[method as RequestMethod] : requestParams;
  return params === undefined && needsNothing(check) ? undefined : findMismatch(check, params, "params");
}
