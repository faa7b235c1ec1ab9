import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createPrefix, openRedis, whyNoRedis } from "../../../test/fixtures/redis.ts";
import { openRedisStore } from "../../../test/fixtures/redis-stores.ts";
import type { Store } from "../contracts.ts";

async function open(context: TestContext) {
  const prefix = createPrefix();
  const [{ store, close }, probe] = await Promise.all([openRedisStore("a URL", { prefix }), openRedis()]);
  context.after(async () => {
    await close();
    await probe.clear(prefix);
    probe.close();
  });
  const stream = `${prefix}{log:l}`;
  return { store, probe, prefix, stream, state: `${stream}:state`, tokens: `${stream}:tokens` };
}

async function valuesOf(store: Store): Promise<string[] | undefined> {
  return (await store.read("l"))?.entries.map(({ value }) => value);
}

describe("a log in Redis", { skip: whyNoRedis() }, () => {
  it("counts the bytes it keeps, also after each limit has dropped entries [PP-010]", async (context) => {
    const { store, probe, state } = await open(context);
    const steps = [
      [{}, 5],
      [{ maxEntries: 4 }, 3],
      [{ maxBytes: 40 }, 4],
      [{ ttlMs: 60_000 }, 1],
      [{ maxBytes: 10 }, 9],
      [{ maxEntries: 1, maxBytes: 1 }, 2],
    ] as const;
    for (const [limits, times] of steps) {
      for (let index = 0; index < times; index += 1) {
        await store.append("l", "é".repeat(index + 3), limits);
        const kept = (await valuesOf(store)) ?? [];
        const bytes = kept.reduce((sum, value) => sum + Buffer.byteLength(value), 0);
        assert.equal(await probe.send("HGET", state, "bytes"), String(bytes));
      }
    }
  });

  it("counts anew where a log begins again", async (context) => {
    const { store, probe, state } = await open(context);
    await store.append("l", "12345");
    await store.drop("l");
    await store.append("l", "123");
    assert.equal(await probe.send("HGET", state, "bytes"), "3");
    assert.deepEqual(await valuesOf(store), ["123"]);
  });

  it("goes on behind its last position, even where that is ahead of the clock", async (context) => {
    const { store, probe, state } = await open(context);
    await store.append("l", "a");
    const ahead = Date.now() + 3_600_000;
    await probe.send("HSET", state, "last", String(ahead));
    const entry = await store.append("l", "b", { ttlMs: 60_000 });
    assert.equal(entry.position, ahead + 1);
    await store.drop("l");
    const again = await store.append("l", "c");
    assert.deepEqual([again.position, again.previous], [ahead + 2, 0]);
  });

  it("leaves nothing for ever behind what was dropped, nor behind what expires", async (context) => {
    const { store, probe, prefix } = await open(context);
    await store.append("l", "a");
    await store.drop("l");
    await store.append("m", "a", { ttlMs: 60_000 });
    const names = await probe.keys(prefix);
    assert.equal(names.length, 5);
    for (const name of names) {
      const leftMs = Number(await probe.send("PTTL", name));
      assert.ok(leftMs > 0 && leftMs <= 130_000, `${name}: ${leftMs} ms`);
    }
    await store.append("m", "b");
    assert.equal(await probe.send("PTTL", `${prefix}{log:m}`), -1);
    assert.equal(await probe.send("PTTL", `${prefix}{log:m}:state`), -1);
  });

  it("forgets the tokens of appends that nobody tries any more", async (context) => {
    const { store, probe, tokens } = await open(context);
    await store.append("l", "a");
    await probe.send("ZADD", tokens, String(Date.now() - 120_000), "old");
    await store.append("l", "b");
    assert.equal(await probe.send("ZCARD", tokens), 2);
    assert.equal(await probe.send("ZSCORE", tokens, "old"), null);
  });

  it("takes limits that are no whole numbers", async (context) => {
    const { store } = await open(context);
    await store.append("l", "a", { maxEntries: Number.POSITIVE_INFINITY, ttlMs: Number.POSITIVE_INFINITY });
    await store.append("l", "b", { maxEntries: 2.9, maxBytes: 100.5, ttlMs: 10_000.5 });
    await store.append("l", "c", { maxEntries: 2.9 });
    assert.deepEqual(await valuesOf(store), ["b", "c"]);
    await store.append("l", "d", { maxEntries: 0 });
    assert.deepEqual(await valuesOf(store), ["d"]);
    await store.append("l", "e", { ttlMs: 0 });
    assert.equal(await store.read("l"), undefined);
    await store.set("k", "v", { ttlMs: 0 });
    assert.equal(await store.get("k"), undefined);
  });
});
