import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { describe, it, type TestContext } from "node:test";
import { openRedis } from "../../../test/fixtures/redis.ts";
import { RedisServer } from "../../../test/fixtures/redis-server.ts";
import { openRedisStore, redisWays } from "../../../test/fixtures/redis-stores.ts";
import { within } from "../../../test/fixtures/within.ts";
import type { LogEntry, Store } from "../contracts.ts";
import { StoreError } from "../error.ts";
import { redis } from "./open.node.ts";

function whyNoServer(): string | false {
  if (spawnSync("redis-server", ["--version"]).status === 0) {
    return false;
  }
  if (process.env.CI) {
    throw new Error("redis-server is not installed");
  }
  return "redis-server is not installed";
}

async function startServer(context: TestContext, settings?: Readonly<Record<string, string>>): Promise<RedisServer> {
  const server = await RedisServer.start(settings);
  context.after(() => server.remove());
  return server;
}

/** Appends until it is told to stop, one entry after the other. */
class Writer {
  readonly acknowledged: LogEntry[] = [];
  readonly failures: { readonly error: unknown; readonly afterMs: number }[] = [];
  readonly attempted: string[] = [];
  readonly #store: Store;
  readonly #name: string;
  #isStopping = false;
  readonly #done: Promise<void>;

  constructor(store: Store, name: string) {
    this.#store = store;
    this.#name = name;
    this.#done = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#done;
  }

  /** Resolves when so many more have been acknowledged. */
  async advance(count: number): Promise<void> {
    const goal = this.acknowledged.length + count;
    while (this.acknowledged.length < goal) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  async #run(): Promise<void> {
    for (let index = 0; !this.#isStopping; index += 1) {
      const value = `${this.#name}/${index}`;
      this.attempted.push(value);
      const begun = Date.now();
      try {
        this.acknowledged.push(await this.#store.append("l", value));
      } catch (error) {
        this.failures.push({ error, afterMs: Date.now() - begun });
      }
    }
  }
}

/** Fails unless the log has what was acknowledged, in order, nothing twice, and nothing that nobody wrote. */
async function assertKept(store: Store, writers: readonly Writer[]): Promise<void> {
  const slice = await store.read("l");
  assert.ok(slice?.complete);
  const values = slice.entries.map(({ value }) => value);
  assert.equal(new Set(values).size, values.length, "nothing is doubled");
  const kept = new Map(slice.entries.map((entry) => [entry.position, entry]));
  for (const entry of writers.flatMap(({ acknowledged }) => acknowledged)) {
    assert.deepEqual(kept.get(entry.position), entry);
  }
  const attempted = new Set(writers.flatMap((writer) => writer.attempted));
  assert.ok(values.every((value) => attempted.has(value)));
  for (const [index, entry] of slice.entries.entries()) {
    assert.equal(entry.previous, slice.entries[index - 1]?.position ?? 0);
  }
}

describe("a store whose Redis stops and starts", { skip: whyNoServer() }, () => {
  it("loses nothing that was acknowledged and doubles nothing, while Redis is restarted and connections are killed [PP-004] [PP-010]", async (context) => {
    const server = await startServer(context);
    const opened = await Promise.all(redisWays.map((way) => openRedisStore(way, { timeoutMs: 20_000 }, server.url)));
    const listened = opened.map(() => ({ missed: 0, heard: [] as string[] }));
    for (const [index, { store }] of opened.entries()) {
      await store.subscribe("t", {
        message: (text) => listened[index]?.heard.push(text),
        missed: () => {
          (listened[index] ?? { missed: 0 }).missed += 1;
        },
      });
    }
    const writers = opened.flatMap(({ store }, index) =>
      [1, 2, 3].map((each) => new Writer(store, `${index}.${each}`)),
    );
    const advance = (): Promise<unknown> =>
      within(Promise.all(writers.map((writer) => writer.advance(20))), "appends", 60_000);

    await advance();
    for (let round = 0; round < 5; round += 1) {
      const probe = await openRedis(server.url);
      await probe.send("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      probe.close();
      await advance();
    }
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      await server.halt(signal);
      await server.start();
      await advance();
    }
    const killer = await openRedis(server.url);
    await killer.send("CLIENT", "KILL", "TYPE", "pubsub");
    killer.close();
    for (const { proxy } of opened) {
      proxy.cut();
      await advance();
    }
    await Promise.all(writers.map((writer) => writer.stop()));

    assert.deepEqual(
      writers.flatMap(({ failures }) => failures),
      [],
    );
    for (const { store } of opened) {
      await assertKept(store, writers);
    }
    await within(
      (async () => {
        while (!listened.every(({ missed, heard }) => missed > 0 && heard.includes("end"))) {
          await opened[0]?.store.publish("t", "end");
        }
      })(),
      "listeners to be told and to hear again",
    );
    await Promise.all(opened.map(({ close }) => close()));
  });

  it("rejects within its limit while Redis is down, and works again by itself", async (context) => {
    const server = await startServer(context);
    const store = redis(server.url, { timeoutMs: 300 });
    const writer = new Writer(store, "w");
    await writer.advance(5);
    await server.halt("SIGTERM");
    while (writer.failures.length < 4) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await server.start();
    await within(writer.advance(5), "appends after the outage");
    await writer.stop();
    for (const { error, afterMs } of writer.failures) {
      assert.ok(error instanceof StoreError && error.failure === "unavailable", String(error));
      assert.ok(error.message.includes(new URL(server.url).host));
      assert.ok(afterMs < 2_000, `${afterMs} ms`);
    }
    await assertKept(store, [writer]);
    await store.close();
  });

  it("says that Redis is full, writes nothing then, and goes on when there is room", async (context) => {
    const server = await startServer(context, { appendonly: "no" });
    const store = redis(server.url);
    await store.set("k", "v");
    const kept = await store.append("l", "a");
    const probe = await openRedis(server.url);
    await probe.send("CONFIG", "SET", "maxmemory", "1");
    const isFull = (error: unknown): boolean => error instanceof StoreError && error.failure === "full";
    await assert.rejects(store.set("k", "w"), isFull);
    await assert.rejects(store.set("k2", "w", { ifVersion: null }), isFull);
    await assert.rejects(store.append("l", "b"), isFull);
    assert.equal((await store.get("k"))?.value, "v");
    assert.deepEqual((await store.read("l"))?.entries, [kept]);
    await probe.send("CONFIG", "SET", "maxmemory", "0");
    const next = await store.append("l", "c");
    assert.deepEqual((await store.read("l"))?.entries, [kept, next]);
    probe.close();
    await store.close();
  });

  it("waits for a server that is read-only, as one is during a failover", async (context) => {
    const server = await startServer(context);
    const store = redis(server.url);
    await store.set("k", "v");
    const probe = await openRedis(server.url);
    await probe.send("REPLICAOF", "127.0.0.1", "1");
    const writing = store.append("l", "a");
    assert.equal((await store.get("k"))?.value, "v");
    await probe.send("REPLICAOF", "NO", "ONE");
    const entry = await writing;
    assert.deepEqual((await store.read("l"))?.entries, [entry]);
    probe.close();
    await store.close();
  });

  it("says that the password is wrong, and not which it was", async (context) => {
    const server = await startServer(context, { requirepass: "right-secret" });
    const { host } = new URL(server.url);
    const wrong = redis(`redis://:wrong-secret@${host}`, { timeoutMs: 300 });
    const ask = (): Promise<unknown> => wrong.get("k").catch((error: unknown) => error);
    let error = await ask();
    // The first limit may be over before there was an answer at all.
    while (error instanceof StoreError && /not connected yet/.test(error.message)) {
      error = await ask();
    }
    assert.ok(error instanceof StoreError && error.failure === "unavailable");
    assert.match(error.message, /WRONGPASS/);
    assert.ok(error.message.includes(host) && !error.message.includes("secret"));
    const right = redis(`redis://:right-secret@${host}`);
    assert.equal(await right.get("k"), undefined);
    await Promise.all([wrong.close(), right.close()]);
  });

  it("keeps the keys of each operation in one slot, so that it works in cluster mode", async (context) => {
    const server = await startServer(context, { "cluster-enabled": "yes" });
    const probe = await openRedis(server.url);
    await probe.send("CLUSTER", "ADDSLOTSRANGE", "0", "16383");
    const store = redis(server.url, { timeoutMs: 10_000 });
    for (const name of ["a", "", "}", "{", "{}", "a{b}c", "}{"]) {
      await store.set(name, "v", { ifVersion: null });
      await store.append(name, "v", { maxEntries: 1 });
      assert.equal((await store.read(name))?.entries.length, 1);
      await store.drop(name);
    }
    probe.close();
    await store.close();
  });
});
