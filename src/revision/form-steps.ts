/**
 * Elicitation forms as they were before multi-select, titled choices and defaults of every kind.
 *
 * A field that cannot be asked at all is an error for the author, not a field left out.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { MissingCapabilityError } from "../protocol/errors.ts";
import { chain, drop, inValues, type Step } from "./shape.ts";

/** Titled choices were written as two lists side by side. */
const titlesBesideValues: Step = (field) => {
  if (!Array.isArray(field.oneOf)) {
    return field;
  }
  const { oneOf, ...rest } = field;
  const choices = field.oneOf.filter(isObject);
  return { ...rest, enum: choices.map((choice) => choice.const), enumNames: choices.map((choice) => choice.title) };
};

const onlyBooleanDefaults: Step = (field) => (field.type === "boolean" ? field : drop("default", "pattern")(field));

const refuseMultiSelect: Step = (field) => {
  if (field.type === "array") {
    throw new MissingCapabilityError(
      "elicitation",
      "this client's revision has no multi-select fields: ask with one boolean per choice, or one choice at a time",
    );
  }
  return field;
};

/** The whole requested schema. */
export const formOfPlainFields: Step = /* @__PURE__ */ chain(
  drop("$schema"),
  inValues("properties", chain(refuseMultiSelect, titlesBesideValues, onlyBooleanDefaults)),
) satisfies (schema: JsonObject) => JsonObject;
