/**
 * Checks of questions asked inside a result. Answers are checked per question, by `checkResult`, because
 * only the asker knows what each of them answers.
 */
import type { Check, CheckOf } from "../check.ts";
import type { InputRequiredResult } from "../types/input.ts";
import { embeddedElicitParams } from "./elicitation.ts";
import { requestParams } from "./metadata.ts";
import { createMessageParams } from "./sampling.ts";

/** Questions by key. Specification: Basic > Multi Round-Trip Requests. */
export const inputRequests: Check = {
  values: {
    by: "method",
    variants: {
      "sampling/createMessage": { required: { params: createMessageParams } },
      "elicitation/create": { required: { params: embeddedElicitParams } },
      "roots/list": { optional: { params: requestParams } },
    },
  },
};

/** A result that asks. Specification: Basic > Multi Round-Trip Requests. */
export const inputRequiredResult: CheckOf<InputRequiredResult> = {
  optional: { _meta: "object", inputRequests, requestState: "string" },
  also: (value) => {
    const { inputRequests: asked, requestState } = value as InputRequiredResult;
    return asked === undefined && requestState === undefined
      ? ": expected inputRequests or requestState, got neither"
      : undefined;
  },
};
