import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ScriptedServer, settle } from "../../../test/fixtures/http/scripted-server.ts";
import type { BusListener, Store } from "../../store/contracts.ts";
import { StoreError } from "../../store/error.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { resolveHttpServerOptions } from "./options.ts";
import { HttpRuntime } from "./runtime.ts";
import { SessionChannel, type SessionMessage } from "./session-channel.ts";

/** One node's end of a session's channel, and what it heard. */
async function open(store: Store, sessionId = "s") {
  const codes: string[] = [];
  const onDiagnostic = ({ code }: { code: string }): number => codes.push(code);
  const runtime = new HttpRuntime(new ScriptedServer(), resolveHttpServerOptions({ store, onDiagnostic }));
  const heard: [SessionMessage["kind"], string][] = [];
  const state = { missed: 0 };
  const channel = new SessionChannel(runtime, sessionId, {
    hear: ({ kind }, from) => heard.push([kind, from]),
    missed: () => {
      state.missed += 1;
    },
  });
  await channel.open();
  return { channel, heard, codes, state, node: runtime.presence.id };
}

describe("SessionChannel", () => {
  it("carries what a node says to all others of the session, and to nobody else", async () => {
    const store = createMemoryStore();
    const [a, b, c, other] = [await open(store), await open(store), await open(store), await open(store, "t")];
    await a.channel.tell({ kind: "end", reason: "over" });
    await settle();
    assert.deepEqual([a.heard, b.heard, c.heard, other.heard], [[], [["end", a.node]], [["end", a.node]], []]);
    await b.channel.tell({ kind: "standing" }, c.node);
    await settle();
    assert.deepEqual([a.heard, b.heard.length, c.heard.at(-1)], [[], 1, ["standing", b.node]]);
  });

  it("knows who else has something of the session, whoever came first, until they leave", async () => {
    const store = createMemoryStore();
    const [a, b] = [await open(store), await open(store)];
    await b.channel.inform({ kind: "join" });
    await settle();
    assert.deepEqual([[...a.channel.peers], [...b.channel.peers]], [[b.node], [a.node]]);
    await b.channel.inform({ kind: "leave" });
    b.channel.close();
    await settle();
    assert.deepEqual([...a.channel.peers], []);
  });

  it("is silent once it is closed, also where that was before it had opened", async () => {
    const store = createMemoryStore();
    const [a, b] = [await open(store), await open(store)];
    b.channel.close();
    await a.channel.tell({ kind: "standing" });
    await settle();
    assert.deepEqual(b.heard, []);
    let listeners = 0;
    const counting = createMemoryStore();
    counting.subscribe = async () => {
      listeners += 1;
      return () => {
        listeners -= 1;
      };
    };
    const late = await open(counting);
    assert.equal(listeners, 1);
    late.channel.close();
    assert.equal(listeners, 0);
    await late.channel.open();
    assert.equal(listeners, 0);
  });

  it("passes on that something may have been missed, and asks who is there", async () => {
    const store = createMemoryStore();
    const listeners: BusListener[] = [];
    store.subscribe = async (_, listener) => {
      listeners.push(listener);
      return () => undefined;
    };
    const { channel, state } = await open(store);
    const said: string[] = [];
    store.publish = async (_, text) => void said.push(text);
    listeners[0]?.missed();
    assert.equal(state.missed, 1);
    assert.match(said.join(), /"kind":"join"/);
    channel.close();
    listeners[0]?.missed();
    assert.equal(state.missed, 1);
  });

  it("reports what is not understood, and what could not be said", async () => {
    const store = createMemoryStore();
    const { codes, heard, channel } = await open(store);
    for (const text of [
      "",
      "{",
      "[]",
      '{"kind":"end"}',
      '{"kind":"unheard","from":"x"}',
      '{"kind":"cancel","from":"x"}',
    ]) {
      await store.publish("session/s", text);
    }
    await settle();
    assert.deepEqual([new Set(codes), codes.length, heard], [new Set(["MCP_D_NODE_MESSAGE"]), 6, []]);
    store.publish = () => Promise.reject(new StoreError("unavailable", "gone"));
    await channel.inform({ kind: "standing" });
    await settle();
    assert.equal(codes.at(-1), "MCP_D_STORE_FAILED");
    await assert.rejects(channel.tell({ kind: "standing" }), StoreError);
  });
});
