import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGate, EventReader, settle, start } from "../../../test/fixtures/http/scripted-server.ts";
import { createDeferred } from "../../base/deferred.ts";
import { isMcpError } from "../../base/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

describe("Post", () => {
  it("answers as JSON when nothing is sent before, as a stream when something is [HTTP-012] [HTTP-021]", async () => {
    const { client } = await start({
      talk: async (_, exchange) => {
        await exchange.notify({ method: "notifications/progress", params: { progress: 1 } });
        await exchange.notify({ method: "notifications/progress", params: { progress: 2 } });
        return { done: true };
      },
    });
    assert.equal((await client.call("echo")).headers.get("content-type"), "application/json");
    const messages = await new EventReader(await client.call("talk", {}, 9)).rest();
    assert.deepEqual(messages, [
      { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } },
      { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 2 } },
      { jsonrpc: "2.0", id: 9, result: { done: true } },
    ]);
  });

  it("makes a stream of an answer that takes its time, which starts with a priming event and ends behind the answer [HTTP-014] [HTTP-020] [HTTP-022]", async () => {
    const gate = createGate();
    const { client, clock } = await start({ wait: gate.script });
    const pending = client.call("wait");
    await gate.entered;
    await clock.advance(100);
    const reader = new EventReader(await pending);
    const priming = await reader.next();
    assert.equal(priming?.data, "");
    assert.ok(priming.id);
    gate.opened.resolve({ late: true });
    assert.deepEqual(await reader.message(), { jsonrpc: "2.0", id: 1, result: { late: true } });
    assert.equal(await reader.next(), undefined);
  });

  it("always streams, or never, when told so [HTTP-012]", async () => {
    const streams = await start({}, { response: "stream" });
    const reader = new EventReader(await streams.client.call("echo", { a: 1 }));
    assert.equal((await reader.next())?.data, "");
    assert.deepEqual(await reader.rest(), [{ jsonrpc: "2.0", id: 1, result: { a: 1 } }]);
    const gate = createGate();
    const json = await start({ wait: gate.script }, { response: "json" });
    const pending = json.client.call("wait");
    await gate.entered;
    await json.clock.advance(60_000);
    gate.opened.resolve({});
    assert.equal((await pending).headers.get("content-type"), "application/json");
  });

  it("sends no priming event on revisions that do not know it, and none without an event log [HTTP-014]", async () => {
    const script = async (_: JsonObject, exchange: { notify(call: { method: string }): Promise<void> }) => {
      await exchange.notify({ method: "notifications/message" });
      return {};
    };
    const older = await start({ talk: script });
    older.client.sessionId = undefined;
    await older.client.initialize("2025-06-18");
    const first = await new EventReader(await older.client.call("talk")).next();
    assert.ok(first?.id && first.data !== "");
    const unkept = await start({ talk: script }, { resumability: false });
    const event = await new EventReader(await unkept.client.call("talk")).next();
    assert.deepEqual([event?.id, event?.data === ""], [undefined, false]);
  });

  it("gives twelve concurrent requests with id 1 their own answers [PP-017]", async () => {
    const gates = Array.from({ length: 12 }, () => createDeferred<JsonObject>());
    const { client } = await start({ wait: ({ index }) => gates[Number(index)]?.promise ?? {} });
    const pending = gates.map((_, index) => client.call("wait", { index }, 1));
    await settle();
    for (const [index, gate] of [...gates.entries()].reverse()) {
      gate.resolve({ index });
    }
    const answers = await Promise.all(
      pending.map(async (response) => (await (await response).json()) as { result: unknown }),
    );
    assert.deepEqual(
      answers.map(({ result }) => result),
      gates.map((_, index) => ({ index })),
    );
  });

  it("cancels the request that a notification names, which then gets no answer [CANCEL-005]", async () => {
    const gate = createGate();
    const { client, clock } = await start({ wait: gate.script });
    const pending = client.call("wait", {}, "a");
    const { signal } = await gate.entered;
    await clock.advance(100);
    const reader = new EventReader(await pending);
    await client.post({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "a", reason: "enough" },
    });
    assert.ok(isMcpError(signal.reason) && signal.reason.code === "MCP_RPC");
    assert.match(String(signal.reason), /enough/);
    gate.opened.resolve({});
    assert.deepEqual(await reader.rest(), []);
  });

  it("ends HTTP for a cancelled request of which nothing was sent", async () => {
    const gate = createGate();
    const { client } = await start({ wait: gate.script });
    const [either, jsonOnly] = [client.call("wait", {}, 1), client.call("wait", {}, 2, { accept: "application/json" })];
    await gate.entered;
    await settle();
    for (const requestId of [1, 2]) {
      await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } });
    }
    gate.opened.resolve({});
    assert.deepEqual(await new EventReader(await either).rest(), []);
    assert.match(await (await jsonOnly).text(), /cancelled by the client/);
  });

  it("cancels none of several requests with the same id, and reports it [PP-017] [CANCEL-006]", async () => {
    const gate = createGate();
    const { client, server, codes } = await start({ wait: gate.script });
    const pending = [client.call("wait", {}, 1), client.call("wait", {}, 1)];
    await gate.entered;
    await settle();
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
    assert.deepEqual(codes(), ["MCP_D_CANCEL_AMBIGUOUS", "MCP_D_CANCEL_UNKNOWN"]);
    assert.ok(server.exchanges.every(({ signal }) => !signal.aborted));
    gate.opened.resolve({});
    for (const response of await Promise.all(pending)) {
      assert.equal(response.status, 200);
    }
  });

  it("sends what a handler asks on the stream of its request, and takes the answer from a POST [PP-044] [HTTP-021]", async () => {
    const { client } = await start({
      ask: async (_, exchange) => ({
        answer: await exchange.request({ method: "sampling/createMessage", params: { n: 1 } }),
      }),
    });
    const reader = new EventReader(await client.call("ask"));
    const question = await reader.message();
    assert.deepEqual([question?.method, question?.params], ["sampling/createMessage", { n: 1 }]);
    const answer = await client.post({ jsonrpc: "2.0", id: question?.id, result: { text: "yes" } });
    assert.deepEqual([answer.status, await answer.text()], [202, ""]);
    assert.deepEqual(await reader.rest(), [{ jsonrpc: "2.0", id: 1, result: { answer: { text: "yes" } } }]);
  });

  it("hands the client's error to whoever asked, and tells the client of a question that was given up", async () => {
    const controller = new AbortController();
    const asked = createDeferred();
    const { client } = await start({
      ask: async (_, exchange) => {
        const refused = await exchange.request({ method: "roots/list" }).catch((error: unknown) => error);
        const options = { signal: controller.signal };
        const givenUp = exchange.request({ method: "elicitation/create" }, options).catch((error: unknown) => error);
        asked.resolve();
        return { refused: String(refused), givenUp: String(await givenUp) };
      },
    });
    const reader = new EventReader(await client.call("ask"));
    const first = await reader.message();
    await client.post({ jsonrpc: "2.0", id: first?.id, error: { code: -1, message: "no" } });
    const second = await reader.message();
    await asked.promise;
    controller.abort(new Error("changed my mind"));
    const [cancelled, answer] = await reader.rest();
    assert.deepEqual(cancelled?.params, { requestId: second?.id, reason: "changed my mind" });
    assert.deepEqual(answer?.result, { refused: "RpcError: no", givenUp: "Error: changed my mind" });
  });

  it("refuses at once to ask over a reply that is JSON, and reports notifications that have no place [PP-043]", async () => {
    const { client, codes } = await start({
      ask: async (_, exchange) => {
        await exchange.notify({ method: "notifications/message" });
        const error = await exchange.request({ method: "sampling/createMessage" }).catch((reason: unknown) => reason);
        return { code: isMcpError(error) ? error.code : "none", text: String(error) };
      },
    });
    const response = await client.call("ask", {}, 1, { accept: "application/json" });
    const { result } = (await response.json()) as { result: { code: string; text: string } };
    assert.equal(result.code, "MCP_MISSING_CAPABILITY");
    assert.match(result.text, /sampling\/createMessage cannot reach the client: .*text\/event-stream/);
    assert.deepEqual(codes(), ["MCP_D_NOTIFICATION_UNSENT"]);
  });

  it("answers with an internal error when the dispatcher breaks its promise, or an answer cannot be written", async () => {
    const { client, server, codes } = await start({ loop: () => ({ big: 1n }) });
    assert.match(await (await client.call("loop")).text(), /"code":-32603,"message":"internal error"/);
    server.dispatch = () => Promise.reject(new Error("broken"));
    assert.match(await (await client.call("x")).text(), /internal error/);
    server.dispatch = async () => undefined;
    assert.match(await (await client.call("x")).text(), /internal error/);
    server.dispatch = () => Promise.reject(new Error("broken"));
    assert.equal((await client.post({ jsonrpc: "2.0", method: "notifications/x" })).status, 202);
    await settle();
    assert.deepEqual(codes(), Array(4).fill("MCP_D_DISPATCHER_FAULT"));
  });

  it("tells open streams of every request that the server gives up, and refuses the others with 503", async () => {
    const gate = createGate();
    const { client, clock, handler } = await start({ wait: gate.script });
    const pending = client.call("wait", {}, "a");
    const { signal } = await gate.entered;
    await clock.advance(100);
    const reader = new EventReader(await pending);
    const waiting = client.call("wait", {}, "b");
    await settle();
    handler.close();
    assert.equal((await waiting).status, 503);
    const [failure, ...more] = await reader.rest();
    assert.deepEqual([failure?.id, more], ["a", []]);
    assert.match(JSON.stringify(failure?.error), /-32603.*it is unknown whether it was done/);
    assert.ok(signal.aborted);
    gate.opened.resolve({});
    await settle();
  });

  it("refuses more requests at once than a session may have, and serves others [PP-002]", async () => {
    const gate = createGate();
    const { client } = await start({ wait: gate.script }, { sessions: { maxConcurrentRequestsPerSession: 2 } });
    const pending = [client.call("wait"), client.call("wait")];
    await gate.entered;
    await settle();
    const refused = await client.call("echo");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "1"]);
    gate.opened.resolve({});
    await Promise.all(pending);
    await settle();
    assert.equal((await client.call("echo")).status, 200);
  });
});
