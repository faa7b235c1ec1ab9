import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StreamClient, StreamNodes, settle } from "../../../test/fixtures/http/stream-nodes.ts";
import { eventStreamHeaders } from "../sse-writer.ts";
import { type EventSource, StreamOutput } from "./stream-output.ts";

function connect(mark?: number, polling = true) {
  const node = new StreamNodes({ maxBufferedBytes: 20 }).start();
  const changes: number[] = [];
  let output: StreamOutput | undefined;
  const open: ConstructorParameters<typeof StreamClient>[0] = {
    kind: "stream",
    status: 200,
    headers: eventStreamHeaders,
    open: (sink) => {
      output = new StreamOutput(node.runtime, sink, { polling, onConnections: (change) => changes.push(change) });
      return output.listener;
    },
  };
  const client = new StreamClient(open, mark);
  assert.ok(output);
  const source = { goneOn: 0, stopped: 0 };
  const events: EventSource = {
    goOn: () => {
      source.goneOn += 1;
    },
    stop: () => {
      source.stopped += 1;
    },
  };
  output.attach(events);
  const place = (position: number) => ({ owner: "o", stream: "1-n", position, changes: 0 });
  return { client, output, source, node, changes, place };
}

describe("StreamOutput", () => {
  it("writes events with their places as ids, and remembers the last that was written", async () => {
    const { client, output, place } = connect();
    output.put(place(1), "a");
    output.put(undefined, "b");
    output.put(place(3), undefined);
    assert.deepEqual(client.events, [
      { id: "o.1-n.1", data: "a" },
      { id: undefined, data: "b" },
    ]);
    assert.equal(output.place?.position, 3);
    assert.equal(output.caughtUp, undefined);
  });

  it("holds back what a slow client does not take, and says when there is room again", async () => {
    const { client, output, source, place } = connect(10);
    output.put(place(1), "1234567890");
    output.put(place(2), "1234567890");
    assert.equal(output.isFull, false);
    output.put(place(3), "12345678901");
    assert.deepEqual([client.events.length, output.place?.position, output.isFull], [1, 1, true]);
    let isCaughtUp = false;
    void output.caughtUp?.then(() => {
      isCaughtUp = true;
    });
    client.drain();
    await settle();
    assert.deepEqual([client.events.length, isCaughtUp, source.goneOn], [2, false, 0]);
    client.drain();
    await settle();
    assert.deepEqual([client.events.length, isCaughtUp], [3, false]);
    client.drain();
    await settle();
    assert.deepEqual([isCaughtUp, source.goneOn, output.isFull], [true, 1, false]);
  });

  it("ends behind what was sent, with the time to come back where the client is to come back [HTTP-018]", async () => {
    for (const [comesBack, polling, retries] of [
      [true, true, [1_000]],
      [false, true, []],
      [true, false, []],
    ] as const) {
      const { client, output, place } = connect(10, polling);
      output.put(place(1), "1234567890");
      output.put(place(2), "last");
      output.end(comesBack);
      output.put(place(3), "late");
      assert.equal(client.isOpen, true);
      client.drain();
      await settle();
      client.drain();
      await settle();
      assert.deepEqual([client.events.at(-1)?.data, client.isOpen, client.retries], ["last", false, retries]);
    }
  });

  it("counts its connection, stops its sources and lets nobody wait when the client leaves", async () => {
    const { client, output, source, changes, node, place } = connect(10);
    assert.equal(node.runtime.counters.streams, 1);
    output.put(place(1), "1234567890");
    const waiting = output.caughtUp;
    client.leave();
    await waiting;
    output.put(place(2), "late");
    assert.deepEqual([changes, source.stopped, node.runtime.counters.streams], [[1, -1], 1, 0]);
    assert.equal(output.place?.position, 1);
  });
});
