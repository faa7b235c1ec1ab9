import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  answer,
  createFailing,
  note,
  StreamClient,
  StreamNodes,
  settle,
} from "../../../test/fixtures/http/stream-nodes.ts";
import type { Store } from "../../store/contracts.ts";

describe("KeptStream", () => {
  it("begins with an id to come back with, sends messages with ids, and ends behind the last [HTTP-014] [HTTP-022] [HTTP-033]", async () => {
    const node = new StreamNodes().start();
    const stream = node.streams.create([1], () => assert.fail("nobody is told: the stream goes on"));
    const client = new StreamClient(await stream.toReply());
    await settle();
    assert.deepEqual(
      client.events.map(({ data }) => data),
      [""],
    );
    await stream.send(note("a"));
    stream.finish(answer(1));
    await settle();
    assert.deepEqual(client.names, [{ name: "a" }, {}]);
    assert.equal(client.isOpen, false);
    assert.equal(new Set(client.events.map(({ id }) => id)).size, 3);
    assert.deepEqual(client.retries, []);
  });

  it("gives the client the id to come back with together with the head of the reply [HTTP-014]", async () => {
    const { state, wrap } = createFailing();
    const node = new StreamNodes({ wrap }).start();
    const stream = node.streams.create([1], () => undefined);
    const reply = await stream.toReply();
    state.fails = true;
    const client = new StreamClient(reply);
    assert.deepEqual(
      client.events.map(({ id, data }) => [id === undefined, data]),
      [[false, ""]],
    );
  });

  it("keeps an event before it goes out", async () => {
    let isKept = false;
    const wrap = (store: Store): Store => ({
      ...createFailing().wrap(store),
      append: async (log, value, options) => {
        await settle();
        const entry = await store.append(log, value, options);
        isKept = value.startsWith("m");
        return entry;
      },
    });
    const node = new StreamNodes({ wrap }).start();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply());
    const sent = stream.send(note("a"));
    while (client.messages.length === 0) {
      assert.equal(isKept, false);
      await settle();
    }
    assert.ok(isKept);
    await sent;
  });

  it("sends what the store does not keep without an id, in order, and goes on with ids when it does again", async () => {
    const { state, wrap } = createFailing();
    const node = new StreamNodes({ wrap }).start();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply());
    await stream.send(note(1));
    state.fails = true;
    await stream.send(note(2));
    state.fails = false;
    await stream.send(note(3));
    stream.finish(answer(1));
    await settle();
    assert.deepEqual(client.names, [{ name: 1 }, { name: 2 }, { name: 3 }, {}]);
    assert.deepEqual(
      client.events.map(({ id }) => id !== undefined),
      [true, true, false, true, true],
    );
    assert.ok(node.codes.includes("MCP_D_EVENT_NOT_STORED"));
  });

  it("serves a client also where the store fails from the beginning, and keeps the end as soon as it can", async () => {
    const { state, wrap } = createFailing();
    const nodes = new StreamNodes({ wrap });
    const node = nodes.start();
    state.fails = true;
    const stream = node.streams.create([1], () => undefined);
    await stream.send(note("early"));
    const client = new StreamClient(await stream.toReply());
    await settle();
    stream.finish(answer(1));
    await settle();
    assert.deepEqual([client.names, client.isOpen], [[{ name: "early" }, {}], false]);
    state.fails = false;
    await nodes.clock.advance(5_000);
    const log = `stream/owner/1-${node.runtime.presence.id}`;
    const entries = (await nodes.store.read(log))?.entries.map(({ value }) => value[0]);
    assert.deepEqual(entries, ["k", "e"]);
    await nodes.clock.advance(60_000);
    assert.equal((await nodes.store.read(log))?.entries.length, 2);
  });

  it("says what it owes again before its log expires, however long it is silent, and skips nothing by that", async () => {
    const nodes = new StreamNodes({ resumability: { maxAgeMs: 60_000 } });
    const node = nodes.start();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply());
    await settle();
    client.leave();
    await nodes.clock.advance(600_000);
    const back = await node.resume(client.lastId);
    assert.equal(back.events.length, 0);
    stream.finish(answer(1, { late: true }));
    await settle();
    assert.deepEqual([back.names, back.isOpen], [[{ late: true }], false]);
    await nodes.clock.advance(120_000);
    assert.equal(await nodes.store.read(`stream/owner/1-${node.runtime.presence.id}`), undefined);
  });

  it("says what it owes again also when many messages push it out of the log", async () => {
    const nodes = new StreamNodes({ resumability: { maxEventsPerStream: 6 } });
    const node = nodes.start();
    const stream = node.streams.create([1, 2], () => undefined);
    await stream.send(answer(1), 1);
    for (let step = 0; step < 20; step += 1) {
      await stream.send(note(step));
    }
    const slice = await nodes.store.read(`stream/owner/1-${node.runtime.presence.id}`);
    const marks = slice?.entries.filter(({ value }) => value.startsWith("k")) ?? [];
    assert.ok(marks.length >= 1);
    assert.ok(marks.every(({ value }) => value.includes('"unanswered":[2]')));
  });

  it("lets the connection go behind what was sent, and the client gets the rest when it is back [HTTP-016] [HTTP-018]", async () => {
    const node = new StreamNodes({ retryMs: 300 }).start();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply());
    void stream.send(note("a"));
    stream.suspend();
    void stream.send(note("b"));
    await settle();
    assert.deepEqual([client.names, client.isOpen, client.retries], [[{ name: "a" }], false, [300]]);
    const back = await node.resume(client.lastId);
    stream.finish(answer(1));
    await settle();
    assert.deepEqual([back.names, back.isOpen], [[{ name: "b" }, {}], false]);
  });

  it("makes whoever sends wait for a slow client, and holds back no more than it may [HTTP-037]", async () => {
    const node = new StreamNodes({ maxBufferedBytes: 500 }).start();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply(), 100);
    await settle();
    let sent = 0;
    const sending = (async () => {
      for (let step = 0; step < 40; step += 1) {
        await stream.send(note(step));
        sent += 1;
      }
      stream.finish(answer(1));
    })();
    await settle();
    assert.ok(sent < 5, "the handler waits");
    for (let step = 0; step < 500 && client.isOpen; step += 1) {
      client.drain();
      await settle();
    }
    await sending;
    await settle();
    assert.deepEqual(client.names, [...Array.from({ length: 40 }, (_, name) => ({ name })), {}]);
    assert.equal(client.isCut, false);
  });

  it("reads from the log again what a slow client has no room for", async () => {
    const node = new StreamNodes({ maxBufferedBytes: 500 }).start();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply(), 100);
    for (let step = 0; step < 40; step += 1) {
      void stream.send(note(step));
    }
    stream.finish(answer(1));
    await settle();
    for (let step = 0; step < 500 && client.isOpen; step += 1) {
      client.drain();
      await settle();
    }
    assert.deepEqual(client.names, [...Array.from({ length: 40 }, (_, name) => ({ name })), {}]);
  });

  it("cuts a connection for which the log dropped what it still had to send, and says so on resuming [HTTP-037]", async () => {
    const node = new StreamNodes({ maxBufferedBytes: 200, resumability: { maxEventsPerStream: 10 } }).start();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply(), 100);
    for (let step = 0; step < 60; step += 1) {
      void stream.send(note(step));
    }
    await settle();
    for (let step = 0; step < 100 && client.isOpen; step += 1) {
      client.drain();
      await settle();
    }
    assert.equal(client.isOpen, false);
    assert.ok(client.messages.length < 60);
    assert.deepEqual(node.codes, ["MCP_D_EVENTS_DROPPED"]);
    assert.equal((await node.streams.resume(client.lastId)).status, 410);
  });

  it("leaves no timer when it has ended", async () => {
    const nodes = new StreamNodes();
    const node = nodes.start();
    await node.runtime.presence.begin();
    const stream = node.streams.create([1], () => undefined);
    const client = new StreamClient(await stream.toReply());
    await settle();
    stream.finish(answer(1));
    await settle();
    assert.equal(client.isOpen, false);
    await node.streams.finish();
    node.runtime.close();
    await node.runtime.presence.end();
    await nodes.clock.advance(1_000);
    assert.deepEqual(nodes.clock.pendingTimers, 0);
  });
});
