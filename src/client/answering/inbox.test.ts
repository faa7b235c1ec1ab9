import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { FakeServer, silence } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";

async function open(options: Partial<ClientOptions> = {}, protocolVersion?: string) {
  const server = new FakeServer({
    capabilities: { tools: {}, logging: {} },
    ...(protocolVersion && { protocolVersion }),
  });
  const diagnostics: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic): number => diagnostics.push(diagnostic);
  const session = await defineClient({ name: "c", version: "1", onDiagnostic, ...options }).connect(server.channel);
  return { server, session, diagnostics };
}

describe("ServerInbox", () => {
  it("answers ping at any time, also during a long call, with an empty result [PING-001] [BASE-006]", async () => {
    const { server, session } = await open();
    server.answers.set("tools/call", silence);
    const call = session.callTool("slow").catch(() => {});
    await turn();
    assert.deepEqual((await server.ask("ping")).result, {});
    assert.deepEqual((await server.ask("ping", { _meta: {} })).result, {});
    await session.close();
    await call;
  });

  it("repeats the id of a request with its type [BASE-007]", async () => {
    const { server, session } = await open();
    for (const id of ["7", 7, 0, ""]) {
      server.send({ jsonrpc: "2.0", id, method: "ping" });
      await turn();
      assert.deepEqual(server.received.at(-1), { jsonrpc: "2.0", id, result: {} });
    }
    await session.close();
  });

  it("knows no methods of the other direction, none of undeclared features, none unknown [BASE-016] [BASE-022] [ELIC-003] [ROOT-005]", async () => {
    const { server, session } = await open();
    for (const method of [
      "tools/list",
      "initialize",
      "sampling/createMessage",
      "elicitation/create",
      "roots/list",
      "tasks/get",
      "no/such",
      "constructor",
    ]) {
      assert.equal((await server.ask(method, {})).error?.code, -32601, method);
    }
    await session.close();
  });

  it("knows no request of a later revision than the negotiated one [LIFE-017]", async () => {
    const elicitation = { form: () => ({ action: "decline" as const }) };
    const { server, session } = await open({ elicitation }, "2025-03-26");
    const params = { message: "m", requestedSchema: { type: "object", properties: {} } };
    assert.equal((await server.ask("elicitation/create", params)).error?.code, -32601);
    await session.close();
  });

  it("serves a feature only as far as the negotiated revision knows it [LIFE-017] [ELIC-003] [SAMP-004]", async () => {
    const { server, session } = await open(
      {
        elicitation: { form: () => ({ action: "decline" }), url: { consent: () => assert.fail(), open: () => {} } },
        sampling: { createMessage: () => assert.fail(), tools: true },
      },
      "2025-06-18",
    );
    const url = { mode: "url", message: "m", url: "https://a.example", elicitationId: "1" };
    assert.equal((await server.ask("elicitation/create", url)).error?.code, -32602);
    assert.equal(
      (await server.ask("sampling/createMessage", { messages: [], maxTokens: 1, tools: [] })).error?.code,
      -32602,
    );
    const form = { message: "m", requestedSchema: { type: "object", properties: {} } };
    assert.deepEqual((await server.ask("elicitation/create", form)).result, { action: "decline" });
    await session.close();
  });

  it("refuses params that break a method's shape, before the handler [BASE-017]", async () => {
    const { server, session } = await open({
      sampling: { createMessage: () => assert.fail("the handler may not run") },
    });
    const { error } = await server.ask("sampling/createMessage", { maxTokens: 5 });
    assert.equal(error?.code, -32602);
    assert.match(error?.message ?? "", /params\.messages/);
    await session.close();
  });

  it("sends a handler's JSON-RPC error as it is, code, message and data [PP-065] [BASE-009]", async () => {
    const data = { deep: [1, { a: null }] };
    const { server, session } = await open({
      methods: {
        "x/fail": () => {
          throw new RpcError(-31_000, "exactly this", { data });
        },
      },
    });
    assert.deepEqual((await server.ask("x/fail")).error, { code: -31_000, message: "exactly this", data });
    await session.close();
  });

  it("sends an error that another copy of the package made as it is [PP-065]", async () => {
    const foreign = Object.assign(new Error("from afar"), { code: "MCP_RPC", rpcCode: -31_001, data: 5 });
    Object.defineProperty(foreign, Symbol.for("parley-mcp.error"), { value: true });
    const { server, session } = await open({
      methods: {
        "x/fail": () => {
          throw foreign;
        },
      },
    });
    assert.deepEqual((await server.ask("x/fail")).error, { code: -31_001, message: "from afar", data: 5 });
    await session.close();
  });

  it("tells nothing of any other failure, but reports it here [BASE-018] [BASE-011]", async () => {
    const { server, session, diagnostics } = await open({
      methods: {
        "x/fail": () => {
          throw new Error("password is 1234");
        },
      },
    });
    assert.deepEqual((await server.ask("x/fail")).error, { code: -32603, message: "internal error" });
    assert.equal(diagnostics[0]?.code, "MCP_D_HANDLER_FAULT");
    assert.match(String(diagnostics[0]?.detail), /password/);
    await session.close();
  });

  it("serves methods of one's own, with params, server and signal [META-001]", async () => {
    let got: unknown;
    const { server, session } = await open({
      methods: {
        "x/ask": (params, context) => {
          got = { params, server: context.server.info.name, aborted: context.signal.aborted };
          return { answer: 42, _meta: { "com.example/x": 1 } };
        },
      },
    });
    const params = { q: 1, _meta: { "com.example/x": 1 } };
    assert.deepEqual((await server.ask("x/ask", params)).result, { answer: 42, _meta: { "com.example/x": 1 } });
    assert.deepEqual(got, { params, server: "fake", aborted: false });
    await session.close();
  });

  it("stops the work of a request the server withdraws, and does not answer it [CANCEL-005] [CANCEL-009]", async () => {
    let reason: unknown;
    const { server, session, diagnostics } = await open({
      methods: {
        "x/slow": (_params, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener("abort", () => {
              reason = signal.reason;
              reject(signal.reason);
            });
          }),
        "x/pause": (_params, { signal }) => pause(60_000, {}, { signal }),
      },
    });
    for (const [id, method] of Object.entries({ s: "x/slow", p: "x/pause" })) {
      server.send({ jsonrpc: "2.0", id, method });
      await turn();
      server.notify("notifications/cancelled", { requestId: id, reason: "never mind" });
      await turn();
      assert.ok(!server.received.some((message) => "id" in message && message.id === id));
    }
    assert.match(String(reason), /never mind/);
    assert.deepEqual(diagnostics, [], "being cancelled is no fault");
    await session.close();
  });

  it("answers no notification, known, unknown or malformed, and reports what it dropped [BASE-012] [BASE-023] [CANCEL-006]", async () => {
    const { server, session, diagnostics } = await open({ onLog: () => assert.fail("was malformed") });
    server.received.length = 0;
    server.notify("x/unknown", { a: 1 });
    server.notify("notifications/message", { level: "warn", data: 1 });
    server.notify("notifications/cancelled", { requestId: 9_999 });
    server.notify("notifications/cancelled", {});
    server.notify("notifications/tools/list_changed");
    await turn();
    assert.deepEqual(server.received, []);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_NOTIFICATION_UNKNOWN", "MCP_D_NOTIFICATION_INVALID", "MCP_D_CANCEL_UNKNOWN"],
    );
    assert.deepEqual((await server.ask("ping")).result, {});
    await session.close();
  });

  it("hands log messages of every level to the callback [LOG-003] [LOG-010]", async () => {
    const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    const logged: unknown[] = [];
    const { server, session } = await open({
      onLog: ({ level, logger, data }, from) => logged.push([level, logger, data, from.info.name]),
    });
    for (const level of levels) {
      server.notify("notifications/message", { level, logger: "db", data: { level } });
    }
    await turn();
    assert.deepEqual(
      logged,
      levels.map((level) => [level, "db", { level }, "fake"]),
    );
    await session.close();
  });

  it("survives answers to nothing and errors without an id [BASE-010] [BASE-023]", async () => {
    const { server, session } = await open();
    server.answers.set("ping", () => ({}));
    server.send({ jsonrpc: "2.0", id: 9_999, result: {} });
    server.send({ jsonrpc: "2.0", error: { code: -32700, message: "what?" } });
    server.send({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "what?" } });
    await session.ping();
    await session.close();
  });
});
