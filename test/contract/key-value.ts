// What every KeyValue promises, as tests. A new backend calls this with a way to open an empty store.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { KeyValue } from "../../src/store/contracts.ts";

/** A store that is empty, and how a test reaches around it. */
export interface OpenedKeyValue {
  readonly store: KeyValue;
  /** Another way to the same values, as another process has it; absent where there is none. */
  readonly other?: KeyValue | undefined;
  /** Moves the store's time on, in milliseconds; absent where it has its own, and then expiry is not tested. */
  advance?(ms: number): Promise<void> | void;
  /** Gives up what the store was made from. */
  close(): Promise<void> | void;
}

/** What differs from one backend to another. */
export interface KeyValueSuiteOptions {
  /** Length of the longest key that is tried, in characters. Default 10 000. */
  readonly maxKeyLength?: number | undefined;
  /** Length of the largest value that is tried, in characters. Default 100 000. */
  readonly maxValueLength?: number | undefined;
  /** How many writers race for one value. Default 20. */
  readonly racers?: number | undefined;
}

type Body = (opened: OpenedKeyValue) => Promise<void>;

/**
 * Registers the suite.
 *
 * @param name - of the backend, in the title
 * @param open - opens an empty store; called once for each test, and what it gives is closed after it
 */
export function describeKeyValue(
  name: string,
  open: () => Promise<OpenedKeyValue>,
  options: KeyValueSuiteOptions = {},
): void {
  const promise = (title: string, body: Body): void => {
    it(title, async () => {
      const opened = await open();
      try {
        await body(opened);
      } finally {
        await opened.close();
      }
    });
  };
  describe(`${name} as a KeyValue`, () => {
    describeValues(promise, options);
    describeVersions(promise, options);
    describeExpiry((title, body) =>
      promise(title, async (opened) => {
        if (opened.advance !== undefined) {
          await body(opened);
        }
      }),
    );
    describeKeys(promise);
  });
}

type Promised = (title: string, body: Body) => void;

const oddNames = [
  "",
  " ",
  "a/b/../c",
  "a\\b",
  "%2F",
  "__proto__",
  "constructor",
  "é🙂\u0000\n",
  "e\u0301",
  "\u00e9",
  "A",
  "a",
];

function describeValues(promise: Promised, { maxKeyLength = 10_000, maxValueLength = 100_000 }: KeyValueSuiteOptions) {
  promise("has nothing where nothing was written", async ({ store }) => {
    for (const key of ["k", "__proto__", "toString"]) {
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.delete(key), false);
    }
  });

  promise("gives a value back, and its version, to everybody, once it is written", async ({ store, other = store }) => {
    const version = await store.set("k", "v");
    assert.equal(typeof version, "string");
    assert.deepEqual({ ...(await store.get("k")) }, { value: "v", version });
    assert.deepEqual({ ...(await other.get("k")) }, { value: "v", version });
    await other.set("k", "w");
    assert.equal((await store.get("k"))?.value, "w");
  });

  promise("keeps any text, an empty one and a large one too", async ({ store, other = store }) => {
    for (const value of ["", ...oddNames, '{"a":"\\u0000"}', "x🙂".repeat(Math.floor(maxValueLength / 3))]) {
      await store.set("k", value);
      assert.equal((await other.get("k"))?.value, value);
    }
  });

  promise("keeps any keys apart, very long ones too", async ({ store, other = store }) => {
    const long = "k".repeat(maxKeyLength - 1);
    const keys = [...oddNames, `${long}1`, `${long}2`];
    for (const [index, key] of keys.entries()) {
      await store.set(key, String(index));
    }
    for (const [index, key] of keys.entries()) {
      assert.equal((await other.get(key))?.value, String(index));
    }
    assert.deepEqual(new Set(await list(other, "")), new Set(keys));
  });

  promise("forgets what is deleted, and says whether there was anything", async ({ store, other = store }) => {
    await store.set("k", "v");
    await store.set("l", "w");
    assert.equal(await store.delete("k"), true);
    assert.equal(await other.get("k"), undefined);
    assert.equal(await store.delete("k"), false);
    assert.equal((await store.get("l"))?.value, "w");
  });
}

function describeVersions(promise: Promised, { racers = 20 }: KeyValueSuiteOptions) {
  promise(
    "gives every write of a key another version, also of the same value or after a deletion",
    async ({ store }) => {
      const versions = [await store.set("k", "v"), await store.set("k", "v"), await store.set("k", "w")];
      await store.delete("k");
      versions.push(await store.set("k", "v"));
      assert.equal(new Set(versions).size, versions.length);
      assert.equal(versions.includes(undefined), false);
    },
  );

  promise("leaves a version as it is while others are written", async ({ store }) => {
    const version = await store.set("k", "v");
    await store.set("l", "w");
    await store.delete("l");
    assert.equal((await store.get("k"))?.version, version);
  });

  promise("writes with ifVersion null only where nothing is", async ({ store, other = store }) => {
    const first = await store.set("k", "1", { ifVersion: null });
    assert.equal(typeof first, "string");
    assert.equal(await other.set("k", "2", { ifVersion: null }), undefined);
    assert.deepEqual({ ...(await store.get("k")) }, { value: "1", version: first });
    await store.delete("k");
    assert.equal(typeof (await other.set("k", "3", { ifVersion: null })), "string");
  });

  promise("writes with a version only over that version", async ({ store, other = store }) => {
    const first = (await store.set("k", "1")) ?? "";
    const second = await other.set("k", "2", { ifVersion: first });
    assert.equal(typeof second, "string");
    assert.equal(await store.set("k", "3", { ifVersion: first }), undefined);
    assert.deepEqual({ ...(await store.get("k")) }, { value: "2", version: second });
    await store.delete("k");
    assert.equal(await store.set("k", "4", { ifVersion: second }), undefined);
    assert.equal(await store.set("never", "5", { ifVersion: first }), undefined);
    assert.equal(await store.get("k"), undefined);
  });

  promise("deletes with a version only that version", async ({ store, other = store }) => {
    const first = (await store.set("k", "1")) ?? "";
    const second = (await store.set("k", "2")) ?? "";
    assert.equal(await other.delete("k", { ifVersion: first }), false);
    assert.equal((await store.get("k"))?.value, "2");
    assert.equal(await other.delete("k", { ifVersion: second }), true);
    assert.equal(await other.delete("k", { ifVersion: second }), false);
  });

  promise("lets exactly one of many win a value, whatever it was before", async ({ store, other = store }) => {
    let version: string | null = null;
    for (let round = 0; round < 3; round += 1) {
      const ifVersion: string | null = version;
      const writes = Array.from({ length: racers }, (_, index) =>
        (index % 2 === 0 ? store : other).set("k", `${round}/${index}`, { ifVersion }),
      );
      const results: (string | undefined)[] = await Promise.all(writes);
      const winners = results.flatMap((result, index) => (result === undefined ? [] : [{ result, index }]));
      assert.equal(winners.length, 1);
      const [winner] = winners;
      assert.deepEqual({ ...(await store.get("k")) }, { value: `${round}/${winner?.index}`, version: winner?.result });
      version = winner?.result ?? null;
    }
  });

  promise("lets exactly one of many delete a version", async ({ store, other = store }) => {
    const ifVersion = await store.set("k", "v");
    const deletions = Array.from({ length: racers }, (_, index) =>
      (index % 2 === 0 ? store : other).delete("k", { ifVersion }),
    );
    assert.equal((await Promise.all(deletions)).filter(Boolean).length, 1);
  });

  promise("loses no update of writers that try again", async ({ store, other = store }) => {
    const increment = async (view: KeyValue): Promise<void> => {
      for (;;) {
        const found = await view.get("n");
        const next = String(Number(found?.value ?? "0") + 1);
        if ((await view.set("n", next, { ifVersion: found?.version ?? null })) !== undefined) {
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => increment(index % 2 === 0 ? store : other)));
    assert.equal((await store.get("n"))?.value, "8");
  });
}

function describeExpiry(promise: Promised) {
  promise("has a value until its time is up, and then as if it had never been", async (opened) => {
    const { store, other = store } = opened;
    const version = (await store.set("k", "v", { ttlMs: 1_000 })) ?? "";
    await opened.advance?.(999);
    assert.equal((await other.get("k"))?.value, "v");
    await opened.advance?.(1);
    assert.equal(await store.get("k"), undefined);
    assert.deepEqual(await list(other, ""), []);
    assert.equal(await store.set("k", "w", { ifVersion: version }), undefined);
    assert.equal(await store.delete("k", { ifVersion: version }), false);
    assert.equal(await store.delete("k"), false);
    assert.equal(typeof (await store.set("k", "x", { ifVersion: null })), "string");
  });

  promise("counts the time of the last write only, which may be without one", async (opened) => {
    const { store } = opened;
    await store.set("renewed", "v", { ttlMs: 1_000 });
    await store.set("kept", "v", { ttlMs: 1_000 });
    await opened.advance?.(900);
    const version = (await store.get("renewed"))?.version;
    await store.set("renewed", "v", { ttlMs: 1_000, ifVersion: version });
    await store.set("kept", "v");
    await opened.advance?.(900);
    assert.equal((await store.get("renewed"))?.value, "v");
    await opened.advance?.(1_000_000);
    assert.deepEqual(await list(store, ""), ["kept"]);
  });

  promise("leaves the time of a value as it was when a write did not happen", async (opened) => {
    const { store } = opened;
    await store.set("k", "v", { ttlMs: 1_000 });
    assert.equal(await store.set("k", "w", { ttlMs: 9_000, ifVersion: null }), undefined);
    await opened.advance?.(1_000);
    assert.equal(await store.get("k"), undefined);
  });
}

function describeKeys(promise: Promised) {
  promise("lists each key that begins with a prefix, taken literally, once", async ({ store, other = store }) => {
    for (const key of ["a/1", "a/2", "ab", "A/3", "b/a/1", "%/1", "_/1", "*"]) {
      await store.set(key, "v");
    }
    await store.set("a/1", "w");
    assert.deepEqual((await list(other, "a/")).sort(), ["a/1", "a/2"]);
    assert.deepEqual(await list(other, "%"), ["%/1"]);
    assert.deepEqual(await list(other, "_"), ["_/1"]);
    assert.deepEqual(await list(other, "*"), ["*"]);
    assert.deepEqual(await list(other, "none"), []);
    assert.equal((await list(other, "")).length, 8);
  });

  promise("lets what it lists be deleted meanwhile, and the listing be given up", async ({ store }) => {
    for (let index = 0; index < 10; index += 1) {
      await store.set(`k${index}`, "v");
    }
    for await (const _ of store.keys("")) {
      break;
    }
    for await (const key of store.keys("k")) {
      await store.delete(key);
    }
    assert.deepEqual(await list(store, ""), []);
  });
}

async function list(store: KeyValue, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.keys(prefix)) {
    keys.push(key);
  }
  return keys;
}
