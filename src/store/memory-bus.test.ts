import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { turn } from "../../test/fixtures/turn.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { createMemoryStore } from "./memory.ts";

describe("the bus of createMemoryStore", () => {
  it("never enters who publishes again, and keeps the order of what listeners publish", async () => {
    const store = createMemoryStore();
    const heard: string[] = [];
    let isPublishing = false;
    await store.subscribe("t", {
      message: (text) => {
        assert.equal(isPublishing, false);
        heard.push(text);
        if (text === "a") {
          isPublishing = true;
          void store.publish("t", "c");
          isPublishing = false;
        }
      },
      missed: () => undefined,
    });
    isPublishing = true;
    void store.publish("t", "a");
    void store.publish("t", "b");
    isPublishing = false;
    assert.deepEqual(heard, []);
    await turn();
    assert.deepEqual(heard, ["a", "b", "c"]);
  });

  it("says nothing to who begins to listen behind the sender's back, before the message has arrived", async () => {
    const store = createMemoryStore();
    const heard: string[] = [];
    await store.subscribe("t", { message: () => undefined, missed: () => undefined });
    const published = store.publish("t", "early");
    const subscribed = store.subscribe("t", { message: (text) => heard.push(text), missed: () => undefined });
    await Promise.all([published, subscribed]);
    await turn();
    assert.deepEqual(heard, []);
  });

  it("reports what a listener throws, and tells the others", async () => {
    const diagnostics: Diagnostic[] = [];
    const store = createMemoryStore({ onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
    const fault = new Error("mine");
    const heard: string[] = [];
    await store.subscribe("t", {
      message: () => {
        throw fault;
      },
      missed: () => undefined,
    });
    await store.subscribe("t", { message: (text) => heard.push(text), missed: () => undefined });
    await store.publish("t", "a");
    await turn();
    assert.deepEqual(heard, ["a"]);
    assert.deepEqual(
      diagnostics.map(({ code, detail }) => [code, detail]),
      [["MCP_D_CALLBACK_FAULT", fault]],
    );
  });

  it("keeps nothing of topics that nobody listens to", async () => {
    const store = createMemoryStore();
    const stops = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        store.subscribe(`t${index % 100}`, { message: () => undefined, missed: () => undefined }),
      ),
    );
    assert.equal(store.usage().listeners, 1_000);
    for (const stop of stops) {
      stop();
    }
    await store.publish("t1", "to nobody");
    assert.equal(store.usage().listeners, 0);
  });
});
