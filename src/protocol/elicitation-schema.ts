/**
 * What a form may ask: flat fields of primitive types and choices, nothing nested, nothing referenced.
 * Judges a requested schema and reads the values a form starts with. Judging what was filled in is
 * `elicitation-content.ts`.
 *
 * Specification: Client > Elicitation > Requested Schema.
 */
import { isObject } from "../base/json.ts";
import {
  type Check,
  type CheckFunction,
  type CheckOf,
  expected,
  findFault,
  findMismatch,
  memberPath,
} from "./check.ts";
import type {
  BooleanSchema,
  ElicitContent,
  LegacyTitledEnumSchema,
  NumberSchema,
  RequestedSchema,
  StringSchema,
  TitledMultiSelectEnumSchema,
  TitledOption,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
} from "./types/elicitation.ts";

const heading = { title: "string", description: "string" } as const;

const count: CheckFunction = (value) =>
  Number.isInteger(value) && (value as number) >= 0 ? undefined : expected("an integer of at least 0", value);

const stringField: CheckOf<StringSchema> = {
  optional: {
    ...heading,
    minLength: count,
    maxLength: count,
    pattern: "string",
    format: { choices: ["email", "uri", "date", "date-time"] },
    default: "string",
  },
  also: /* @__PURE__ */ ordered("minLength", "maxLength"),
};

const numberField: CheckOf<NumberSchema> = {
  optional: { ...heading, minimum: "number", maximum: "number", default: "number" },
  also: /* @__PURE__ */ ordered("minimum", "maximum"),
};

const integerField: CheckOf<NumberSchema> = {
  ...numberField,
  optional: { ...numberField.optional, default: "integer" },
};

const booleanField: CheckOf<BooleanSchema> = { optional: { ...heading, default: "boolean" } };

const choiceValues: CheckFunction = (value) => nonEmpty(value) ?? findFault({ each: "string" }, value);

const titledOption: CheckOf<TitledOption> = { required: { const: "string", title: "string" } };

const titledOptions: CheckFunction = (value) => nonEmpty(value) ?? findFault({ each: titledOption }, value);

const untitledChoice: CheckOf<LegacyTitledEnumSchema> = {
  required: { enum: choiceValues },
  optional: { ...heading, enumNames: { each: "string" }, default: "string" },
};

const titledChoice: CheckOf<TitledSingleSelectEnumSchema> = {
  required: { oneOf: titledOptions },
  optional: { ...heading, default: "string" },
};

const multiSelectOptions = { ...heading, minItems: count, maxItems: count, default: { each: "string" } } as const;

const untitledMultiSelect: CheckOf<UntitledMultiSelectEnumSchema> = {
  required: { items: { required: { type: { choices: ["string"] }, enum: choiceValues } } },
  optional: multiSelectOptions,
  also: /* @__PURE__ */ ordered("minItems", "maxItems"),
};

const titledMultiSelect: CheckOf<TitledMultiSelectEnumSchema> = {
  required: { items: { required: { anyOf: titledOptions } } },
  optional: multiSelectOptions,
  also: /* @__PURE__ */ ordered("minItems", "maxItems"),
};

/** Keywords that would nest, combine or refer; none of them has a place in a form. */
const foreignKeywords = ["$ref", "$dynamicRef", "allOf", "anyOf", "not", "if", "properties", "patternProperties"];

const field: CheckFunction = (value) => {
  const kind = findFault(
    { required: { type: { choices: ["string", "number", "integer", "boolean", "array"] } } },
    value,
  );
  if (kind !== undefined || !isObject(value)) {
    return kind;
  }
  return findForeignKeyword(value) ?? findFault(fieldCheck(value), value);
};

const requestedSchema: CheckOf<RequestedSchema> = {
  required: { type: { choices: ["object"] }, properties: { values: field } },
  optional: { $schema: "string", required: { each: "string" } },
  also: (value) => {
    const { properties, required = [] } = value as RequestedSchema;
    const index = required.findIndex((name) => !Object.hasOwn(properties, name));
    return index === -1
      ? undefined
      : `.required[${index}]: expected the name of a property, got ${JSON.stringify(required[index])}`;
  },
};

/** `checkRequestedSchema` as a part of other checks: the fault's place is relative to the schema. */
export const findRequestedSchemaFault: CheckFunction = (value) => {
  const foreign = isObject(value)
    ? ["oneOf", ...foreignKeywords].find((keyword) => keyword !== "properties" && Object.hasOwn(value, keyword))
    : undefined;
  return foreign === undefined
    ? findFault(requestedSchema, value)
    : `${memberPath(foreign)}: expected a plain list of fields, got a schema that refers or combines`;
};

/**
 * Judges the schema of a form. Answers `undefined` when it is fine, else one sentence with the place, what
 * was expected and what came. Specification: Client > Elicitation > Requested Schema [ELIC-006, ELIC-007].
 *
 * @param at - what the schema is called in the message
 *
 * @example
 * ```ts
 * checkRequestedSchema({ type: "array" }); // 'requestedSchema.type: expected "object", got "array"'
 * ```
 */
export function checkRequestedSchema(schema: unknown, at = "requestedSchema"): string | undefined {
  return findMismatch(findRequestedSchemaFault, schema, at);
}

/**
 * The values a form starts with: the default of every field that has one.
 * Specification: Client > Elicitation > Requested Schema [ELIC-013].
 *
 * @example
 * ```ts
 * defaultsOf({ type: "object", properties: { age: { type: "integer", default: 18 } } }); // { age: 18 }
 * ```
 */
export function defaultsOf(schema: RequestedSchema): ElicitContent {
  const defaults = Object.entries(schema.properties).flatMap(([name, { default: value }]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? [...value] : value] as const],
  );
  return Object.fromEntries(defaults);
}

function fieldCheck(value: { readonly [keyword: string]: unknown }): Check {
  switch (value.type) {
    case "number":
      return numberField;
    case "integer":
      return integerField;
    case "boolean":
      return booleanField;
    case "array":
      return isObject(value.items) && "anyOf" in value.items ? titledMultiSelect : untitledMultiSelect;
    default:
      return "oneOf" in value ? titledChoice : "enum" in value ? untitledChoice : stringField;
  }
}

function findForeignKeyword(value: { readonly [keyword: string]: unknown }): string | undefined {
  const choiceKeywords = value.type === "string" ? [] : ["enum", "oneOf"];
  const foreign = [...foreignKeywords, ...choiceKeywords].find((keyword) => Object.hasOwn(value, keyword));
  return foreign === undefined
    ? undefined
    : `${memberPath(foreign)}: expected a flat ${String(value.type)} field, which cannot have this keyword`;
}

function nonEmpty(value: unknown): string | undefined {
  return Array.isArray(value) && value.length > 0 ? undefined : expected("a list of at least one choice", value);
}

function ordered(low: string, high: string): CheckFunction {
  return (value) => {
    const bounds = value as { readonly [keyword: string]: number | undefined };
    const [from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY] = [bounds[low], bounds[high]];
    return from <= to ? undefined : `.${high}: expected at least ${low} (${from}), got ${to}`;
  };
}
