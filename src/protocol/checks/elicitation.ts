/**
 * Checks of elicitation requests and answers. Whether an answer fits its form is
 * `protocol/elicitation-content.ts`.
 */
import { type Check, type CheckFunction, type CheckOf, expected } from "../check.ts";
import { findRequestedSchemaFault } from "../elicitation-schema.ts";
import type {
  ElicitationCompleteNotificationParams,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from "../types/elicitation.ts";
import { requestMeta, taskMetadata } from "./metadata.ts";

const url: CheckFunction = (value) =>
  typeof value === "string" && URL.canParse(value) ? undefined : expected("a URL", value);

const extras = { _meta: requestMeta, task: taskMetadata } as const;

const form: CheckOf<ElicitRequestFormParams> = {
  required: { message: "string", requestedSchema: findRequestedSchemaFault },
  optional: extras,
};

/** Specification: Client > Elicitation [ELIC-004, ELIC-005, ELIC-006, ELIC-017]. A request of its own. */
export const elicitParams: Check = {
  by: "mode",
  absent: "form",
  variants: {
    form,
    url: { required: { message: "string", url, elicitationId: "string" }, optional: extras },
  },
};

/** The same inside a result, where URL mode needs no id. Specification: Basic > Multi Round-Trip Requests. */
export const embeddedElicitParams: Check = {
  by: "mode",
  absent: "form",
  variants: {
    form,
    url: {
      required: { message: "string", url },
      optional: { elicitationId: "string" },
    } satisfies CheckOf<ElicitRequestURLParams>,
  },
};

const fieldValue: CheckFunction = (value) => {
  if (Array.isArray(value)) {
    return value.every((item) => typeof item === "string") ? undefined : ": expected only strings in the array";
  }
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
    ? undefined
    : expected("a string, a number, true or false, or an array of strings", value);
};

/** Specification: Client > Elicitation > Response Actions [ELIC-019, ELIC-020]. */
export const elicitResult: CheckOf<ElicitResult> = {
  required: { action: { choices: ["accept", "decline", "cancel"] } },
  optional: { _meta: "object", content: { values: fieldValue } },
};

/** Specification: Client > Elicitation > Completion Notifications. */
export const elicitationCompleteParams: CheckOf<ElicitationCompleteNotificationParams> = {
  required: { elicitationId: "string" },
  optional: { _meta: "object" },
};
