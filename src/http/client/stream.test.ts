import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeStream } from "../../../test/fixtures/http/fake-endpoint.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Classified } from "../../jsonrpc/message.ts";
import { readStream, type StreamEnd } from "./stream.ts";

interface Reading {
  readonly stream: FakeStream;
  readonly messages: Classified[];
  readonly diagnostics: Diagnostic[];
  readonly end: Promise<StreamEnd>;
  readonly controller: AbortController;
}

function startReading(lastEventId?: string): Reading {
  const stream = new FakeStream();
  const messages: Classified[] = [];
  const diagnostics: Diagnostic[] = [];
  const controller = new AbortController();
  const end = readStream(stream.response, {
    signal: controller.signal,
    maxMessageBytes: 1_000,
    lastEventId,
    onMessage: (classified) => messages.push(classified),
    report: (diagnostic) => diagnostics.push(diagnostic),
  });
  return { stream, messages, diagnostics, end, controller };
}

describe("readStream", () => {
  it("gives the messages in order and says how the stream ended", async () => {
    const { stream, messages, end } = startReading("old");
    stream.send({ jsonrpc: "2.0", method: "a" });
    stream.write("retry: 9\n\n");
    stream.send({ jsonrpc: "2.0", id: 1, method: "b" }, "new");
    stream.end();
    assert.deepEqual(await end, { lastEventId: "new", retryMs: 9, events: 2, fault: undefined, problem: undefined });
    assert.deepEqual(
      messages.map(({ kind }) => kind),
      ["notification", "request"],
    );
  });

  it("keeps the id it began with until the stream gives another, and tells what broke it", async () => {
    const { stream, end } = startReading("old");
    stream.break();
    const { lastEventId, events, fault } = await end;
    assert.deepEqual([lastEventId, events, fault?.code], ["old", 0, "MCP_CLOSED"]);
  });

  it("ignores events of other types but counts their id, and reports them once [HTTP-015] [PP-110]", async () => {
    const { stream, messages, diagnostics, end } = startReading();
    stream.write("event: ping\nid: 5\ndata: {}\n\nevent: endpoint\ndata: /x\n\n");
    stream.end();
    assert.equal((await end).lastEventId, "5");
    assert.deepEqual(messages, []);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_EVENT_TYPE"],
    );
  });

  it("goes on behind what is no message and behind bytes that are no UTF-8 [PP-028]", async () => {
    const { stream, messages, diagnostics, end } = startReading();
    stream.write("data: {broken\n\n");
    stream.writeBytes(Uint8Array.of(0x3a, 0xff, 0x0a, 0x0a));
    stream.send({ jsonrpc: "2.0", method: "a" });
    stream.end();
    assert.match((await end).problem?.message ?? "", /expected JSON/);
    assert.deepEqual(
      messages.map(({ kind }) => kind),
      ["invalid", "notification"],
    );
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_INVALID_UTF8"],
    );
  });

  it("ends with the signal's reason, untouched", async () => {
    const { stream, end, controller } = startReading();
    const reason = { my: "reason" };
    controller.abort(reason);
    await assert.rejects(end, (error) => error === reason);
    assert.equal(stream.cancelled, true);
  });
});
