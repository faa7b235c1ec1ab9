import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ProbedStore } from "../../test/fixtures/probed-store.ts";
import { RawClient } from "../../test/fixtures/raw-client.ts";
import { identity } from "../../test/fixtures/server-calls.ts";
import { UsageError } from "../base/error.ts";
import { createMemoryStore } from "../store/memory.ts";
import { createFakeClock } from "../test/clock.ts";
import { DefaultStore } from "./default-store.ts";
import { defineServer } from "./define.ts";
import { resource } from "./features/resource.ts";

describe("DefaultStore", () => {
  it("keeps everything in memory, by the clock it was given", async () => {
    const clock = createFakeClock();
    const store = new DefaultStore(clock);
    assert.equal(store.isUsed, false);
    const heard: string[] = [];
    const stop = await store.subscribe("topic", { message: (text) => heard.push(text), missed: () => undefined });
    await store.set("key", "value", { ttlMs: 1_000 });
    await store.publish("topic", "hello");
    const { position } = await store.append("log", "entry");
    assert.equal((await store.get("key"))?.value, "value");
    assert.deepEqual(
      (await store.read("log"))?.entries.map(({ value }) => value),
      ["entry"],
    );
    assert.deepEqual((await store.read("log", position))?.entries, []);
    const keys: string[] = [];
    for await (const key of store.keys("k")) {
      keys.push(key);
    }
    assert.deepEqual(keys, ["key"]);
    assert.deepEqual(heard, ["hello"]);
    stop();
    await store.drop("log");
    assert.equal(await store.read("log"), undefined);
    await clock.advance(1_000);
    assert.equal(await store.get("key"), undefined);
    assert.equal(await store.delete("key"), false);
    assert.equal(store.given, undefined);
    await store.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it("leaves open what it was given", async () => {
    const [store, given] = [new DefaultStore(createFakeClock()), new ProbedStore()];
    store.replace(given);
    await store.set("key", "value");
    assert.deepEqual(given.written, ["key"]);
    await store.close();
    assert.equal(given.isClosed, false);
  });
});

describe("Server.useStore", () => {
  const note = { note: resource({ uri: "note://a" }, () => "a") };

  it("gives a definition its store, also after edges took hold of it", async () => {
    const app = defineServer({ ...identity, resources: note });
    const held = app.store;
    const store = new ProbedStore();
    app.useStore(store);
    app.useStore(store);
    await held.set("key", "value");
    assert.deepEqual(store.written, ["key"]);
    await app.close();
    assert.equal(store.isClosed, false);
  });

  it("refuses another one, and one for a definition that has served somebody", async () => {
    const app = defineServer({ ...identity, resources: note });
    app.useStore(new ProbedStore());
    assert.throws(() => app.useStore(createMemoryStore()), { code: "MCP_USAGE", message: /was given one before/ });
    const used = defineServer({ ...identity, resources: note });
    await RawClient.connect(used);
    assert.throws(() => used.useStore(createMemoryStore()), {
      code: "MCP_USAGE",
      message: /kept something in its own/,
    });
    const own = createMemoryStore();
    const chosen = defineServer({ ...identity, store: own });
    assert.equal(chosen.store, own);
    chosen.useStore(own);
    assert.throws(() => chosen.useStore(createMemoryStore()), UsageError);
  });
});
