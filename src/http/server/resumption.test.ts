import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StreamNode } from "../../../test/fixtures/http/stream-nodes.ts";
import {
  answer,
  createFailing,
  note,
  StreamClient,
  StreamNodes,
  settle,
} from "../../../test/fixtures/http/stream-nodes.ts";
import { StoreError } from "../../store/error.ts";

/** A stream of one request, on one node, with its client. */
async function begin(node: StreamNode, ids: (number | string)[] = [1], mark?: number) {
  const stream = node.streams.create(ids, () => undefined);
  return { stream, client: new StreamClient(await stream.toReply(), mark) };
}

describe("resumeStream", () => {
  it("replays on another node exactly what followed on that stream, in order, and goes on live [HTTP-036] [HTTP-037] [HTTP-038] [PP-004]", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const first = await begin(a, [1]);
    const other = await begin(a, [2]);
    for (let step = 1; step <= 5; step += 1) {
      await first.stream.send(note(step));
      await other.stream.send(note(`other ${step}`));
    }
    const second = first.client.events.find(({ data }) => data.includes('"name":2'))?.id ?? "";
    first.client.leave();
    const back = await b.resume(second);
    assert.deepEqual(
      back.names,
      [3, 4, 5].map((name) => ({ name })),
    );
    await first.stream.send(note(6));
    first.stream.finish(answer(1));
    await settle();
    assert.deepEqual(back.names.slice(3), [{ name: 6 }, {}]);
    assert.equal(back.isOpen, false);
    const ids = [...first.client.events.slice(0, 3), ...back.events].map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(other.client.messages.length, 5);
  });

  it("replays on another node a stream that has ended, as often as it is asked for", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const { stream, client } = await begin(a);
    await stream.send(note("a"));
    client.leave();
    stream.finish(answer(1));
    await settle();
    const priming = client.events[0]?.id ?? "";
    for (const node of [b, a, b]) {
      const back = await node.resume(priming);
      assert.deepEqual([back.names, back.isOpen], [[{ name: "a" }, {}], false]);
      const again = await node.resume(back.lastId);
      assert.deepEqual([again.events, again.isOpen], [[], false]);
    }
  });

  it("lets the older connection go on whichever node, so that each message goes to one [HTTP-032] [HTTP-018]", async () => {
    const nodes = new StreamNodes();
    const [a, b, c] = [nodes.start(), nodes.start(), nodes.start()];
    const { stream, client } = await begin(a);
    await stream.send(note(1));
    const second = await b.resume(client.lastId);
    assert.deepEqual([client.isOpen, client.retries], [false, [1_000]]);
    const third = await c.resume(client.lastId);
    assert.equal(second.isOpen, false);
    await stream.send(note(2));
    const fourth = await a.resume(client.lastId);
    assert.equal(third.isOpen, false);
    stream.finish(answer(1));
    await settle();
    assert.deepEqual(
      [client, second, third, fourth].map(({ names }) => names),
      [[{ name: 1 }], [], [{ name: 2 }], [{ name: 2 }, {}]],
    );
  });

  it("serves a slow client on another node without holding up whoever sends", async () => {
    const nodes = new StreamNodes({ maxBufferedBytes: 400 });
    const [a, b] = [nodes.start(), nodes.start()];
    const { stream, client } = await begin(a);
    await settle();
    client.leave();
    const slow = await b.resume(client.lastId, 100);
    for (let step = 0; step < 50; step += 1) {
      await stream.send(note(step));
    }
    stream.finish(answer(1));
    await settle();
    assert.ok(slow.messages.length < 5);
    for (let step = 0; step < 500 && slow.isOpen; step += 1) {
      slow.drain();
      await settle();
    }
    assert.deepEqual(slow.names, [...Array.from({ length: 50 }, (_, name) => ({ name })), {}]);
    assert.deepEqual([slow.isCut, b.codes], [false, []]);
  });

  it("cuts a client on another node that takes nothing for two keep-alive intervals, and resumes it [PP-008]", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const { stream, client } = await begin(a);
    await settle();
    client.leave();
    const slow = await b.resume(client.lastId, 10);
    await stream.send(note("a"));
    await stream.send(note("b"));
    await settle();
    await nodes.clock.advance(30_000);
    assert.deepEqual([slow.isCut, b.codes], [true, ["MCP_D_STREAM_CUT"]]);
    const back = await a.resume(slow.lastId);
    assert.deepEqual(back.names, [{ name: "b" }]);
  });

  it("refuses with 410 on any node where what followed is no longer kept, rather than leaving it out", async () => {
    const nodes = new StreamNodes({ resumability: { maxEventsPerStream: 4 } });
    const [a, b] = [nodes.start(), nodes.start()];
    const { stream, client } = await begin(a);
    await settle();
    const priming = client.lastId;
    for (let step = 0; step < 10; step += 1) {
      await stream.send(note(step));
    }
    for (const node of [a, b]) {
      assert.equal((await node.streams.resume(priming)).status, 410);
      assert.equal((await node.streams.resume(client.lastId)).status, 200);
    }
    await nodes.clock.advance(3_600_000);
    stream.finish(answer(1));
    await settle();
    await nodes.clock.advance(3_600_000);
    assert.equal((await b.streams.resume(client.lastId)).status, 410);
  });

  it("refuses ids of another session, and events that never were, on any node [HTTP-038]", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const { stream, client } = await begin(a);
    await stream.send(note("a"));
    const [owner, name, position] = client.lastId.split(".");
    for (const node of [a, b]) {
      for (const id of [
        `other.${name}.${position}`,
        `${owner}.${name}.${Number(position) + 1}`,
        `${owner}.${name}`,
        "",
      ]) {
        assert.equal((await node.streams.resume(id)).status, 400, id);
      }
      assert.equal((await node.streams.resume(`${owner}.9-nobody.1`)).status, 410);
    }
  });

  it("ends connections to streams of other nodes with the session, and lets them go when their own node stops", async () => {
    const nodes = new StreamNodes();
    const [a, b, c] = [nodes.start(), nodes.start(), nodes.start()];
    const [first, second] = [await begin(a, [1]), await begin(a, [2])];
    await settle();
    const [atB, atC] = [await b.resume(first.client.lastId), await c.resume(second.client.lastId)];
    await b.streams.release();
    await settle();
    assert.deepEqual([atB.isOpen, atB.retries, atC.isOpen], [false, [1_000], true]);
    await c.streams.finish();
    await settle();
    assert.deepEqual([atC.isOpen, atC.retries, c.streams.connections], [false, [], 0]);
    first.stream.finish(answer(1));
    await settle();
    assert.deepEqual((await c.resume(first.client.lastId)).names, [{}]);
  });

  it("keeps what was given up by a node that stops for a client that goes on elsewhere", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const { stream, client } = await begin(a);
    await settle();
    stream.finish(answer(1, { last: "word" }));
    await a.streams.release();
    assert.deepEqual([client.names, client.isOpen], [[{ last: "word" }], false]);
    a.store.cut();
    assert.deepEqual((await b.resume(client.events[0]?.id ?? "")).names, [{ last: "word" }]);
  });

  it("rejects where the store cannot be reached, so that the client tries again", async () => {
    const { state, wrap } = createFailing();
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start({ wrap })];
    const { stream, client } = await begin(a);
    await stream.send(note("a"));
    state.fails = true;
    await assert.rejects(b.streams.resume(client.lastId), StoreError);
    assert.equal(client.isOpen, true);
  });

  it("sends a client away for a while where the log cannot be followed, and reports it", async () => {
    const { state, wrap } = createFailing();
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start({ wrap })];
    const { stream, client } = await begin(a);
    await stream.send(note("a"));
    const reply = await b.streams.resume(client.events[0]?.id ?? "");
    state.fails = true;
    const back = new StreamClient(reply);
    await settle();
    assert.deepEqual([back.events, back.isOpen, back.retries], [[], false, [1_000]]);
    assert.deepEqual(b.codes, ["MCP_D_EVENT_LOG_FAILED"]);
    state.fails = false;
    assert.deepEqual((await b.resume(client.events[0]?.id ?? "")).names, [{ name: "a" }]);
  });

  it("knows no event where nothing is kept", async () => {
    const node = new StreamNodes({ resumability: false }).start();
    const { stream, client } = await begin(node);
    await stream.send(note("a"));
    assert.deepEqual(
      client.events.map(({ id }) => id),
      [undefined],
    );
    assert.equal((await node.streams.resume("owner.1-n.1")).status, 400);
  });
});
