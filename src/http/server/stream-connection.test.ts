import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGate, EventReader, ScriptedServer, start } from "../../../test/fixtures/http/scripted-server.ts";
import { createFakeClock } from "../../test/clock.ts";
import type { Sink, SinkListener } from "../message.ts";
import { DelayQueue } from "./delay-queue.ts";
import { createHttpHandler } from "./handler.ts";
import type { LiveConnection } from "./runtime.ts";
import { StreamConnection } from "./stream-connection.ts";

/** A sink whose client takes bytes when the test says so. */
class SlowSink implements Sink {
  readonly written: string[] = [];
  bufferedBytes = 0;
  isOpen = true;
  isCut = false;
  readonly mark: number;

  constructor(mark: number) {
    this.mark = mark;
  }

  write(text: string): boolean {
    this.written.push(text);
    this.bufferedBytes += text.length;
    return this.bufferedBytes < this.mark;
  }

  end(): void {
    this.isOpen = false;
  }

  cut(): void {
    this.isCut = true;
  }
}

function connect(mark = 10, maxBufferedBytes = 100) {
  const clock = createFakeClock();
  const keepAlive = new DelayQueue<LiveConnection>(clock, 15_000, (live) => live.keepAlive());
  const events: string[] = [];
  const sink = new SlowSink(mark);
  const connection = new StreamConnection(sink, {
    keepAlive,
    maxBufferedBytes,
    closed: () => events.push("closed"),
    stalled: (why) => events.push(why),
  });
  return { clock, keepAlive, events, sink, connection };
}

describe("StreamConnection", () => {
  it("sends a comment at every interval, so that silence never lasts longer [PP-008]", async () => {
    const { clock, sink, connection } = connect(1_000);
    await clock.advance(14_999);
    assert.deepEqual(sink.written, []);
    void connection.write("data: x\n\n");
    await clock.advance(1);
    assert.deepEqual(sink.written, ["data: x\n\n", ": keep-alive\n\n"]);
    await clock.advance(15_000);
    assert.equal(sink.written.length, 3);
  });

  it("keeps a silent call open for eleven minutes with a comment every 15 s [PP-008]", async () => {
    const gate = createGate();
    const { client, clock } = await start({ wait: gate.script });
    const pending = client.call("wait");
    await gate.entered;
    await clock.advance(100);
    const reader = new EventReader(await pending);
    await reader.next();
    for (let passed = 0; passed < 11 * 60_000; passed += 15_000) {
      await clock.advance(15_000);
    }
    gate.opened.resolve({ done: true });
    assert.deepEqual(await reader.rest(), [{ jsonrpc: "2.0", id: 1, result: { done: true } }]);
    assert.equal(reader.comments.length, 44);
  });

  it("asks its writer to wait, and releases it when the client takes more or leaves", async () => {
    const { connection, sink } = connect();
    assert.equal(connection.write("1234"), undefined);
    const drained = connection.write("1234567890");
    assert.ok(drained instanceof Promise);
    sink.bufferedBytes = 0;
    connection.drained();
    await drained;
    const released = connection.write("1234567890");
    connection.closed();
    await released;
    assert.equal(connection.write("x"), undefined);
    assert.equal(sink.written.length, 3, "nothing is written after the end");
  });

  it("is cut when too much waits for the client", () => {
    const { connection, sink, events } = connect();
    void connection.write("x".repeat(101));
    assert.equal(sink.isCut, false, "one message may be larger than the limit");
    void connection.write("y");
    assert.deepEqual([sink.isCut, sink.written.length, connection.isClosed], [true, 1, true]);
    assert.match(events.join(), /more than 100 bytes/);
  });

  it("is cut when the client takes nothing for two intervals, also at its end", async () => {
    for (const ends of [false, true]) {
      const { connection, sink, clock, events } = connect();
      void connection.write("x".repeat(20));
      if (ends) {
        connection.end();
      }
      await clock.advance(15_000);
      assert.equal(sink.isCut, false);
      await clock.advance(15_000);
      assert.equal(sink.isCut, true);
      assert.match(events.join(), /took nothing for two keep-alive intervals/);
    }
  });

  it("reports its end once and leaves no timer", async () => {
    const { connection, clock, events, keepAlive } = connect();
    connection.closed();
    connection.closed();
    assert.deepEqual([events, keepAlive.size], [["closed"], 0]);
    await clock.advance(15_000);
    assert.equal(clock.pendingTimers, 0);
  });

  it("holds back what a slow client has not taken, keeps it in the log and loses nothing", async () => {
    const gate = createGate();
    const server = new ScriptedServer({
      flood: async (params, exchange) => {
        for (let step = 0; step < 50; step += 1) {
          void exchange.notify({ method: "notifications/progress", params: { step, text: "x".repeat(100) } });
        }
        return gate.script(params, exchange);
      },
    });
    const handler = createHttpHandler(server, { clock: createFakeClock(), maxBufferedBytes: 1_000 });
    const headers = new Map([
      ["content-type", "application/json"],
      ["host", "localhost"],
    ]);
    const post = (value: unknown) =>
      handler.handle({
        method: "POST",
        url: "/",
        authority: "localhost",
        header: (name) => headers.get(name),
        readBody: async () => ({ ok: true, text: JSON.stringify(value) }),
        onGone: () => undefined,
      });
    const params = { protocolVersion: "2025-11-25" };
    const hello = await post({ jsonrpc: "2.0", id: 0, method: "initialize", params });
    headers.set("mcp-session-id", hello.headers["mcp-session-id"] ?? "");
    const reply = await post({ jsonrpc: "2.0", id: 1, method: "flood" });
    assert.ok(reply.kind === "stream");
    const sink = new SlowSink(300);
    const listener: SinkListener = reply.open(sink);
    assert.ok(sink.written.length < 6, "the client takes nothing yet");
    gate.opened.resolve({});
    while (sink.isOpen) {
      sink.bufferedBytes = 0;
      listener.drained();
      await new Promise((resolve) => setImmediate(resolve));
    }
    listener.closed();
    const steps = sink.written.join("").match(/"step":\d+/g);
    assert.deepEqual(
      steps,
      Array.from({ length: 50 }, (_, step) => `"step":${step}`),
    );
    assert.equal(sink.isCut, false);
  });
});
