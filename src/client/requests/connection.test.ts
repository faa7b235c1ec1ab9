import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openSession } from "../../../test/fixtures/fake-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { RpcError } from "../../jsonrpc/error.ts";

describe("Connection", () => {
  it("never use an id twice, also after failures and timeouts [BASE-003] [BASE-004] [BASE-005]", async () => {
    const { clock, server, session } = await openSession();
    server.answers.set("ping", () => ({}));
    for (let round = 0; round < 250; round += 1) {
      await Promise.all([session.ping(), session.request("x/none").catch(() => {})]);
      const lost = session.callTool("t", {}, { idleTimeoutMs: 10 }).catch(() => {});
      await clock.advance(10);
      await lost;
    }
    const ids = server.received.flatMap((message) => ("id" in message && "method" in message ? [message.id] : []));
    assert.equal(ids.length, 750);
    assert.equal(new Set(ids).size, 750);
    assert.ok(ids.every((id) => typeof id === "string" || Number.isInteger(id)));
    await session.close();
  });

  it("give the server's error as it came: code, message, data [BASE-009] [PP-065] [TOOL-020]", async () => {
    const { server, session } = await openSession();
    const data = { why: ["a", { b: 1 }] };
    server.answers.set("tools/call", () => {
      throw new RpcError(-32_050, "MCP error: exactly this", { data });
    });
    await assert.rejects(session.callTool("t"), {
      code: "MCP_RPC",
      rpcCode: -32_050,
      message: "MCP error: exactly this",
      data,
      remote: true,
    });
    await session.close();
  });

  it("are told at once when the connection ends [LIFE-021]", async () => {
    const { server, session } = await openSession();
    const call = session.callTool("slow");
    await turn();
    const failed = assert.rejects(call, { code: "MCP_CLOSED" });
    await server.close();
    await failed;
    assert.equal(await session.closed, undefined);
    await assert.rejects(session.callTool("t"), { code: "MCP_CLOSED" });
  });

  it("are told at once when the session is closed, and nothing is sent for that [LIFE-021]", async () => {
    const { server, session } = await openSession();
    const failed = assert.rejects(session.callTool("slow"), { code: "MCP_CLOSED" });
    await turn();
    await session.close();
    await session.close();
    await failed;
    await turn();
    assert.deepEqual(server.methods, ["tools/call"]);
    assert.equal(server.closed, true);
  });

  it("fail when the answer breaks the protocol, saying what was expected [BASE-008] [TOOL-009]", async () => {
    const { server, session } = await openSession();
    server.answers.set("tools/call", () => ({ content: "text" }));
    await assert.rejects(session.callTool("t"), {
      code: "MCP_PEER",
      message: /tools\/call: result\.content: expected an array/,
    });
    server.answers.set("prompts/get", () => ({
      messages: [{ role: "narrator", content: { type: "text", text: "" } }],
    }));
    await assert.rejects(session.getPrompt("p"), { code: "MCP_PEER", message: /messages\[0\]\.role/ });
    await session.close();
  });

  it("keep members they do not know [BASE-021] [META-001] [META-006]", async () => {
    const { server, session } = await openSession();
    const result = {
      content: [{ type: "text", text: "a", "x/c": 1, _meta: { "com.example/y": [] } }],
      _meta: { "com.example/x": 1, "io.modelcontextprotocol/odd": 7 },
      more: { a: 1 },
    };
    server.answers.set("tools/call", () => result);
    assert.deepEqual(await session.callTool("t"), result);
    await session.close();
  });

  it("carry methods and notifications of one's own, notifications without an id [BASE-013] [META-001]", async () => {
    const { server, session } = await openSession();
    server.answers.set("x/own", ({ q }) => ({ a: q }));
    assert.deepEqual(await session.request("x/own", { q: 1, _meta: { "com.example/x": 1 } }), { a: 1 });
    await session.notify("x/told", { b: 1 });
    await turn();
    const meta = server.paramsOf("x/own")[0]?._meta as object;
    assert.equal((meta as { "com.example/x": number })["com.example/x"], 1);
    assert.deepEqual(server.received.at(-1), { jsonrpc: "2.0", method: "x/told", params: { b: 1 } });
    await session.close();
  });
});
