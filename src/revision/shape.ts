/**
 * Pure steps that rewrite messages from one revision to the one before: drop, fill, within, inEach, inValues, chain.
 *
 * A step returns its argument untouched where there is nothing to change, so unchanged messages cost no copy.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

/** Rewrites an object. Never changes its argument. */
export type Step = (value: JsonObject) => JsonObject;

/** Removes members. */
export function drop(...names: readonly string[]): Step {
  return (value) => {
    if (!names.some((name) => name in value)) {
      return value;
    }
    const copy = { ...value };
    for (const name of names) {
      delete copy[name];
    }
    return copy;
  };
}

/** Adds members that are missing. */
export function fill(defaults: JsonObject): Step {
  return (value) => ({ ...defaults, ...value });
}

/** Applies a step to the object at a member, where there is one. */
export function within(name: string, step: Step): Step {
  return (value) => {
    const inner = value[name];
    if (!isObject(inner)) {
      return value;
    }
    const next = step(inner);
    return next === inner ? value : { ...value, [name]: next };
  };
}

/** Applies a step to every object in the array at a member. */
export function inEach(name: string, step: Step): Step {
  return (value) => {
    const list = value[name];
    if (!Array.isArray(list)) {
      return value;
    }
    const next = list.map((item: unknown) => (isObject(item) ? step(item) : item));
    return next.every((item, index) => item === list[index]) ? value : { ...value, [name]: next };
  };
}

/** Applies a step to every value of the object at a member. */
export function inValues(name: string, step: Step): Step {
  return within(name, (record) => {
    const entries = Object.entries(record).map(([key, value]) => [key, isObject(value) ? step(value) : value] as const);
    return entries.every(([key, value]) => value === record[key]) ? record : Object.fromEntries(entries);
  });
}

/** Several steps as one, in this order. */
export function chain(...steps: readonly Step[]): Step {
  return (value) => steps.reduce((current, step) => step(current), value);
}
