import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@redis/client";
import { Redis } from "ioredis";
import { createPrefix, openRedis, redisUrl, whyNoRedis } from "../../../test/fixtures/redis.ts";
import { createFakeClock } from "../../test/clock.ts";
import type { Store } from "../contracts.ts";
import { StoreError } from "../error.ts";
import type { CommandConnection } from "./connection.ts";
import { redis } from "./open.node.ts";
import { RedisStore } from "./store.ts";

/** A store over a connection that answers from a table of functions by command. */
function openFake(answers: Readonly<Record<string, (args: readonly string[]) => unknown>>) {
  const sent: string[] = [];
  const connection: CommandConnection = {
    isReady: true,
    watch: () => undefined,
    renew: () => undefined,
    close: () => undefined,
    send: async ([name = "", ...args]) => {
      sent.push(name);
      return answers[name]?.(args) ?? null;
    },
    openSubscriber: () => assert.fail("nobody listens"),
  };
  const store = new RedisStore(async () => connection, "redis.test:6379", { clock: createFakeClock() });
  return { store, sent };
}

const fail = (message: string) => (): never => {
  throw new Error(message);
};

describe("the first operation", () => {
  it("refuses a server that is too old, and says what is expected", async () => {
    const { store } = openFake({ INFO: () => "# Server\r\nredis_version:6.2.14\r\nredis_mode:standalone\r\n" });
    await assert.rejects(store.get("k"), (error) => {
      assert.ok(error instanceof StoreError && error.failure === "unavailable");
      assert.match(error.message, /redis\.test:6379: expected Redis 7\.0 or newer, or Valkey, got Redis 6\.2\.14/);
      return true;
    });
    await assert.rejects(store.append("l", "v"), /got Redis 6\.2\.14/);
  });

  it("takes Redis 7, Valkey, and a server that may not be asked", async () => {
    for (const info of [
      () => "redis_version:7.0.0\r\n",
      () => "redis_version:10.1.0\r\n",
      () => "redis_version:6.0.0\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\n",
      fail("NOPERM User app has no permissions to run the 'info' command"),
    ]) {
      const { store, sent } = openFake({ INFO: info });
      assert.equal(await store.get("k"), undefined);
      await store.get("k");
      assert.deepEqual(sent, ["INFO", "GET", "GET"]);
    }
  });

  it("sends a script whole to a server that does not know it", async () => {
    const { store, sent } = openFake({ EVALSHA: fail("NOSCRIPT No matching script."), EVAL: () => [5, 0] });
    assert.deepEqual(await store.append("l", "v"), { position: 5, previous: 0, value: "v" });
    assert.deepEqual(sent, ["INFO", "EVALSHA", "EVAL"]);
  });
});

describe("a command that is refused", () => {
  it("is reported at once, without key and value", async () => {
    const { store, sent } = openFake({
      SET: fail("ERR unknown command 'SET', with args beginning with: 'secret-key' 'secret-value'"),
    });
    await assert.rejects(store.set("secret-key", "secret-value"), (error) => {
      assert.ok(error instanceof StoreError && error.failure === "unavailable");
      assert.match(error.message, /got: ERR unknown command 'SET'$/);
      return true;
    });
    assert.deepEqual(sent, ["INFO", "SET"]);
  });

  it("is reported as full where there is no memory left", async () => {
    const { store } = openFake({ SET: fail("OOM command not allowed when used memory > 'maxmemory'.") });
    await assert.rejects(store.set("k", "v"), (error) => error instanceof StoreError && error.failure === "full");
  });
});

/** A client whose commands are counted. */
function count<T extends object>(client: T, method: keyof T & string, sent: string[]): T {
  return new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") {
        return value;
      }
      return (...args: unknown[]): unknown => {
        if (name === method) {
          sent.push(String(Array.isArray(args[0]) ? args[0][0] : args[0]));
        }
        return Reflect.apply(value, target, args);
      };
    },
  });
}

async function assertOneEach(store: Store, sent: string[], prefix: string): Promise<void> {
  const operations: Record<string, () => Promise<unknown>> = {
    get: () => store.get("k"),
    set: () => store.set("k", "v", { ttlMs: 60_000 }),
    "set over a version": () => store.set("l", "v", { ifVersion: null }),
    delete: () => store.delete("k"),
    append: () => store.append("l", "v", { ttlMs: 60_000, maxEntries: 3, maxBytes: 1_000 }),
    read: () => store.read("l"),
    drop: () => store.drop("l"),
    publish: () => store.publish("t", "v"),
  };
  try {
    // The first time the server is asked who it is, and sees each script.
    for (const operation of [...Object.values(operations), ...Object.values(operations)]) {
      await operation();
    }
    for (const [name, operation] of Object.entries(operations)) {
      sent.length = 0;
      await operation();
      assert.equal(sent.length, name === "read" ? 2 : 1, `${name} took ${sent.join(", ")}`);
    }
  } finally {
    await store.close();
    const probe = await openRedis();
    await probe.clear(prefix);
    probe.close();
  }
}

describe("each operation", { skip: whyNoRedis() }, () => {
  it("takes one command through @redis/client, and reading a log takes two", async () => {
    const prefix = createPrefix();
    const sent: string[] = [];
    const client = createClient({ url: redisUrl });
    await client.connect();
    try {
      await assertOneEach(redis(count(client, "sendCommand", sent), { prefix }), sent, prefix);
    } finally {
      client.destroy();
    }
  });

  it("takes one command through ioredis, and reading a log takes two", async () => {
    const prefix = createPrefix();
    const sent: string[] = [];
    const client = new Redis(redisUrl);
    try {
      await assertOneEach(redis(count(client, "call", sent), { prefix }), sent, prefix);
    } finally {
      client.disconnect();
    }
  });
});
