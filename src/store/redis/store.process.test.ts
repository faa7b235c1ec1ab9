import { describe } from "node:test";
import { createPrefix, openRedis, whyNoRedis } from "../../../test/fixtures/redis.ts";
import { openRedisStore, redisWays } from "../../../test/fixtures/redis-stores.ts";
import { describeStore } from "../../test/store.node.ts";
import { redis } from "./open.node.ts";

/** What is kept of a log beside its entries: a hash and a set that are small, and that go about a minute later. */
const isCompanion = (name: string): boolean => name.endsWith(":state") || name.endsWith(":tokens");

describe("redis, with a real server [PP-004] [PP-010]", { skip: whyNoRedis() }, () => {
  for (const [index, way] of redisWays.entries()) {
    const otherWay = redisWays[(index + 1) % redisWays.length] ?? way;
    describeStore(
      `a store in Redis by ${way}`,
      async () => {
        const prefix = createPrefix();
        const [opened, other, probe] = await Promise.all([
          openRedisStore(way, { prefix }),
          openRedisStore(otherWay, { prefix }),
          openRedis(),
        ]);
        // Connected before time is measured.
        await Promise.all([opened.store.get("k"), other.store.get("k")]);
        return {
          store: opened.store,
          other: other.store,
          cut: () => opened.proxy.cut(),
          countKept: async () => (await probe.keys(prefix)).filter((name) => !isCompanion(name)).length,
          close: async () => {
            await Promise.all([opened.close(), other.close()]);
            await probe.clear(prefix);
            probe.close();
          },
        };
      },
      { openUnreachable: () => redis("redis://127.0.0.1:1", { timeoutMs: 50 }) },
    );
  }
});
