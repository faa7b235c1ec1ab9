import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, ForgetfulLink } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";
import { Recovery } from "./recovery.ts";

const expired = async (): Promise<never> => {
  throw new SessionExpiredError("gone");
};

describe("Recovery", () => {
  it("holds everything back until the first handshake is over [LIFE-007]", async () => {
    const recovery = new Recovery(async () => assert.fail());
    const opening = createDeferred();
    void recovery.begin(opening.promise);
    const sent: string[] = [];
    const running = recovery.run(async () => sent.push("sent"), { canResend: true });
    await turn();
    assert.deepEqual(sent, []);
    opening.resolve();
    await running;
    assert.deepEqual(sent, ["sent"]);
  });

  it("lets a caller stop waiting for the handshake while it goes on for others [LIFE-007]", async () => {
    const recovery = new Recovery(async () => assert.fail());
    const opening = createDeferred();
    void recovery.begin(opening.promise);
    const controller = new AbortController();
    const impatient = recovery.run(async () => "sent", { canResend: true, signal: controller.signal });
    controller.abort("enough");
    await assert.rejects(impatient, (error) => error === "enough");
    opening.resolve();
    assert.equal(await recovery.run(async () => "sent", { canResend: true }), "sent");
  });

  it("tries again with the next request when a new session could not be made", async () => {
    let attempts = 0;
    const recovery = new Recovery(async () => {
      attempts += 1;
      if (attempts === 1) {
        throw new Error("server is down");
      }
    });
    let calls = 0;
    const send = async (): Promise<string> => {
      calls += 1;
      return calls === 1 ? expired() : "answer";
    };
    await assert.rejects(recovery.run(send, { canResend: true }), /server is down/);
    assert.equal(await recovery.run(send, { canResend: true }), "answer");
    assert.deepEqual([attempts, calls], [2, 2]);
  });
});

describe("a session that the server forgets", () => {
  async function open(options: Pick<ClientOptions, "onSessionReplaced" | "onDiagnostic"> = {}) {
    const server = new FakeServer({
      capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
      answers: {
        "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }] }),
        "resources/subscribe": () => ({}),
        "logging/setLevel": () => ({}),
      },
    });
    const link = new ForgetfulLink(server);
    const session = await defineClient({ name: "c", version: "1", ...options }).connect(link);
    server.received.length = 0;
    return { server, link, session };
  }

  it("is replaced by one handshake, shared by all callers, and each request is sent once more [PP-001] [HTTP-046]", async () => {
    let replaced = 0;
    const { server, link, session } = await open({ onSessionReplaced: () => (replaced += 1) });
    link.forget();
    const results = await Promise.all(["a", "b", "c"].map((name) => session.callTool(name)));
    assert.deepEqual(
      results.map(({ content }) => content),
      ["a", "b", "c"].map((text) => [{ type: "text", text }]),
    );
    assert.deepEqual(server.methods, [
      "initialize",
      "notifications/initialized",
      "tools/call",
      "tools/call",
      "tools/call",
    ]);
    assert.equal(replaced, 1);
    await session.close();
  });

  it("is replaced for a notification too, which is sent once more [PP-001]", async () => {
    const { server, link, session } = await open();
    link.forget();
    await session.notify("x/told", { a: 1 });
    await turn();
    assert.deepEqual(server.methods, ["initialize", "notifications/initialized", "x/told"]);
    await session.close();
  });

  it("surfaces a second loss without a loop [PP-001] [HTTP-046]", async () => {
    const { server, link, session } = await open();
    link.recovers = false;
    link.forget();
    await assert.rejects(session.callTool("a"), { code: "MCP_SESSION_EXPIRED" });
    assert.deepEqual(server.methods, ["initialize", "notifications/initialized"]);
    await session.close();
  });

  it("gets its subscriptions and its log level back before requests go on [PP-001]", async () => {
    const { server, link, session } = await open();
    await session.subscribe("file:///a", () => {});
    await session.setLogLevel("warning");
    server.received.length = 0;
    link.forget();
    await session.callTool("a");
    assert.deepEqual(server.methods, [
      "initialize",
      "notifications/initialized",
      "resources/subscribe",
      "logging/setLevel",
      "tools/call",
    ]);
    assert.equal(server.paramsOf("logging/setLevel")[0]?.level, "warning");
    await session.close();
  });

  it("goes on when something cannot be brought back, or a hook throws, and reports it [PP-001]", async () => {
    const diagnostics: string[] = [];
    const { server, link, session } = await open({
      onSessionReplaced: () => {
        throw new Error("hook");
      },
      onDiagnostic: ({ code }) => diagnostics.push(code),
    });
    await session.subscribe("file:///a", () => {});
    server.answers.set("resources/subscribe", () => {
      throw new RpcError(-32_002, "gone");
    });
    link.forget();
    assert.ok(await session.callTool("a"));
    assert.deepEqual(diagnostics, ["MCP_D_RESTORE_FAILED", "MCP_D_CALLBACK_FAULT"]);
    await session.close();
  });

  it("asks for the newest revision again and takes over what the server says now [PP-001]", async () => {
    const { server, link, session } = await open();
    server.answers.set("initialize", ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "successor", version: "2" },
    }));
    link.forget();
    await session.callTool("a");
    assert.equal(session.server.info.name, "successor");
    await session.close();
  });

  it("is closed when its successor speaks no common revision [LIFE-015]", async () => {
    const { server, link, session } = await open();
    server.answers.set("initialize", () => ({
      protocolVersion: "0",
      capabilities: {},
      serverInfo: { name: "s", version: "2" },
    }));
    link.forget();
    await assert.rejects(session.callTool("a"), { code: "MCP_UNSUPPORTED_REVISION" });
    assert.equal((await session.closed)?.code, "MCP_UNSUPPORTED_REVISION");
  });

  it("makes a walk over a list start again without the old cursor [PAGE-004]", async () => {
    const { server, link, session } = await open();
    server.answers.set("tools/list", ({ cursor }) => {
      const tools = [{ name: cursor === undefined ? "a" : "b", inputSchema: { type: "object" } }];
      return cursor === undefined ? { tools, nextCursor: "old" } : { tools };
    });
    const names: string[] = [];
    const walk = async (): Promise<void> => {
      for await (const tool of session.listTools()) {
        names.push(tool.name);
        link.forget();
      }
    };
    await assert.rejects(walk(), { code: "MCP_SESSION_EXPIRED" });
    assert.deepEqual(names, ["a"]);
    const all = await session.listTools().all();
    assert.deepEqual(
      all.map(({ name }) => name),
      ["a", "b"],
    );
    assert.deepEqual(
      server.paramsOf("tools/list").map(({ cursor }) => cursor),
      [undefined, undefined, "old"],
    );
    await session.close();
  });
});
