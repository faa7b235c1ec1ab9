import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { HttpReply, HttpRequest, Sink, SinkListener } from "../message.ts";
import { serveFetch } from "./fetch.ts";

/** A stream reply whose sink and events are kept for the test. */
function createStream() {
  const events: string[] = [];
  const opened: { sink?: Sink } = {};
  const reply: HttpReply = {
    kind: "stream",
    status: 200,
    headers: { "content-type": "text/event-stream" },
    open: (sink): SinkListener => {
      opened.sink = sink;
      return { drained: () => events.push("drained"), closed: () => events.push("closed") };
    },
  };
  return { events, reply, sink: () => opened.sink ?? assert.fail("not opened") };
}

async function serve(reply: HttpReply, request = new Request("http://localhost/")): Promise<Response> {
  return await serveFetch(async () => reply, request);
}

describe("serveFetch", () => {
  it("hands on method, path and query, headers, host and body", async () => {
    let seen: HttpRequest | undefined;
    const request = new Request("http://example.com:81/mcp?x=1", {
      method: "POST",
      headers: { "X-A": "b" },
      body: "ä",
    });
    await serveFetch(async (received) => {
      seen = received;
      assert.deepEqual(await received.readBody(10), { ok: true, text: "ä" });
      return { kind: "text", status: 200, headers: {}, body: "" };
    }, request);
    assert.deepEqual([seen?.method, seen?.url, seen?.authority], ["POST", "/mcp?x=1", "example.com:81"]);
    assert.deepEqual([seen?.header("x-a"), seen?.header("x-b")], ["b", undefined]);
  });

  it("reads a body in pieces up to the limit, and tells what was wrong with it", async () => {
    const read = async (chunks: Uint8Array[] | "breaks", maxBytes: number): Promise<unknown> => {
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          if (chunks === "breaks") {
            controller.error(new Error("gone"));
            return;
          }
          for (const chunk of chunks) {
            controller.enqueue(chunk);
          }
          controller.close();
        },
      });
      const init = { method: "POST", body, duplex: "half" } as RequestInit;
      let result: unknown;
      await serveFetch(async (request) => {
        result = await request.readBody(maxBytes);
        return { kind: "text", status: 200, headers: {}, body: "" };
      }, new Request("http://localhost/", init));
      return result;
    };
    const [a, b] = [new Uint8Array([0xc3]), new Uint8Array([0xa4])];
    assert.deepEqual(await read([a, b], 2), { ok: true, text: "ä" });
    assert.deepEqual(await read([a, b], 1), { ok: false, reason: "too-large" });
    assert.deepEqual(await read([a], 9), { ok: false, reason: "not-utf8" });
    assert.deepEqual(await read("breaks", 9), { ok: false, reason: "broken-off" });
    assert.deepEqual(await read([], 9), { ok: true, text: "" });
  });

  it("gives a status without content no body at all", async () => {
    const response = await serve({ kind: "text", status: 204, headers: { "x-a": "b" }, body: "" });
    assert.deepEqual([response.status, response.body, response.headers.get("x-a")], [204, null, "b"]);
  });

  it("asks the writer to wait while nobody reads, and tells when there is room again", async () => {
    const { reply, sink, events } = createStream();
    const response = await serve(reply);
    assert.equal(sink().write("x".repeat(60_000)), true);
    assert.equal(sink().write("x".repeat(60_000)), false);
    assert.equal(sink().bufferedBytes, 120_000);
    const before = events.length;
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.read();
    assert.ok(events.slice(before).includes("drained"));
    assert.equal(sink().bufferedBytes, 0);
  });

  it("tells of its end once, whoever ends it, and takes nothing afterwards [PP-020]", async () => {
    for (const end of ["end", "cut", "cancel", "abort"] as const) {
      const { reply, sink, events } = createStream();
      const controller = new AbortController();
      const response = await serve(reply, new Request("http://localhost/", { signal: controller.signal }));
      const reader = response.body?.getReader();
      sink().write("x");
      if (end === "cancel") {
        await reader?.cancel();
      } else if (end === "abort") {
        controller.abort();
      } else {
        sink()[end]();
      }
      sink().write("y");
      sink().end();
      sink().cut();
      assert.equal(sink().bufferedBytes, 0);
      assert.deepEqual(
        events.filter((event) => event === "closed"),
        ["closed"],
        end,
      );
      reader?.closed.catch(() => undefined);
    }
  });

  it("tells of a client that was gone before it began [PP-019]", async () => {
    const request = new Request("http://localhost/", { signal: AbortSignal.abort() });
    let gone = false;
    const { reply, events } = createStream();
    await serveFetch(async (received) => {
      received.onGone(() => {
        gone = true;
      });
      return reply;
    }, request);
    assert.deepEqual([gone, events.filter((event) => event === "closed")], [true, ["closed"]]);
  });
});
