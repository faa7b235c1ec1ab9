import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, silence } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";
import type { CallRecord, ProposedCall } from "./call-policy.ts";

const content = [{ type: "text", text: "3" }];
const tool = {
  name: "add",
  inputSchema: { type: "object" },
  outputSchema: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
  annotations: { readOnlyHint: true, openWorldHint: false },
};

async function open(options: Partial<ClientOptions> = {}) {
  const clock = createFakeClock();
  const records: CallRecord[] = [];
  const diagnostics: Diagnostic[] = [];
  const server = new FakeServer({
    capabilities: { tools: {} },
    answers: {
      "tools/list": () => ({ tools: [tool] }),
      "tools/call": () => ({ content, structuredContent: { sum: 3 } }),
    },
  });
  const session = await defineClient({
    name: "c",
    version: "1",
    clock,
    onCall: (record) => records.push(record),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  }).connect(server.channel);
  return { clock, server, session, records, diagnostics };
}

describe("callTool", () => {
  it("sends name and arguments, and no arguments where none are given [TOOL-007]", async () => {
    const { server, session } = await open();
    await session.callTool("add", { a: 1, b: 2 });
    await session.callTool("add");
    const sent = server.paramsOf("tools/call").map(({ _meta, ...params }) => params);
    assert.deepEqual(sent, [{ name: "add", arguments: { a: 1, b: 2 } }, { name: "add" }]);
    await session.close();
  });

  it("returns a failed tool's result and throws the server's refusal [TOOL-020]", async () => {
    const { server, session } = await open();
    server.answers.set("tools/call", () => ({ content, isError: true }));
    assert.deepEqual(await session.callTool("add"), { content, isError: true });
    server.answers.set("tools/call", () => {
      throw new RpcError(-32_602, "unknown tool: add");
    });
    await assert.rejects(session.callTool("add"), {
      code: "MCP_INVALID_PARAMS",
      rpcCode: -32_602,
      message: "unknown tool: add",
    });
    await session.close();
  });

  it("rejects structured content that does not fit the listed output schema [TOOL-016]", async () => {
    const { server, session } = await open();
    server.answers.set("tools/call", () => ({ content, structuredContent: { sum: "3" } }));
    assert.ok(await session.callTool("add"));
    await session.listTools().all();
    await assert.rejects(session.callTool("add"), {
      code: "MCP_PEER",
      message: /result of add: structuredContent.*sum/,
    });
    server.answers.set("tools/call", () => ({ content }));
    await assert.rejects(session.callTool("add"), { code: "MCP_PEER", message: /expected structuredContent/ });
    await session.close();
  });

  it("reports such content instead, or says nothing, when told to [TOOL-016]", async () => {
    for (const [outputValidation, codes] of [
      ["report", ["MCP_D_OUTPUT_INVALID"]],
      ["off", []],
    ] as const) {
      const { server, session, diagnostics } = await open({ outputValidation });
      await session.listTools().all();
      server.answers.set("tools/call", () => ({ content, structuredContent: { sum: "3" } }));
      assert.deepEqual((await session.callTool("add")).structuredContent, { sum: "3" });
      assert.deepEqual(
        diagnostics.map(({ code }) => code),
        codes,
      );
      await session.close();
    }
  });

  it("does not judge by a schema that the server says is outdated [PP-049]", async () => {
    const { server, session } = await open();
    await session.listTools().all();
    server.notify("notifications/tools/list_changed");
    await turn();
    server.answers.set("tools/call", () => ({ content, structuredContent: { total: 3 } }));
    assert.deepEqual((await session.callTool("add")).structuredContent, { total: 3 });
    await session.close();
  });
});

describe("the approval of tool calls", () => {
  it("gets name, arguments and server before anything is sent, and can refuse [TOOL-029]", async () => {
    const proposed: ProposedCall[] = [];
    const { server, session } = await open({
      approve: (call) => {
        proposed.push(call);
        return false;
      },
    });
    await assert.rejects(session.callTool("add", { a: 1 }), { code: "MCP_RPC", rpcCode: -1, remote: false });
    assert.deepEqual(server.paramsOf("tools/call"), []);
    assert.deepEqual(
      proposed.map(({ name, arguments: args, server: from }) => [name, args, from.info.name]),
      [["add", { a: 1 }, "fake"]],
    );
    await session.close();
  });

  it("lets only a plain true through [TOOL-029]", async () => {
    for (const answer of ["yes", 1, undefined, {}]) {
      const { server, session } = await open({ approve: () => answer as never });
      await assert.rejects(session.callTool("add"), { rpcCode: -1 });
      assert.deepEqual(server.paramsOf("tools/call"), []);
      await session.close();
    }
    const { session } = await open({ approve: async () => true });
    assert.ok(await session.callTool("add"));
    await session.close();
  });

  it("believes annotations of a trusted server only [TOOL-023] [TOOL-024]", async () => {
    const cautious = { readOnly: false, destructive: true, idempotent: false, openWorld: true };
    const claimed = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
    for (const [trust, hints] of [
      [false, cautious],
      [true, claimed],
      [({ label }: { label: string | undefined }) => label === "mine", cautious],
    ] as const) {
      const seen: unknown[] = [];
      const { session } = await open({
        trust,
        approve: (call) => {
          seen.push(call.hints);
          return true;
        },
      });
      await session.callTool("add");
      await session.listTools().all();
      await session.callTool("add");
      assert.deepEqual(seen, [cautious, hints]);
      await session.close();
    }
  });

  it("sends nothing when the caller gives up while it is being decided [CANCEL-002]", async () => {
    const controller = new AbortController();
    const { server, session } = await open({
      approve: () => {
        controller.abort("late");
        return true;
      },
    });
    await assert.rejects(session.callTool("add", {}, { signal: controller.signal }), (error) => error === "late");
    assert.deepEqual(server.paramsOf("tools/call"), []);
    await session.close();
  });
});

describe("the record of tool calls", () => {
  it("tells of every call how it ended and how long it took [TOOL-030]", async () => {
    let allowed = true;
    const { clock, server, session, records } = await open({ approve: () => allowed });
    await session.callTool("add", { a: 1 });
    server.answers.set("tools/call", () => ({ content, isError: true }));
    await session.callTool("add");
    server.answers.set("tools/call", silence);
    const failed = assert.rejects(session.callTool("add", {}, { idleTimeoutMs: 500 }), { code: "MCP_TIMEOUT" });
    await clock.advance(500);
    await failed;
    const controller = new AbortController();
    const aborted = assert.rejects(session.callTool("add", {}, { signal: controller.signal }));
    await turn();
    controller.abort();
    await aborted;
    allowed = false;
    await assert.rejects(session.callTool("add"));
    assert.deepEqual(
      records.map(({ name, outcome, durationMs, error }) => [
        name,
        outcome,
        durationMs,
        error instanceof Error ? error.name : error,
      ]),
      [
        ["add", "ok", 0, undefined],
        ["add", "tool-error", 0, undefined],
        ["add", "failed", 500, "TimeoutError"],
        ["add", "cancelled", 0, "AbortError"],
        ["add", "refused", 0, undefined],
      ],
    );
    assert.deepEqual(records[0]?.arguments, { a: 1 });
    assert.equal(records[0]?.server.info.name, "fake");
    await session.close();
  });

  it("does not fail a call when the hook throws, but reports it [TOOL-030]", async () => {
    const { session, diagnostics } = await open({
      onCall: () => {
        throw new Error("disk full");
      },
    });
    assert.ok(await session.callTool("add"));
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_CALLBACK_FAULT"],
    );
    await session.close();
  });
});
