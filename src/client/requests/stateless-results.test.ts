import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silence } from "../../../test/fixtures/fake-server.ts";
import { everyFeature, metaOf, openStatelessSession } from "../../../test/fixtures/fake-session.ts";
import { StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { envelopeKeys } from "../../protocol/envelope.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";

describe("results of a session without a handshake", () => {
  it("are complete when they do not say, and nothing when they say what nobody knows [M-BASE-005] [M-BASE-006]", async () => {
    const types: unknown[] = [undefined, "complete", "later", 5];
    const { session } = await openStatelessSession(
      {},
      {
        "tools/call": () => {
          const resultType = types.shift();
          return { content: [], ...(resultType !== undefined && { resultType }) };
        },
      },
    );
    await session.callTool("t");
    await session.callTool("t");
    await assert.rejects(session.callTool("t"), { code: "MCP_PEER", message: /resultType: expected .*got "later"/ });
    await assert.rejects(session.callTool("t"), { code: "MCP_PEER" });
    await session.close();
  });

  it("are tasks only for clients that declare the extension [M-BASE-007] [M-EXT-002]", async () => {
    const task = {
      resultType: "task",
      taskId: "t1",
      status: "working",
      createdAt: "2026-08-01T00:00:00Z",
      lastUpdatedAt: "2026-08-01T00:00:00Z",
      ttlMs: 1_000,
    };
    const answers = { "tools/call": () => task };
    const plain = await openStatelessSession({ tasks: false }, answers);
    await assert.rejects(plain.session.callTool("t"), { code: "MCP_PEER", message: /io\.modelcontextprotocol\/tasks/ });
    await plain.session.close();
    const able = await openStatelessSession({}, answers);
    const manual = await able.session.request("tools/call", { name: "t" }, { inputRounds: "manual" });
    assert.equal(manual.resultType, "task");
    const [sent] = able.server.paramsOf("tools/call");
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    assert.deepEqual(metaOf(sent)[envelopeKeys.clientCapabilities], { extensions });
    await able.session.close();
  });

  it("keep every value of structured content apart from none [M-TOOL-004]", async () => {
    const values: unknown[] = [null, false, 0, "", []];
    for (const value of values) {
      const { session } = await openStatelessSession(
        {},
        { "tools/call": () => ({ content: [], structuredContent: value }) },
      );
      const result = await session.callTool("t");
      assert.ok("structuredContent" in result);
      assert.deepEqual(result.structuredContent, value);
      await session.close();
    }
  });

  it("are errors with the code that the server gave, none of which starts anything by itself [M-ERR-004] [M-ERR-013] [M-RES-002]", async () => {
    const codes = [-32000, -32001, -32042, -32021];
    const { server, session } = await openStatelessSession(
      {},
      {
        "tools/call": () => {
          throw new RpcError(codes[0] ?? 0, "no", { data: { requiredCapabilities: { sampling: {} } } });
        },
        "resources/read": () => {
          throw new RpcError(-32002, "gone");
        },
      },
    );
    for (const code of [...codes]) {
      await assert.rejects(session.callTool("t"), (error: RpcError) => {
        assert.equal(error.rpcCode, code);
        assert.ok(error.remote);
        assert.deepEqual(error.data, { requiredCapabilities: { sampling: {} } });
        return true;
      });
      codes.shift();
    }
    await assert.rejects(session.readResource("a:b"), { code: "MCP_RESOURCE_NOT_FOUND", rpcCode: -32002, uri: "a:b" });
    server.answers.set("resources/read", ({ uri }) => {
      throw new RpcError(-32602, "gone", { data: { uri } });
    });
    await assert.rejects(session.readResource("a:b"), { code: "MCP_RESOURCE_NOT_FOUND", rpcCode: -32602, uri: "a:b" });
    server.answers.set("resources/read", () => {
      throw new RpcError(-32602, "odd");
    });
    await assert.rejects(session.readResource("a:b"), { code: "MCP_INVALID_PARAMS" });
    assert.equal(server.paramsOf("tools/call").length, 4);
    assert.equal(server.paramsOf("server/discover").length, 1);
    await session.close();
  });
});

describe("requests of a session without a handshake", () => {
  it("are given up by a notification on a pipe, with the id of the request, when the time is over [M-STDIO-002] [M-CANCEL-005] [M-ERR-007]", async () => {
    const clock = createFakeClock();
    const { server, session } = await openStatelessSession({ clock }, { "tools/call": silence });
    const controller = new AbortController();
    const aborted = assert.rejects(session.callTool("t", {}, { signal: controller.signal }), /enough/);
    const late = assert.rejects(session.callTool("t", {}, { idleTimeoutMs: 100 }), { code: "MCP_TIMEOUT" });
    await turn();
    controller.abort(new Error("enough"));
    await clock.advance(100);
    await Promise.all([aborted, late]);
    const ids = server.received.flatMap((message) =>
      "id" in message && "method" in message && message.method === "tools/call" ? [message.id] : [],
    );
    assert.deepEqual(
      server.paramsOf("notifications/cancelled").map(({ requestId }) => requestId),
      ids,
    );
    await session.close();
  });

  it("last as long as there is progress, but not longer than the maximum [M-CANCEL-006]", async () => {
    const clock = createFakeClock();
    const { server, session } = await openStatelessSession({ clock }, { "tools/call": silence });
    const limits = { idleTimeoutMs: 100, totalTimeoutMs: 250 };
    const failed = assert.rejects(session.callTool("t", {}, limits), { code: "MCP_TIMEOUT", limit: "total" });
    await turn();
    const { progressToken } = metaOf(server.paramsOf("tools/call")[0]);
    for (let progress = 1; progress <= 4; progress += 1) {
      await clock.advance(60);
      server.notify("notifications/progress", { progressToken, progress });
      await turn();
    }
    assert.equal(server.paramsOf("notifications/cancelled").length, 0);
    await clock.advance(10);
    await failed;
    await session.close();
  });

  it("have ids and progress tokens of their own while they wait [M-BASE-003] [M-PROG-002]", async () => {
    const { server, session } = await openStatelessSession({}, { "tools/call": silence });
    const calls = Array.from({ length: 1_000 }, () => session.callTool("t").catch(() => undefined));
    await turn();
    const sent = server.received.filter((message) => "method" in message && message.method === "tools/call");
    const ids = sent.map((message) => ("id" in message ? message.id : undefined));
    const tokens = server.paramsOf("tools/call").map((params) => metaOf(params).progressToken);
    assert.equal(new Set(ids).size, 1_000);
    assert.equal(new Set(tokens).size, 1_000);
    await session.close();
    await Promise.all(calls);
  });

  it("go on until a cursor is missing, also from an empty one, and not in circles [M-PAGE-001] [M-PAGE-002]", async () => {
    const cursors: unknown[] = [];
    const { server, session } = await openStatelessSession(
      {},
      {
        "prompts/list": ({ cursor }: JsonObject) => {
          cursors.push(cursor);
          return { prompts: [], ...(cursor === undefined && { nextCursor: "" }) };
        },
      },
    );
    await session.listPrompts().all();
    assert.deepEqual(cursors, [undefined, ""]);
    server.answers.set("prompts/list", () => ({ prompts: [], nextCursor: "same" }));
    await assert.rejects(session.listPrompts({ reload: true }).all(), { code: "MCP_PEER" });
    await session.close();
  });

  it("share one connection, whatever they are about, and none of them starts another one [M-BASE-010]", async () => {
    let made = 0;
    const server = new StatelessServer({
      capabilities: everyFeature,
      answers: { "tools/call": () => ({ content: [] }) },
    });
    const session = await defineClient({ name: "c", version: "1" }).connect(() => {
      made += 1;
      return server.channel;
    });
    await Promise.all([session.callTool("a"), session.callTool("b")]);
    await session.callTool("c");
    assert.equal(made, 1);
    await session.close();
  });

  it("are not made for what the revision has no more", async () => {
    const { session } = await openStatelessSession();
    for (const method of ["ping", "logging/setLevel", "resources/subscribe", "tasks/list"]) {
      await assert.rejects(session.request(method, { level: "debug", uri: "a:b" }), { code: "MCP_MISSING_CAPABILITY" });
    }
    await session.close();
  });
});
