import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createPrefix, openRedis, whyNoRedis } from "../../../test/fixtures/redis.ts";
import { openRedisStore, type RedisWay, redisWays } from "../../../test/fixtures/redis-stores.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { within } from "../../../test/fixtures/within.ts";
import { createFakeClock } from "../../test/clock.ts";
import { StoreError } from "../error.ts";
import type { RedisOptions } from "./open.node.ts";

async function open(context: TestContext, way: RedisWay, options: RedisOptions = {}) {
  const prefix = createPrefix();
  const opened = await openRedisStore(way, { prefix, ...options });
  context.after(async () => {
    await opened.close();
    const probe = await openRedis();
    await probe.clear(prefix);
    probe.close();
  });
  return opened;
}

for (const way of redisWays) {
  describe(`a lost connection to Redis, by ${way}`, { skip: whyNoRedis() }, () => {
    it("holds operations while it is away and carries them out when it is back", async (context) => {
      const { store, proxy } = await open(context, way);
      await store.set("k", "v");
      proxy.refuse();
      const operations = [store.get("k"), store.append("l", "a"), store.append("l", "b")] as const;
      proxy.accept();
      const [found, ...entries] = await within(Promise.all(operations), "held operations");
      assert.equal(found?.value, "v");
      assert.deepEqual((await store.read("l"))?.entries, entries);
    });

    it("rejects after its limit, naming the place and why, and no more", async (context) => {
      const clock = createFakeClock();
      const { store, proxy } = await open(context, way, { clock });
      await store.set("secret-key", "secret-value");
      proxy.refuse();
      const rejects = assert.rejects(store.set("secret-key", "secret-value"), (error) => {
        assert.ok(error instanceof StoreError && error.failure === "unavailable");
        assert.match(error.message, /^Redis at 127\.0\.0\.1:\d+: expected an answer within 5000 ms/);
        assert.ok(!/secret/.test(`${error.message} ${JSON.stringify(error)} ${String(error.cause)}`));
        return true;
      });
      await turn();
      await clock.advance(5_000);
      await within(rejects, "the rejection");
      proxy.accept();
    });

    it("tells every listener once it is heard again, and not before", async (context) => {
      const { store, proxy } = await open(context, way);
      const [first, second] = [recordBus(), recordBus()];
      await store.subscribe("t", first);
      await store.subscribe("t", second);
      const gone = recordBus();
      (await store.subscribe("u", gone))();
      proxy.cut();
      await within(Promise.all([first.whenMissed, second.whenMissed]), "listeners to be told");
      await store.publish("t", "after");
      await within(Promise.all([first.whenHeard, second.whenHeard]), "a message");
      assert.deepEqual([first.events, second.events, gone.events], [["missed", "after"], ["missed", "after"], []]);
    });

    it("finds out that nobody answers a connection that only listens, and tells its listeners", async (context) => {
      const clock = createFakeClock();
      const { store, proxy } = await open(context, way, { clock });
      const listener = recordBus();
      await store.subscribe("t", listener);
      proxy.loseReplies();
      const told = within(listener.whenMissed, "the listener to be told");
      await clock.advance(10_000);
      await clock.advance(5_000);
      await told;
      assert.deepEqual(listener.events, ["missed"]);
    });

    it("lets operations that are held be refused at the end", async (context) => {
      const { store, proxy } = await open(context, way);
      await store.set("k", "v");
      proxy.refuse();
      while ((await Promise.race([store.get("k").then(() => true), tick()])) !== undefined) {
        // Until the connection is known to be lost.
      }
      const held = assert.rejects(store.get("k"), /closed/);
      await within(store.close(), "the end");
      await held;
      await assert.rejects(store.get("k"), /the store was closed/);
      proxy.accept();
    });
  });
}

describe("a connection that the store made itself", { skip: whyNoRedis() }, () => {
  it("is given up where nobody answers it, so that the next operation is answered", async (context) => {
    const clock = createFakeClock();
    const { store, proxy } = await open(context, "a URL", { clock });
    await store.set("k", "v");
    proxy.loseReplies();
    const rejects = assert.rejects(store.get("k"), StoreError);
    await within(proxy.lost(), "the operation at the server");
    await clock.advance(5_000);
    await within(rejects, "the rejection");
    assert.equal((await within(store.get("k"), "an answer"))?.value, "v");
  });
});

const tick = (): Promise<undefined> => new Promise((resolve) => setTimeout(() => resolve(undefined), 20));

function recordBus() {
  const events: string[] = [];
  let onMissed = (): void => undefined;
  let onHeard = (): void => undefined;
  return {
    events,
    whenMissed: new Promise<void>((resolve) => {
      onMissed = resolve;
    }),
    whenHeard: new Promise<void>((resolve) => {
      onHeard = resolve;
    }),
    message: (text: string) => {
      events.push(text);
      onHeard();
    },
    missed: () => {
      events.push("missed");
      onMissed();
    },
  };
}
