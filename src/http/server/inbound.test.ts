import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, withBatches } from "../../../test/fixtures/http/scripted-server.ts";

const request = (id: unknown, method = "echo") => ({ jsonrpc: "2.0", id, method });
const notification = { jsonrpc: "2.0", method: "notifications/x" };

async function startWithBatches() {
  const started = await start({
    ask: async (_, exchange) => ({ answer: await exchange.request({ method: "roots/list" }) }),
  });
  started.client.sessionId = undefined;
  await started.client.initialize(withBatches);
  return started;
}

describe("serveEntries", () => {
  it("refuses an array where the revision has no batches [BASE-019] [O0618-001]", async () => {
    const { client, server } = await start();
    const before = server.received.length;
    const response = await client.post([request(1)]);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /"code":-32600.*has no batches/);
    assert.equal(server.received.length, before);
  });

  it("answers a batch with an array, and a batch without requests with 202 [O0326-001] [O0326-006]", async () => {
    const { client, server } = await startWithBatches();
    const response = await client.post([request(1), notification, request("b")]);
    const answers = (await response.json()) as { id: unknown }[];
    assert.deepEqual(new Set(answers.map(({ id }) => id)), new Set([1, "b"]));
    assert.ok(server.received.some(({ method }) => method === "notifications/x"));
    const silent = await client.post([notification, notification]);
    assert.deepEqual([silent.status, await silent.text()], [202, ""]);
  });

  it("answers each bad entry of a batch and serves the good ones [O0326-005]", async () => {
    const { client } = await startWithBatches();
    const answers = (await (await client.post([request(1), 1, { jsonrpc: "2.0", id: 7 }])).json()) as {
      id?: unknown;
      error?: { code: number };
    }[];
    assert.equal(answers.filter(({ error }) => error?.code === -32600).length, 2);
    assert.equal(answers.filter(({ id, error }) => id === 1 && error === undefined).length, 1);
  });

  it("refuses empty, hopeless and mixed arrays, and initialize inside one [O0326-003] [O0326-004] [O0326-005]", async () => {
    const { client } = await startWithBatches();
    const response = { jsonrpc: "2.0", id: 0, result: {} };
    for (const body of [[], [1, 2], [request(1), response], [request(1, "initialize")]]) {
      const reply = await client.post(body);
      assert.equal(reply.status, 400, JSON.stringify(body));
      assert.match(await reply.text(), /"code":-32600/);
    }
  });

  it("ends a batch's stream behind the last answer, not before [O0326-010]", async () => {
    const { client } = await startWithBatches();
    const response = await client.post([request(1, "ask"), request(2)], { accept: "text/event-stream" });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let answered = false;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += part.value;
      const question = /"id":"([^"]+)","method":"roots\/list"/.exec(text);
      if (question !== null && !answered) {
        answered = true;
        await client.post({ jsonrpc: "2.0", id: question[1], result: { roots: [] } });
      }
    }
    assert.match(text, /"id":2,"result"/);
    assert.match(text, /"id":1,"result":\{"answer":\{"roots":\[\]\}\}/);
  });

  it("refuses the answer to a request that was never made with 400, and reports it [HTTP-011]", async () => {
    const { client, codes } = await start();
    for (const id of [0, 99, "x"]) {
      assert.equal((await client.post({ jsonrpc: "2.0", id, result: {} })).status, 400);
    }
    assert.equal((await client.post({ jsonrpc: "2.0", error: { code: 1, message: "?" } })).status, 400);
    assert.deepEqual(codes(), Array(4).fill("MCP_D_UNKNOWN_RESPONSE"));
  });

  it("takes a late answer and reports it", async () => {
    const { client, server, codes } = await start();
    const stream = await client.listen();
    const session = server.exchanges[0]?.context.session;
    const controller = new AbortController();
    const question = session?.request({ method: "roots/list" }, { signal: controller.signal });
    const asked = await stream.message();
    controller.abort(new Error("enough"));
    await assert.rejects(question ?? Promise.resolve(), /enough/);
    assert.equal((await client.post({ jsonrpc: "2.0", id: asked?.id, result: {} })).status, 202);
    assert.deepEqual(codes(), ["MCP_D_LATE_RESPONSE"]);
  });

  it("fails the question that an unusable answer was for", async () => {
    const { client, server } = await start();
    const stream = await client.listen();
    const question = server.exchanges[0]?.context.session?.request({ method: "roots/list" });
    const failed = assert.rejects(question ?? Promise.resolve(), /PeerError|invalid answer/);
    const asked = await stream.message();
    assert.equal((await client.post({ jsonrpc: "2.0", id: asked?.id, result: 5 })).status, 400);
    await failed;
  });
});
