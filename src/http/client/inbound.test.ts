import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  answer,
  createRig,
  FakeStream,
  handshake,
  type Rig,
  settled,
} from "../../../test/fixtures/http/fake-endpoint.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { JsonRpcResponse } from "../../jsonrpc/message.ts";
import { latestHandshake } from "../../revision/registry.ts";

const ask = { jsonrpc: "2.0", id: "s-1", method: "sampling/createMessage", params: {} };

/** A running call on whose stream the server says things. */
async function listen(rig: Rig): Promise<{ stream: FakeStream; finish(): Promise<void> }> {
  const stream = new FakeStream();
  rig.endpoint.handlers["tools/call"] = () => stream.response;
  await handshake(rig);
  const result = rig.link.request({ method: "tools/call" });
  result.catch(() => undefined);
  await settled();
  return {
    stream,
    finish: async () => {
      stream.send(answer(rig.endpoint.of("tools/call")[0]?.message, {}));
      await result;
    },
  };
}

const answersIn = (rig: Rig): unknown[] =>
  rig.endpoint.of("POST").flatMap(({ message }) => (message !== undefined && !("method" in message) ? [message] : []));

describe("Inbound", () => {
  it("answers a request of the server by a POST of its own [HTTP-006] [HTTP-043]", async () => {
    const rig = await createRig({}, async ({ id }) => ({ jsonrpc: "2.0", id, result: { role: "assistant" } }));
    const { stream, finish } = await listen(rig);
    stream.send(ask);
    await settled();
    await finish();
    assert.deepEqual(answersIn(rig), [{ jsonrpc: "2.0", id: "s-1", result: { role: "assistant" } }]);
    assert.equal(rig.endpoint.received.at(-1)?.headers["mcp-session-id"], "session-1");
    assert.deepEqual(rig.diagnostics, []);
  });

  it("gives handlers the negotiated revision, and the newest before that is known", async () => {
    const rig = await createRig();
    const starting = new FakeStream();
    const later = new FakeStream();
    rig.endpoint.handlers.initialize = () => starting.response;
    rig.endpoint.handlers["tools/call"] = () => later.response;
    const started = rig.link.request({ method: "initialize" });
    await settled();
    starting.send({ jsonrpc: "2.0", id: 0, method: "ping" });
    starting.send(answer(rig.endpoint.received[0]?.message, { protocolVersion: "2025-06-18" }));
    await started;
    const result = rig.link.request({ method: "tools/call" });
    later.send({ jsonrpc: "2.0", id: 1, method: "ping" });
    await settled();
    later.send(answer(rig.endpoint.of("tools/call")[0]?.message, {}));
    await result;
    const contexts = rig.dispatched.map(({ exchange }) => exchange.context);
    assert.deepEqual(
      contexts.map(({ revision }) => revision.id),
      [latestHandshake.id, "2025-06-18"],
    );
    assert.deepEqual(
      contexts.map(({ session, auth, http }) => [session, auth, http]),
      [
        [undefined, undefined, undefined],
        [undefined, undefined, undefined],
      ],
    );
  });

  it("lets a handler tell and ask the server, but not tell after its answer", async () => {
    const asked = createDeferred<unknown>();
    const rig = await createRig({}, async ({ id }, exchange) => {
      await exchange.notify({ method: "notifications/progress", params: { progress: 1 } });
      asked.resolve(await exchange.request({ method: "ping" }));
      return { jsonrpc: "2.0", id, result: {} };
    });
    const { stream } = await listen(rig);
    stream.send(ask);
    assert.deepEqual(await asked.promise, {});
    await settled();
    await rig.dispatched[0]?.exchange.notify({ method: "notifications/progress" });
    assert.equal(rig.endpoint.of("notifications/progress").length, 1);
    assert.equal(rig.endpoint.of("ping").length, 1);
  });

  it("reports an answer that does not reach the server", async () => {
    const rig = await createRig();
    const { stream, finish } = await listen(rig);
    rig.endpoint.handlers.POST = () => new Response("busy", { status: 500 });
    stream.send(ask);
    await settled();
    await finish();
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_ANSWER_UNSENT"],
    );
  });

  it("aborts the request that the server cancels, and sends no answer to it", async () => {
    const released = createDeferred<JsonRpcResponse>();
    const rig = await createRig({}, () => released.promise);
    const { stream } = await listen(rig);
    stream.send(ask);
    await settled();
    const signal = rig.dispatched[0]?.exchange.signal;
    stream.send({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "s-1", reason: "too slow" },
    });
    stream.send({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "other" } });
    await settled();
    assert.equal(signal?.aborted, true);
    assert.equal(signal?.reason?.message, "too slow");
    released.resolve({ jsonrpc: "2.0", id: "s-1", result: {} });
    await settled();
    assert.deepEqual(answersIn(rig), []);
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_CANCEL_UNKNOWN"],
    );
  });

  it("does not begin a request anew that a resumed stream brings again", async () => {
    const released = createDeferred<JsonRpcResponse>();
    const rig = await createRig({}, () => released.promise);
    const { stream } = await listen(rig);
    stream.send(ask);
    stream.send(ask);
    await settled();
    released.resolve({ jsonrpc: "2.0", id: "s-1", result: {} });
    await settled();
    assert.equal(rig.dispatched.length, 1);
    assert.equal(answersIn(rig).length, 1);
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_DUPLICATE_REQUEST"],
    );
  });

  it("answers an invalid request with an error and goes on", async () => {
    const rig = await createRig();
    const { stream, finish } = await listen(rig);
    stream.send({ jsonrpc: "1.0", id: 5, method: "ping" });
    stream.send({ nonsense: true });
    stream.write("data: {broken\n\n");
    await settled();
    await finish();
    const [first, ...others] = answersIn(rig);
    assert.deepEqual(first, {
      jsonrpc: "2.0",
      id: 5,
      error: { code: -32600, message: 'expected jsonrpc to be "2.0", got "1.0"' },
    });
    assert.deepEqual(others, []);
    assert.equal(rig.diagnostics.filter(({ code }) => code === "MCP_D_INVALID_MESSAGE").length, 3);
  });

  it("survives a dispatcher that breaks its promise", async () => {
    const rig = await createRig({}, () => Promise.reject(new Error("secret")));
    const { stream, finish } = await listen(rig);
    stream.send(ask);
    await settled();
    await finish();
    assert.deepEqual(answersIn(rig), [
      { jsonrpc: "2.0", id: "s-1", error: { code: -32603, message: "internal error" } },
    ]);
  });

  it("aborts what is being worked on when the link closes, and delivers nothing afterwards [PP-019]", async () => {
    const rig = await createRig({}, () => new Promise(() => undefined));
    const { stream } = await listen(rig);
    stream.send(ask);
    await settled();
    stream.send({ jsonrpc: "2.0", method: "notifications/message" });
    await rig.link.close();
    await settled();
    assert.equal(rig.dispatched[0]?.exchange.signal.aborted, true);
    assert.equal(rig.dispatched.length, 1);
  });
});
