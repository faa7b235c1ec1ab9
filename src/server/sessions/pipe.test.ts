import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { JsonRpcErrorResponse } from "../../jsonrpc/message.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";

describe("Pipe", () => {
  const app = defineServer({
    ...identity,
    tools: {
      echo: tool({}, (_args, ctx) => {
        ctx.progress(1);
        ctx.log.info("x");
        return "echo";
      }),
    },
  });

  async function errorFor(value: unknown): Promise<JsonRpcErrorResponse> {
    const client = await RawClient.connect(app);
    client.send(value);
    await turn();
    assert.equal(client.received.length, 1, JSON.stringify(value));
    assert.deepEqual((await client.request("ping")).result, {}, "the connection goes on");
    return client.received[0] as JsonRpcErrorResponse;
  }

  it("answers what is no JSON-RPC message as an invalid request, and goes on [BASE-002] [BASE-015] [BASE-020]", async () => {
    for (const value of [
      {},
      { jsonrpc: "2.0", id: 1 },
      { jsonrpc: "1.0", id: 1, method: "ping" },
      { id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 1, method: "tools/call", params: [] },
      { jsonrpc: "2.0", id: 1, method: 5 },
      "text",
    ]) {
      assert.equal((await errorFor(value)).error.code, -32600, JSON.stringify(value));
    }
  });

  it("answers ids that are none without an id [BASE-003] [BASE-004] [BASE-010]", async () => {
    for (const id of [1.5, true, {}, null]) {
      const { error, ...rest } = await errorFor({ jsonrpc: "2.0", id, method: "ping" });
      assert.equal(error.code, -32600);
      assert.deepEqual(rest, { jsonrpc: "2.0" });
    }
    const client = await RawClient.connect(app);
    for (const id of [0, "a", "7"]) {
      assert.equal((await client.request("ping", undefined, id)).id, id);
    }
  });

  it("refuses several messages in one [BASE-019]", async () => {
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    assert.equal((await errorFor([ping, { ...ping, id: 2 }])).error.code, -32600);
  });

  it("sends only well-formed messages: notifications without an id, responses with one member [BASE-002] [BASE-008] [BASE-013]", async () => {
    const client = await RawClient.connect(app);
    await client.call("echo", {}, { progressToken: 1 });
    assert.equal(client.received.length, 3);
    for (const message of client.received) {
      assert.equal(message.jsonrpc, "2.0");
      assert.equal("method" in message, !("id" in message));
      assert.equal("method" in message, !("result" in message || "error" in message));
    }
  });

  it("tolerates members that it does not know, and reserved metadata of any type [BASE-021] [META-006] [META-007]", async () => {
    const client = await RawClient.connect(app, { capabilities: { novel: { a: 1 }, sampling: { x: 1 } } });
    const params = {
      name: "echo",
      novel: [1],
      _meta: { "io.modelcontextprotocol/related-task": 5, ProgressToken: 1, "com.example/progressToken": 2 },
    };
    const { result } = await client.request("tools/call", params);
    assert.deepEqual(result?.content, [{ type: "text", text: "echo" }]);
    assert.deepEqual(client.notifications("notifications/progress"), []);
  });

  it("refuses an id in use, and leaves the running request alone [BASE-005]", async () => {
    const held: (() => void)[] = [];
    const slow = defineServer({
      ...identity,
      tools: { wait: tool({}, () => new Promise<string>((resolve) => held.push(() => resolve("first")))) },
    });
    const client = await RawClient.connect(slow);
    const first = client.request("tools/call", { name: "wait" }, 1);
    await turn();
    client.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } });
    const refused = await first;
    assert.match(refused.error?.message ?? "", /in use/);
    held[0]?.();
    await turn();
    assert.equal(held.length, 1);
    assert.deepEqual(client.handle.openRequests, { inbound: 0, outbound: 0 });
  });

  it("refuses more requests at once than it was told, and serves the others", async () => {
    const hang = defineServer({ ...identity, tools: { hang: tool({}, () => new Promise(() => {})) } });
    const client = await RawClient.connect(hang, { serve: { maxConcurrentRequests: 2 } });
    void client.call("hang");
    void client.call("hang");
    assert.match((await client.call("hang")).error?.message ?? "", /too many requests/);
  });
});
