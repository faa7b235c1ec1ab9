// Equality of JSON values as JSON Schema defines it: numbers by value, objects regardless of order,
// own properties only. Bounded by the run it happens in.

import { isRecord } from "./json-schema.ts";
import type { Run } from "./run.ts";

/** Whether two JSON values are equal. */
export function jsonEqual(a: unknown, b: unknown, run: Run): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  run.descend(1);
  const equal = Array.isArray(a)
    ? Array.isArray(b) && listsEqual(a, b, run)
    : isRecord(a) && isRecord(b) && recordsEqual(a, b, run);
  run.ascend(1);
  return equal;
}

function listsEqual(a: readonly unknown[], b: readonly unknown[], run: Run): boolean {
  if (a.length !== b.length) return false;
  run.charge(a.length);
  return a.every((entry, position) => jsonEqual(entry, b[position], run));
}

function recordsEqual(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, run: Run): boolean {
  const keys = presentKeys(a);
  if (keys.length !== presentKeys(b).length) return false;
  run.charge(keys.length);
  return keys.every((key) => Object.hasOwn(b, key) && jsonEqual(a[key], b[key], run));
}

/** The keys of an object that would be sent: a member whose value is `undefined` is absent in JSON. */
export function presentKeys(object: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(object).filter((key) => object[key] !== undefined);
}

/** The positions of two equal entries, or `undefined` when all differ. */
export function firstDuplicate(list: readonly unknown[], run: Run): readonly [number, number] | undefined {
  run.charge(list.length);
  const simple = new Map<unknown, number>();
  const compound: number[] = [];
  for (const [position, entry] of list.entries()) {
    if (typeof entry === "object" && entry !== null) {
      run.charge(compound.length);
      const earlier = compound.find((other) => jsonEqual(list[other], entry, run));
      if (earlier !== undefined) return [earlier, position];
      compound.push(position);
    } else {
      const earlier = simple.get(entry);
      if (earlier !== undefined) return [earlier, position];
      simple.set(entry, position);
    }
  }
  return undefined;
}
