import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answer, createRig, FakeStream, json, settled } from "../../../test/fixtures/http/fake-endpoint.ts";

const ask = { method: "tools/call", params: { name: "add" } };

describe("HttpCall", () => {
  it("gives the same result for a JSON answer and an event stream [HTTP-013] [PP-110]", async () => {
    const rig = await createRig();
    rig.endpoint.handlers.json = ({ message }) =>
      json(answer(message, { sum: 3 }), 200, { "content-type": "Application/JSON; charset=utf-8" });
    rig.endpoint.handlers.stream = ({ message }) =>
      new Response(`: hello\n\ndata: ${JSON.stringify(answer(message, { sum: 3 }))}\n\n`, {
        headers: { "content-type": "text/event-stream;charset=utf-8" },
      });
    assert.deepEqual(await rig.link.request({ method: "json" }), { sum: 3 });
    assert.deepEqual(await rig.link.request({ method: "stream" }), { sum: 3 });
  });

  it("takes an error without id for the answer to the request it came for", async () => {
    const rig = await createRig();
    rig.endpoint.handlers.whole = () =>
      json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse" } }, 400);
    rig.endpoint.handlers.stream = () =>
      new Response('data: {"jsonrpc":"2.0","error":{"code":-32700,"message":"parse"}}\n\n', {
        headers: { "content-type": "text/event-stream" },
      });
    await assert.rejects(rig.link.request({ method: "whole" }), { rpcCode: -32700 });
    await assert.rejects(rig.link.request({ method: "stream" }), { rpcCode: -32700 });
  });

  it("refuses answers of other types, naming both", async () => {
    const rig = await createRig();
    rig.endpoint.handlers.page = () => new Response("<p>hello", { headers: { "content-type": "text/html" } });
    rig.endpoint.handlers.nothing = () => new Response(null, { status: 202 });
    await assert.rejects(rig.link.request({ method: "page" }), {
      code: "MCP_PEER",
      message: /expected application\/json or text\/event-stream, got "text\/html"/,
    });
    await assert.rejects(rig.link.request({ method: "nothing" }), {
      code: "MCP_PEER",
      message: /got status 202 without a content type/,
    });
  });

  it("refuses JSON that is no answer to the request", async () => {
    const rig = await createRig();
    const bodies: readonly [string, RegExp][] = [
      ["{", /expected JSON/],
      ["[]", /got an array/],
      ['{"jsonrpc":"2.0","id":99,"result":{}}', /expected a JSON-RPC answer to request \d+, got an answer to 99/],
      ['{"jsonrpc":"2.0","method":"x"}', /got a notification/],
      ['{"jsonrpc":"2.0","id":0,"result":[]}', /an object as result/],
    ];
    for (const [body, message] of bodies) {
      rig.endpoint.handlers["tools/call"] = () =>
        new Response(body, { headers: { "content-type": "application/json" } });
      await assert.rejects(rig.link.request(ask), { code: "MCP_PEER", message });
    }
  });

  it("tells in an error of ours of a connection that breaks within a JSON answer [PP-008]", async () => {
    const rig = await createRig();
    const broken = new FakeStream({ "content-type": "application/json" });
    rig.endpoint.handlers["tools/call"] = () => broken.response;
    const refused = assert.rejects(rig.link.request(ask), {
      code: "MCP_CLOSED",
      message: "tools/call: the connection broke before the answer was complete; it was not sent again: terminated",
      cause: new TypeError("terminated"),
    });
    await settled();
    broken.write('{"jsonrpc"');
    broken.break();
    await refused;
  });

  it("refuses an answer over the size limit, as JSON and on a stream", async () => {
    const rig = await createRig({ maxMessageBytes: 100 });
    const long = { text: "x".repeat(200) };
    rig.endpoint.handlers.whole = ({ message }) => json(answer(message, long));
    const stream = new FakeStream();
    rig.endpoint.handlers.stream = () => stream.response;
    await assert.rejects(rig.link.request({ method: "whole" }), { code: "MCP_TOO_LARGE", limitBytes: 100 });
    const streamed = assert.rejects(rig.link.request({ method: "stream" }), { code: "MCP_TOO_LARGE" });
    await settled();
    stream.write(`id: 1\ndata: ${JSON.stringify(long)}\n\n`);
    await streamed;
    assert.equal(stream.cancelled, true);
  });

  it("hands over the notifications of a request's stream in order, and settles with its answer", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    rig.endpoint.handlers["tools/call"] = () => stream.response;
    const related: unknown[] = [];
    const result = rig.link.request(ask, { onRelated: ({ params }) => related.push(params?.progress) });
    await settled();
    const [{ message } = { message: undefined }] = rig.endpoint.received;
    for (const progress of [1, 2, 3]) {
      stream.send({ jsonrpc: "2.0", method: "notifications/progress", params: { progress } });
    }
    stream.send({ jsonrpc: "2.0", id: 77, result: {} });
    stream.send(answer(message, { done: true }));
    assert.deepEqual(await result, { done: true });
    assert.deepEqual(related, [1, 2, 3]);
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_UNKNOWN_RESPONSE"],
    );
    assert.equal(rig.dispatched.length, 0);
  });

  it("hands a notification that nobody ties to a request to the dispatcher", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    rig.endpoint.handlers["tools/call"] = () => stream.response;
    const result = rig.link.request(ask);
    await settled();
    stream.send({ jsonrpc: "2.0", method: "notifications/message", params: {} });
    stream.send(answer(rig.endpoint.received[0]?.message, {}));
    await result;
    assert.deepEqual(
      rig.dispatched.map(({ message }) => message.method),
      ["notifications/message"],
    );
  });

  it("leaves a stream after its answer to the server, and cuts it where the server does not end it", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    rig.endpoint.handlers["tools/call"] = () => stream.response;
    const result = rig.link.request(ask);
    await settled();
    stream.send(answer(rig.endpoint.received[0]?.message, {}));
    await result;
    assert.equal(stream.cancelled, false);
    await rig.clock.advance(1_000);
    assert.equal(stream.cancelled, true);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("reports what a listener throws and goes on", async () => {
    const rig = await createRig();
    rig.endpoint.handlers["tools/call"] = ({ message }) =>
      new Response(`data: {"jsonrpc":"2.0","method":"x"}\n\ndata: ${JSON.stringify(answer(message, {}))}\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });
    const onRelated = (): void => {
      throw new Error("listener");
    };
    assert.deepEqual(await rig.link.request(ask, { onRelated }), {});
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_LISTENER_FAULT"],
    );
  });

  it("releases the caller with the reason at once, stops reading, and tells the server once [HTTP-024] [PP-040]", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    rig.endpoint.handlers["tools/call"] = () => stream.response;
    const controller = new AbortController();
    const reason = { my: "reason" };
    const result = assert.rejects(rig.link.request(ask, { signal: controller.signal }), (error) => error === reason);
    await settled();
    controller.abort(reason);
    await result;
    await settled();
    assert.equal(stream.cancelled, true);
    const [first, cancel] = rig.endpoint.received;
    assert.equal(first?.message?.id, 0);
    assert.deepEqual(cancel?.message, {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 0, reason: "cancelled by the caller" },
    });
    assert.equal(rig.endpoint.received.length, 2);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("releases the caller even where fetch ignores its signal", async () => {
    const rig = await createRig();
    rig.endpoint.handlers["tools/call"] = () => new Promise<Response>(() => undefined);
    const controller = new AbortController();
    const result = assert.rejects(rig.link.request(ask, { signal: controller.signal }), { message: "enough" });
    await settled();
    controller.abort(new Error("enough"));
    await result;
    assert.equal(rig.endpoint.received[0]?.signal.aborted, true);
  });

  it("sends nothing for a signal that has aborted, and no cancellation of initialize or of an answered request [PP-038] [PP-040]", async () => {
    const rig = await createRig();
    const reason = new Error("no");
    await assert.rejects(rig.link.request(ask, { signal: AbortSignal.abort(reason) }), reason);
    assert.equal(rig.endpoint.received.length, 0);
    rig.endpoint.handlers.initialize = () => new FakeStream().response;
    const controller = new AbortController();
    const started = assert.rejects(rig.link.request({ method: "initialize" }, { signal: controller.signal }), reason);
    await settled();
    controller.abort(reason);
    await started;
    const later = new AbortController();
    await rig.link.request(ask, { signal: later.signal });
    later.abort(reason);
    await settled();
    assert.deepEqual(
      rig.endpoint.received.map(({ message }) => message?.method),
      ["initialize", "tools/call"],
    );
  });

  it("reports a cancellation that the server does not take", async () => {
    const rig = await createRig();
    rig.endpoint.handlers["tools/call"] = () => new FakeStream().response;
    rig.endpoint.handlers["notifications/cancelled"] = () => new Response("no", { status: 500 });
    const controller = new AbortController();
    const result = assert.rejects(rig.link.request(ask, { signal: controller.signal }));
    await settled();
    controller.abort();
    await result;
    await settled();
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_CANCEL_UNSENT"],
    );
  });
});
