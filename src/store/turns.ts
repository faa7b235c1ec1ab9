/**
 * Callers in one process take turns at a key of a store, first come, first served, so that one of them at a time asks the
 * store. Between processes lease.ts decides.
 */
import { raceAbort } from "../base/abort.ts";
import { createDeferred } from "../base/deferred.ts";
import type { KeyValue } from "./contracts.ts";

/** Those who wait for one key, and how many turns have been taken without a break. */
interface Line {
  last: Promise<void>;
  members: number;
  turns: number;
}

const lines = /* @__PURE__ */ new WeakMap<KeyValue, Map<string, Line>>();

/**
 * Runs work when everybody who came before is done.
 *
 * @param work - gets how many turns were taken here just before this one, without the line having been empty
 * @throws the signal's reason, when it aborts before the turn has come
 */
export async function takeTurn<T>(
  store: KeyValue,
  key: string,
  signal: AbortSignal | undefined,
  work: (turnsBefore: number) => Promise<T>,
): Promise<T> {
  const keys = lines.get(store) ?? new Map<string, Line>();
  lines.set(store, keys);
  const line = keys.get(key) ?? { last: Promise.resolve(), members: 0, turns: 0 };
  keys.set(key, line);
  const before = line.last;
  const done = createDeferred();
  line.last = done.promise;
  line.members += 1;
  try {
    await raceAbort(before, signal);
    line.turns += 1;
    return await work(line.turns - 1);
  } finally {
    // Who gives up early must not let those behind in before their time.
    before.then(done.resolve);
    line.members -= 1;
    if (line.members === 0) {
      keys.delete(key);
    }
  }
}
