import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createPrefix, openRedis, whyNoRedis } from "../../../test/fixtures/redis.ts";
import {
  type OpenedRedisStore,
  openRedisStore,
  type RedisWay,
  redisWays,
} from "../../../test/fixtures/redis-stores.ts";
import { within } from "../../../test/fixtures/within.ts";
import type { Clock } from "../../base/timer.ts";
import { createFakeClock } from "../../test/clock.ts";
import { StoreError } from "../error.ts";

/** A store behind a proxy that can lose replies, and another one that loses none. */
async function openPair(context: TestContext, way: RedisWay, clock?: Clock) {
  const prefix = createPrefix();
  const [near, far] = [await openRedisStore(way, { prefix, clock }), await openRedisStore("a URL", { prefix })];
  context.after(async () => {
    await Promise.all([near.close(), far.close()]);
    const probe = await openRedis();
    await probe.clear(prefix);
    probe.close();
  });
  // Connected, and known to the server with its scripts.
  await near.store.set("warm", "1", { ifVersion: null });
  await near.store.append("warm", "1");
  return { near, far, prefix };
}

/** Runs an operation whose reply is lost and whose connection is cut then, after `between`. */
async function loseReply<T>(
  near: OpenedRedisStore,
  run: () => Promise<T>,
  between?: () => Promise<unknown>,
): Promise<T> {
  near.proxy.loseReplies();
  const running = run();
  running.catch(() => undefined);
  await within(near.proxy.lost(), "the operation at the server");
  await between?.();
  near.proxy.cut();
  return within(running, "the operation");
}

const isUnknown = (error: unknown): boolean =>
  error instanceof StoreError && error.failure === "unavailable" && /not known/.test(error.message);

for (const way of redisWays) {
  describe(`operations whose reply is lost, by ${way}`, { skip: whyNoRedis() }, () => {
    it("makes an append once and answers what it made", async (context) => {
      const { near, far } = await openPair(context, way);
      const first = await near.store.append("l", "a");
      const second = await loseReply(near, () => near.store.append("l", "b"));
      assert.deepEqual((await far.store.read("l"))?.entries, [first, second]);
      assert.equal(second.previous, first.position);
    });

    it("answers an append that others have followed, or whose log was dropped since", async (context) => {
      const { near, far } = await openPair(context, way);
      const first = await near.store.append("l", "a");
      const followed = await loseReply(
        near,
        () => near.store.append("l", "b"),
        () => far.store.append("l", "c"),
      );
      const entries = (await far.store.read("l"))?.entries;
      assert.deepEqual(
        entries?.map(({ value }) => value),
        ["a", "b", "c"],
      );
      assert.deepEqual(followed, entries?.[1]);
      assert.equal(followed.previous, first.position);
      const dropped = await loseReply(
        near,
        () => near.store.append("l", "d"),
        () => far.store.drop("l"),
      );
      assert.equal(dropped.value, "d");
      assert.equal(await far.store.read("l"), undefined);
    });

    it("takes a write over a version for its own", async (context) => {
      const { near, far } = await openPair(context, way);
      const version = await loseReply(near, () => near.store.set("k", "v", { ifVersion: null }));
      assert.deepEqual(await far.store.get("k"), { value: "v", version });
    });

    it("rejects where a write may have been made and written over since", async (context) => {
      const { near, far } = await openPair(context, way);
      const setting = loseReply(
        near,
        () => near.store.set("k", "v", { ifVersion: null }),
        () => far.store.set("k", "w"),
      );
      await assert.rejects(setting, isUnknown);
      assert.equal((await far.store.get("k"))?.value, "w");
    });

    it("rejects a deletion that finds nothing the second time", async (context) => {
      const { near, far } = await openPair(context, way);
      await near.store.set("k", "v");
      await assert.rejects(
        loseReply(near, () => near.store.delete("k")),
        isUnknown,
      );
      assert.equal(await far.store.get("k"), undefined);
      assert.equal(await near.store.delete("k"), false);
    });

    it("brings a message that is published twice once", async (context) => {
      const { near, far } = await openPair(context, way);
      const heard: string[] = [];
      await far.store.subscribe("t", { message: (text) => heard.push(text), missed: () => heard.push("missed") });
      await loseReply(near, () => near.store.publish("t", "a"));
      await near.store.publish("t", "b");
      while (!heard.includes("b")) {
        await far.store.publish("t", "witness");
      }
      assert.deepEqual(
        heard.filter((text) => text !== "witness"),
        ["a", "b"],
      );
    });

    it("says within its limit that an operation's fate is not known", async (context) => {
      const clock = createFakeClock();
      const { near, far } = await openPair(context, way, clock);
      near.proxy.loseReplies();
      const rejects = assert.rejects(near.store.append("l", "a"), isUnknown);
      await within(near.proxy.lost(), "the append at the server");
      await clock.advance(5_000);
      await within(rejects, "the rejection");
      near.proxy.cut();
      assert.deepEqual(
        (await far.store.read("l"))?.entries.map(({ value }) => value),
        ["a"],
      );
    });
  });
}
