/**
 * Structural checks as plain data, and the one function that applies them. A check says what a value must
 * look like; members it does not name are always allowed. Nothing is allocated for a value that passes.
 *
 * Not a schema library: no coercion, no defaults, no JSON Schema.
 */
import { isObject } from "../base/json.ts";

/** A check without parts. `token` is a string or an integer; `object` is any object, never an array or null. */
export type PlainCheck = "any" | "string" | "number" | "integer" | "boolean" | "object" | "token";

/** One of some strings. */
export interface ChoiceCheck {
  readonly choices: readonly string[];
}

/** A number within bounds, both included. */
export interface RangeCheck {
  readonly from: number;
  readonly to: number;
}

/** An array whose elements all pass. */
export interface ArrayCheck {
  readonly each: Check;
}

/** An object used as a map, whose values all pass. */
export interface RecordCheck {
  readonly values: Check;
}

/** Either one value or an array of such values. */
export interface OneOrManyCheck {
  readonly oneOrMany: Check;
}

/** A value or null. */
export interface NullableCheck {
  readonly nullable: Check;
}

/** An object whose kind stands in one of its members. */
export interface VariantCheck {
  /** The member that tells the kind. */
  readonly by: string;
  readonly variants: { readonly [kind: string]: Check };
  /** The kind that is meant when the member is absent. */
  readonly absent?: string;
}

/** An object with some members, of which those not named here are allowed. */
export interface ObjectCheck<Name extends string = string> {
  readonly required?: { readonly [name in Name]?: Check };
  readonly optional?: { readonly [name in Name]?: Check };
  /** A rule about several members together; runs last and only when every member passed. */
  readonly also?: CheckFunction;
}

/** A check of a wire type: a misspelt member name is a compile-time error. */
export type CheckOf<T> = ObjectCheck<Extract<keyof { [K in keyof T as string extends K ? never : K]: true }, string>>;

/**
 * A check in code. Answers `undefined` for a value that passes, else where and what is wrong, relative to
 * the value: `": expected a string, got 5"` or `".name: expected ..."`.
 */
export type CheckFunction = (value: unknown) => string | undefined;

/** Anything `findMismatch` can apply. */
export type Check =
  | PlainCheck
  | ChoiceCheck
  | RangeCheck
  | ArrayCheck
  | RecordCheck
  | OneOrManyCheck
  | NullableCheck
  | VariantCheck
  | ObjectCheck
  | CheckFunction;

/**
 * Applies a check. Answers `undefined` when the value passes, else one sentence that says where, what was
 * expected and what came.
 *
 * @param at - what the value is called in the message
 *
 * @example
 * ```ts
 * findMismatch({ required: { name: "string" } }, { name: 5 }, "params"); // "params.name: expected a string, got 5"
 * ```
 */
export function findMismatch(check: Check, value: unknown, at: string): string | undefined {
  const fault = findFault(check, value);
  return fault === undefined ? undefined : at + fault;
}

/** As `findMismatch`, with the place relative to the value: for checks in code that contain other checks. */
export function findFault(check: Check, value: unknown): string | undefined {
  if (typeof check === "string") {
    return fits(check, value) ? undefined : expected(plainNames[check], value);
  }
  if (typeof check === "function") {
    return check(value);
  }
  if ("required" in check || "optional" in check) {
    return isObject(value) ? findFaultInMembers(check, value) : expected("an object", value);
  }
  if ("choices" in check) {
    return typeof value === "string" && check.choices.includes(value)
      ? undefined
      : expected(listChoices(check.choices), value);
  }
  if ("each" in check) {
    return Array.isArray(value) ? findFaultyElement(check.each, value) : expected("an array", value);
  }
  if ("values" in check) {
    return isObject(value) ? findFaultyValue(check.values, value) : expected("an object", value);
  }
  if ("by" in check) {
    return isObject(value) ? findFaultInVariant(check, value) : expected("an object", value);
  }
  if ("oneOrMany" in check) {
    return Array.isArray(value) ? findFaultyElement(check.oneOrMany, value) : findFault(check.oneOrMany, value);
  }
  if ("nullable" in check) {
    return value === null ? undefined : findFault(check.nullable, value);
  }
  if ("from" in check) {
    return typeof value === "number" && value >= check.from && value <= check.to
      ? undefined
      : expected(`a number from ${check.from} to ${check.to}`, value);
  }
  return isObject(value) ? check.also?.(value) : expected("an object", value);
}

/** The fault of a value that is not what was wanted: `": expected a string, got 5"`. */
export function expected(what: string, value: unknown): string {
  return `: expected ${what}, got ${describeValue(value)}`;
}

/** Names choices for a message: `"a", "b" or "c"`. */
export function listChoices(choices: readonly string[]): string {
  const quoted = choices.map((choice) => JSON.stringify(choice));
  const last = quoted.pop() ?? "nothing";
  return quoted.length === 0 ? last : `${quoted.join(", ")} or ${last}`;
}

/** A member's place in a message: `.name`, or `["odd name"]`. */
export function memberPath(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

const plainNames: { readonly [name in PlainCheck]: string } = {
  any: "a value",
  string: "a string",
  number: "a number",
  integer: "an integer",
  boolean: "true or false",
  object: "an object",
  token: "a string or an integer",
};

const longestQuote = 60;

function fits(check: PlainCheck, value: unknown): boolean {
  switch (check) {
    case "string":
      return typeof value === "string";
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "number":
      return Number.isFinite(value);
    case "token":
      return typeof value === "string" || Number.isInteger(value);
    case "any":
      return value !== undefined;
  }
}

function describeValue(value: unknown): string {
  if (value === undefined) {
    return "nothing";
  }
  if (typeof value === "string") {
    return value.length > longestQuote ? `${JSON.stringify(value.slice(0, longestQuote))}…` : JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return "an array";
  }
  return typeof value === "object" && value !== null ? "an object" : String(value);
}

function findFaultyElement(check: Check, values: readonly unknown[]): string | undefined {
  for (let index = 0; index < values.length; index += 1) {
    const fault = findFault(check, values[index]);
    if (fault !== undefined) {
      return `[${index}]${fault}`;
    }
  }
  return undefined;
}

function findFaultyValue(check: Check, map: { readonly [name: string]: unknown }): string | undefined {
  for (const name in map) {
    if (Object.hasOwn(map, name)) {
      const fault = findFault(check, map[name]);
      if (fault !== undefined) {
        return memberPath(name) + fault;
      }
    }
  }
  return undefined;
}

function findFaultInVariant(check: VariantCheck, value: { readonly [name: string]: unknown }): string | undefined {
  const given = value[check.by];
  const kind = given === undefined ? check.absent : given;
  if (typeof kind !== "string" || !Object.hasOwn(check.variants, kind)) {
    return memberPath(check.by) + expected(listChoices(Object.keys(check.variants)), given);
  }
  return findFault(check.variants[kind] as Check, value);
}

function findFaultInMembers(check: ObjectCheck, value: { readonly [name: string]: unknown }): string | undefined {
  const { required, optional } = check;
  for (const name in required) {
    const fault = findFault(required[name] as Check, value[name]);
    if (fault !== undefined) {
      return memberPath(name) + fault;
    }
  }
  for (const name in optional) {
    const member = value[name];
    if (member !== undefined) {
      const fault = findFault(optional[name] as Check, member);
      if (fault !== undefined) {
        return memberPath(name) + fault;
      }
    }
  }
  return check.also?.(value);
}
