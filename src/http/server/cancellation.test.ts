import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ScriptedServer, settle } from "../../../test/fixtures/http/scripted-server.ts";
import type { JsonRpcNotification, RequestId } from "../../jsonrpc/message.ts";
import type { Store } from "../../store/contracts.ts";
import { StoreError } from "../../store/error.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import { Cancellation } from "./cancellation.ts";
import type { InboundExchange } from "./exchange.ts";
import { resolveHttpServerOptions } from "./options.ts";
import { HttpRuntime } from "./runtime.ts";
import { SessionChannel } from "./session-channel.ts";
import { WorkInProgress } from "./work.ts";

const cancel = (id: RequestId): JsonRpcNotification => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId: id, reason: "enough" },
});

/** One node of a session, with requests by id that note when they are given up. */
async function open(store: Store, clock: FakeClock) {
  const codes: string[] = [];
  const onDiagnostic = ({ code }: { code: string }): number => codes.push(code);
  const options = resolveHttpServerOptions({ store, clock, onDiagnostic });
  const runtime = new HttpRuntime(new ScriptedServer(), options);
  const work = new WorkInProgress(runtime, () => undefined);
  const aborted: RequestId[] = [];
  const channel = new SessionChannel(runtime, "s", {
    hear: (message, from) => cancellation.hear(message, from),
    missed: () => undefined,
  });
  const cancellation = new Cancellation(runtime, work, channel);
  await channel.open();
  await channel.inform({ kind: "join" });
  await settle();
  const run = (...ids: readonly RequestId[]): void => {
    for (const id of ids) {
      const exchange = { abort: () => aborted.push(id) } as unknown as InboundExchange;
      const find = (wanted: RequestId) => (wanted === id ? [exchange] : []);
      work.began({ auth: undefined, size: 1, find, abort: () => undefined });
    }
  };
  return { channel, cancellation, codes, aborted, run };
}

async function openAll(count: number) {
  const clock = createFakeClock();
  const store = createMemoryStore({ clock });
  const nodes: Awaited<ReturnType<typeof open>>[] = [];
  for (let made = 0; made < count; made += 1) {
    nodes.push(await open(store, clock));
  }
  const [a, b, c = b] = nodes;
  assert.ok(a && b && c);
  return { clock, store, a, b, c };
}

describe("Cancellation", () => {
  it("asks nobody where no other node has anything of the session, and cancels at once", async () => {
    const clock = createFakeClock();
    const { cancellation, run, aborted, codes } = await open(createMemoryStore({ clock }), clock);
    run(1, 2, 2);
    cancellation.cancel(cancel(1));
    assert.deepEqual([aborted, codes], [[1], []]);
    cancellation.cancel(cancel(2));
    cancellation.cancel(cancel(3));
    assert.deepEqual([aborted, codes], [[1], ["MCP_D_CANCEL_AMBIGUOUS", "MCP_D_CANCEL_UNKNOWN"]]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("finds the request on whichever node it runs, and leaves all others alone", async () => {
    const { clock, a, b, c } = await openAll(3);
    a.run(1);
    b.run("1", 2);
    c.run(3);
    a.cancellation.cancel(cancel(2));
    await settle();
    assert.deepEqual([a.aborted, b.aborted, c.aborted], [[], [2], []]);
    a.cancellation.cancel(cancel(1));
    await settle();
    assert.deepEqual([a.aborted, b.aborted, c.aborted], [[1], [2], []]);
    assert.deepEqual([...a.codes, ...b.codes, ...c.codes], []);
    assert.equal(clock.pendingTimers, 0);
  });

  it("cancels nothing where requests on several nodes carry the id, and reports it [PP-017]", async () => {
    const { a, b, c } = await openAll(3);
    a.run(1);
    b.run(1);
    a.cancellation.cancel(cancel(1));
    c.cancellation.cancel(cancel(1));
    await settle();
    assert.deepEqual([a.aborted, b.aborted, c.aborted], [[], [], []]);
    assert.deepEqual([a.codes, b.codes, c.codes], [["MCP_D_CANCEL_AMBIGUOUS"], [], ["MCP_D_CANCEL_AMBIGUOUS"]]);
    b.run(2, 2);
    c.cancellation.cancel(cancel(2));
    await settle();
    assert.deepEqual([b.aborted, c.codes.at(-1), c.codes.length], [[], "MCP_D_CANCEL_AMBIGUOUS", 2]);
  });

  it("reports a cancellation of what runs nowhere", async () => {
    const { a, b } = await openAll(2);
    b.run(1);
    a.cancellation.cancel(cancel(7));
    await settle();
    assert.deepEqual([b.aborted, a.codes], [[], ["MCP_D_CANCEL_UNKNOWN"]]);
  });

  it("waits for a node that has died only once, and for one that has left not at all", async () => {
    const { clock, a, b, c } = await openAll(3);
    b.channel.close();
    await c.channel.inform({ kind: "leave" });
    c.channel.close();
    a.run(1, 2);
    await settle();
    a.cancellation.cancel(cancel(1));
    await clock.advance(249);
    assert.deepEqual(a.aborted, []);
    await clock.advance(1);
    assert.deepEqual(a.aborted, [1]);
    a.cancellation.cancel(cancel(2));
    assert.deepEqual(a.aborted, [1, 2]);
  });

  it("is given up with the session, and leaves no timer", async () => {
    const { clock, a, b } = await openAll(2);
    b.channel.close();
    a.cancellation.cancel(cancel(1));
    await settle();
    assert.equal(clock.pendingTimers, 1);
    a.cancellation.close();
    await settle();
    assert.deepEqual([clock.pendingTimers, a.codes], [0, []]);
  });

  it("reports where the store lets nobody be asked", async () => {
    const clock = createFakeClock();
    const store = createMemoryStore({ clock });
    const a = await open(store, clock);
    await open(store, clock);
    a.run(1);
    store.publish = () => Promise.reject(new StoreError("unavailable", "gone"));
    a.cancellation.cancel(cancel(1));
    await settle();
    assert.deepEqual([a.aborted, a.codes, clock.pendingTimers], [[], ["MCP_D_STORE_FAILED"], 0]);
  });

  it("takes other notifications for what they are", async () => {
    const { a } = await openAll(2);
    a.run(1);
    a.cancellation.cancel({ jsonrpc: "2.0", method: "notifications/other", params: { requestId: 1 } });
    a.cancellation.cancel({ jsonrpc: "2.0", method: "notifications/cancelled", params: {} });
    await settle();
    assert.deepEqual([a.aborted, a.codes], [[], []]);
  });
});
