/**
 * Checks of completion requests and suggestions.
 */
import type { CheckOf } from "../check.ts";
import type { CompleteRequestParams, CompleteResult } from "../types/completion.ts";
import { requestMeta } from "./metadata.ts";

/** Specification: Server > Utilities > Completion > Requesting Completions [COMP-002, COMP-008]. */
export const completeParams: CheckOf<CompleteRequestParams> = {
  required: {
    ref: {
      by: "type",
      variants: {
        "ref/prompt": { required: { name: "string" }, optional: { title: "string" } },
        "ref/resource": { required: { uri: "string" } },
      },
    },
    argument: { required: { name: "string", value: "string" } },
  },
  optional: { _meta: requestMeta, context: { optional: { arguments: { values: "string" } } } },
};

/** Specification: Server > Utilities > Completion > Completion Results [COMP-005]. */
export const completeResult: CheckOf<CompleteResult> = {
  required: {
    completion: { required: { values: { each: "string" } }, optional: { total: "integer", hasMore: "boolean" } },
  },
  optional: { _meta: "object" },
};
