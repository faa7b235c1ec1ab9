/** What became of a list: added, removed and changed items, by key. */

/** The difference between two states of one list. */
export interface ListDiff<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
  /** Items under the same key that say something else now, in their new form. */
  readonly changed: readonly T[];
  /** The list as it is now. */
  readonly current: readonly T[];
}

/** Compares two states of a list whose items have unique keys. */
export function diffLists<T>(before: readonly T[], current: readonly T[], keyOf: (item: T) => string): ListDiff<T> {
  const old = new Map(before.map((item) => [keyOf(item), item]));
  const keys = new Set(current.map(keyOf));
  return {
    added: current.filter((item) => !old.has(keyOf(item))),
    removed: before.filter((item) => !keys.has(keyOf(item))),
    changed: current.filter((item) => old.has(keyOf(item)) && !sameJson(old.get(keyOf(item)), item)),
    current,
  };
}

/** Whether anything differs. */
export function isEmptyDiff({ added, removed, changed }: ListDiff<unknown>): boolean {
  return added.length + removed.length + changed.length === 0;
}

/** Equality of JSON values; the order of members does not count. */
function sameJson(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) {
    return true;
  }
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) {
    return false;
  }
  const names = Object.keys(a);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && sameJson(a[name as never], b[name as never]))
  );
}
