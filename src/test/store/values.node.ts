/** What every KeyValue promises of values and keys, as tests. Versions and expiry have files of their own. */
import assert from "node:assert/strict";
import type { KeyValue } from "../../store/contracts.ts";
import { oddNames } from "./odd-names.ts";
import type { SuiteLimits } from "./opened.ts";
import type { Promised } from "./promised.node.ts";

/** Every key of a listing. */
export async function listKeys(store: KeyValue, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.keys(prefix)) {
    keys.push(key);
  }
  return keys;
}

/** Registers the tests of values. */
export function describeValues(
  promise: Promised<KeyValue>,
  { maxKeyLength = 10_000, maxValueLength = 1_000_000 }: SuiteLimits,
): void {
  promise("has nothing where nothing was written", async ({ store }) => {
    for (const key of ["k", "__proto__", "toString"]) {
      assert.equal(await store.get(key), undefined);
      assert.equal(await store.delete(key), false);
    }
  });

  promise("gives a value back, and its version, to everybody, once it is written", async ({ store, other }) => {
    const version = await store.set("k", "v");
    assert.equal(typeof version, "string");
    assert.deepEqual({ ...(await store.get("k")) }, { value: "v", version });
    assert.deepEqual({ ...(await other.get("k")) }, { value: "v", version });
    await other.set("k", "w");
    assert.equal((await store.get("k"))?.value, "w");
  });

  promise("keeps any text, an empty one and a large one too", async ({ store, other }) => {
    for (const value of [...oddNames, '{"a":"\\u0000"}', "x🙂".repeat(Math.floor(maxValueLength / 3))]) {
      await store.set("k", value);
      const found = await other.get("k");
      assert.ok(found?.value === value, `${value.length} characters came back as ${found?.value.length}`);
    }
  });

  promise("keeps any keys apart, very long ones too", async ({ store, other }) => {
    const long = "k".repeat(maxKeyLength - 1);
    const keys = [...oddNames, `${long}1`, `${long}2`];
    for (const [index, key] of keys.entries()) {
      await store.set(key, String(index));
    }
    for (const [index, key] of keys.entries()) {
      assert.equal((await other.get(key))?.value, String(index));
    }
    assert.deepEqual(new Set(await listKeys(other, "")), new Set(keys));
  });

  promise("forgets what is deleted, and says whether there was anything", async ({ store, other }) => {
    await store.set("k", "v");
    await store.set("l", "w");
    assert.equal(await store.delete("k"), true);
    assert.equal(await other.get("k"), undefined);
    assert.equal(await store.delete("k"), false);
    assert.equal((await store.get("l"))?.value, "w");
  });
}

/** Registers the tests of listings. */
export function describeKeys(promise: Promised<KeyValue>): void {
  promise("lists each key that begins with a prefix, once", async ({ store, other }) => {
    for (const key of ["a/1", "a/2", "ab", "A/3", "b/a/1"]) {
      await store.set(key, "v");
    }
    await store.set("a/1", "w");
    assert.deepEqual((await listKeys(other, "a/")).sort(), ["a/1", "a/2"]);
    assert.deepEqual(await listKeys(other, "none"), []);
    assert.equal((await listKeys(other, "")).length, 5);
  });

  promise("takes a prefix literally, whatever patterns its backend knows", async ({ store, other }) => {
    const prefixes = [
      "*",
      "?",
      "[ab]",
      "[^a]",
      "{a,b}",
      "\\",
      "\\*",
      "%",
      "_",
      "a*",
      "a?",
      "a[b]",
      "a%",
      "a_",
      "a\\",
      "'",
    ];
    for (const prefix of [...prefixes, "🙂", "b", "ab", "aab"]) {
      await store.set(`${prefix}/1`, "v");
    }
    for (const prefix of [...prefixes, "🙂"]) {
      assert.deepEqual(await listKeys(other, `${prefix}/`), [`${prefix}/1`]);
    }
  });

  promise("lists more keys than one page of anything has", async ({ store, other }) => {
    const keys = Array.from({ length: 300 }, (_, index) => `k${index}`);
    for (const key of keys) {
      await store.set(key, "v");
    }
    assert.deepEqual((await listKeys(other, "k")).sort(), keys.sort());
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
    assert.deepEqual(await listKeys(store, ""), []);
  });
}
