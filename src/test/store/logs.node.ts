/** What every Log promises of order, as tests. What it keeps is log-limits.node.ts. */
import assert from "node:assert/strict";
import type { LogEntry, Store } from "../../store/contracts.ts";
import { oddNames } from "./odd-names.ts";
import type { SuiteLimits } from "./opened.ts";
import type { Promised } from "./promised.node.ts";
import { listKeys } from "./values.node.ts";

/** The entries of a log that is known, as plain objects. */
export async function readEntries(store: Store, log: string, after?: number): Promise<LogEntry[]> {
  const slice = await store.read(log, after);
  assert.ok(slice !== undefined, "expected the log to be known");
  assert.equal(slice.complete, true, "expected nothing to have been dropped");
  return slice.entries.map((entry) => ({ ...entry }));
}

/** Fails unless positions grow and each entry names the one before it. */
export function assertChained(entries: readonly LogEntry[], first = 0): void {
  let previous = first;
  for (const entry of entries) {
    assert.ok(Number.isSafeInteger(entry.position) && entry.position > previous, `${entry.position} after ${previous}`);
    assert.equal(entry.previous, previous);
    previous = entry.position;
  }
}

/** Registers the tests of reading and of order. */
export function describeLogs(promise: Promised<Store>): void {
  promise("knows nothing of a log that never began", async ({ store }) => {
    assert.equal(await store.read("l"), undefined);
    assert.equal(await store.read("l", 5), undefined);
    await store.drop("l");
    assert.equal(await store.read("l"), undefined);
  });

  promise("gives each entry to everybody once it is added, just as `append` gave it", async ({ store, other }) => {
    const added: LogEntry[] = [];
    for (const [index, value] of ["a", "b", "", "a"].entries()) {
      added.push({ ...(await (index % 2 === 0 ? store : other).append("l", value)) });
      assert.deepEqual(await readEntries(store, "l"), added);
      assert.deepEqual(await readEntries(other, "l"), added);
    }
    assert.deepEqual(
      added.map(({ value }) => value),
      ["a", "b", "", "a"],
    );
    assertChained(added);
  });

  promise("gives what stands behind a position, whether or not an entry stands there", async ({ store, other }) => {
    const added: LogEntry[] = [];
    for (const value of ["a", "b", "c"]) {
      added.push({ ...(await store.append("l", value)) });
    }
    const [first, second, third] = added.map(({ position }) => position) as [number, number, number];
    assert.deepEqual(await readEntries(other, "l", 0), added);
    assert.deepEqual(await readEntries(other, "l", first - 1), added);
    assert.deepEqual(await readEntries(other, "l", first), added.slice(1));
    assert.deepEqual(await readEntries(other, "l", second), added.slice(2));
    assert.deepEqual(await readEntries(other, "l", third - 1), added.slice(2));
    assert.deepEqual(await readEntries(other, "l", third), []);
  });

  promise("gives all writers of a log one order", async ({ store, other }) => {
    const write = async (writer: number): Promise<LogEntry[]> => {
      const added: LogEntry[] = [];
      for (let index = 0; index < 15; index += 1) {
        added.push({ ...(await (writer % 2 === 0 ? store : other).append("l", `${writer}/${index}`)) });
      }
      return added;
    };
    const written = await Promise.all(Array.from({ length: 10 }, (_, writer) => write(writer)));
    const entries = await readEntries(store, "l");
    assertChained(entries);
    assert.deepEqual(await readEntries(other, "l"), entries);
    assert.deepEqual(
      entries,
      written.flat().sort((one, two) => one.position - two.position),
    );
    for (const added of written) {
      const positions = added.map(({ position }) => position);
      assert.deepEqual(
        positions,
        [...positions].sort((one, two) => one - two),
        "expected each writer's entries in its own order",
      );
    }
  });
}

/** Registers the tests of what a log may hold and what stands beside it. */
export function describeLogContents(
  promise: Promised<Store>,
  { maxKeyLength = 10_000, maxValueLength = 1_000_000 }: SuiteLimits,
): void {
  promise("keeps any text in a log, a large one too", async ({ store, other }) => {
    const values = [...oddNames, "x🙂".repeat(Math.floor(maxValueLength / 3))];
    for (const value of values) {
      await store.append("l", value);
    }
    const found = (await readEntries(other, "l")).map(({ value }) => value);
    assert.equal(found.length, values.length);
    const wrong = values.filter((value, index) => value !== found[index]).map(({ length }) => `${length} characters`);
    assert.deepEqual(wrong, [], "expected every entry as it was added");
  });

  promise("keeps logs apart, whatever their names", async ({ store, other }) => {
    const long = "l".repeat(maxKeyLength - 1);
    const names = [...oddNames, `${long}1`, `${long}2`];
    for (const name of names) {
      await store.append(name, `in ${name}`);
    }
    await store.drop("a");
    for (const name of names.filter((each) => each !== "a")) {
      assert.deepEqual(
        (await readEntries(other, name)).map(({ value }) => value),
        [`in ${name}`],
      );
    }
    assert.equal(await other.read("a"), undefined);
  });

  promise("keeps a log and a value of the same name apart", async ({ store }) => {
    await store.append("n", "entry");
    assert.equal(await store.get("n"), undefined);
    assert.deepEqual(await listKeys(store, ""), []);
    await store.set("n", "value");
    await store.drop("n");
    assert.equal((await store.get("n"))?.value, "value");
    await store.append("n", "another");
    await store.delete("n");
    assert.deepEqual(
      (await readEntries(store, "n")).map(({ value }) => value),
      ["another"],
    );
  });
}
