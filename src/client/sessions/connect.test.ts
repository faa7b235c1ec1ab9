import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, silence } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { McpError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { Link } from "../../jsonrpc/link.ts";
import { handshakeRevisions, latestHandshake } from "../../revision/registry.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";

const define = (options: Partial<ClientOptions> = {}) => defineClient({ name: "host", version: "1.2.3", ...options });

describe("connect", () => {
  it("starts with initialize, then says initialized once, then goes on [LIFE-001] [LIFE-006] [BASE-001]", async () => {
    const server = new FakeServer({ answers: { ping: () => ({}) } });
    const session = await define().connect(server.channel);
    await session.ping();
    assert.deepEqual(server.methods, ["initialize", "notifications/initialized", "ping"]);
    assert.ok(server.received.every((message) => message.jsonrpc === "2.0"));
    await session.close();
  });

  it("says version, capabilities and who it is [LIFE-002] [LIFE-003] [LIFE-012]", async () => {
    const server = new FakeServer();
    const icons = [{ src: "https://host.example/i.png" }];
    const info = { title: "Host", description: "d", websiteUrl: "https://host.example", icons };
    const session = await define(info).connect(server.channel);
    assert.deepEqual(server.paramsOf("initialize"), [
      {
        protocolVersion: latestHandshake.id,
        capabilities: {},
        clientInfo: { name: "host", version: "1.2.3", ...info },
      },
    ]);
    await session.close();
  });

  it("asks for the revision it was pinned to, and refuses to be pinned to one it does not know [LIFE-012]", async () => {
    const older = handshakeRevisions.at(-1)?.id ?? "";
    const server = new FakeServer();
    const session = await define().connect(server.channel, { revision: older });
    assert.equal(server.paramsOf("initialize")[0]?.protocolVersion, older);
    assert.equal(session.server.revision, older);
    await session.close();
    await assert.rejects(define().connect(new FakeServer().channel, { revision: "1999-01-01" }), {
      code: "MCP_USAGE",
      message: /expected one of .*got 1999-01-01/,
    });
  });

  it("takes another revision that it speaks from the server [LIFE-012]", async () => {
    const older = handshakeRevisions[1]?.id ?? "";
    const session = await define().connect(new FakeServer({ protocolVersion: older }).channel);
    assert.equal(session.server.revision, older);
    await session.close();
  });

  it("hands out what the server said, also members it does not know [LIFE-003] [LIFE-005] [LIFE-020] [BASE-021]", async () => {
    const server = new FakeServer({
      capabilities: { experimental: { "x/y": { a: 1 } }, "x/unknown": { b: 2 }, tools: {} },
      initializeResult: {
        instructions: "be kind",
        serverInfo: { name: "s", version: "2", title: "S", websiteUrl: "https://s.example", "x/more": 1 },
        "x/also": true,
      },
    });
    const session = await define().connect(server.channel, { label: "first" });
    const { info, capabilities, instructions, label, trusted } = session.server;
    assert.deepEqual(info, { name: "s", version: "2", title: "S", websiteUrl: "https://s.example", "x/more": 1 });
    assert.deepEqual(capabilities, { experimental: { "x/y": { a: 1 } }, "x/unknown": { b: 2 }, tools: {} });
    assert.equal(instructions, "be kind");
    assert.equal(label, "first");
    assert.equal(trusted, false);
    await session.close();
  });

  it("closes without initialized when it cannot speak the server's revision [LIFE-015] [LIFE-027]", async () => {
    const server = new FakeServer({ protocolVersion: "1.0.0" });
    await assert.rejects(define().connect(server.channel), (error: McpError & { supported?: unknown }) => {
      assert.equal(error.code, "MCP_UNSUPPORTED_REVISION");
      assert.deepEqual(
        error.supported,
        handshakeRevisions.map(({ id }) => id),
      );
      return true;
    });
    await turn();
    assert.deepEqual(server.methods, ["initialize"]);
    assert.equal(server.closed, true);
  });

  it("tells what a server speaks that refuses to negotiate [LIFE-016] [LIFE-027]", async () => {
    const server = new FakeServer({
      answers: {
        initialize: () => {
          throw new RpcError(-32602, "unsupported", { data: { supported: ["1999-01-01"], requested: "x" } });
        },
      },
    });
    await assert.rejects(define().connect(server.channel), {
      code: "MCP_UNSUPPORTED_REVISION",
      supported: ["1999-01-01"],
    });
    assert.equal(server.closed, true);
  });

  it("refuses an answer to initialize that breaks the protocol [LIFE-003]", async () => {
    const server = new FakeServer({ initializeResult: { serverInfo: { name: "s" } } });
    await assert.rejects(define().connect(server.channel), { code: "MCP_PEER", message: /serverInfo\.version/ });
    assert.equal(server.closed, true);
    assert.deepEqual(server.methods, ["initialize"]);
  });

  it("gives up a silent handshake after one deadline, cancelling nothing on the wire [PP-038] [CANCEL-003] [LIFE-027] [PP-040]", async () => {
    const clock = createFakeClock();
    const server = new FakeServer({ answers: { initialize: silence } });
    const connecting = define({ clock }).connect(server.channel, { connectTimeoutMs: 5_000 });
    const failed = assert.rejects(connecting, { code: "MCP_TIMEOUT", limit: "connect", timeoutMs: 5_000 });
    await clock.advance(5_000);
    await failed;
    await turn();
    assert.deepEqual(server.methods, ["initialize"]);
    assert.equal(server.closed, true);
    assert.equal(clock.pendingTimers, 0);
  });

  it("bounds the opening of the link by the same deadline, and closes it [PP-038]", async () => {
    const clock = createFakeClock();
    const { link, calls } = stuckLink();
    const failed = assert.rejects(define({ clock }).connect(link, { connectTimeoutMs: 100 }), { limit: "connect" });
    await clock.advance(100);
    await failed;
    assert.deepEqual(calls, ["start", "close"]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("does not wait for ever for a link that cannot even close [PP-038]", async () => {
    const clock = createFakeClock();
    const { link } = stuckLink(() => new Promise(() => {}));
    const failed = assert.rejects(define({ clock }).connect(link, { connectTimeoutMs: 100 }), { limit: "connect" });
    await clock.advance(100);
    await clock.advance(60_000);
    await failed;
    assert.equal(clock.pendingTimers, 0);
  });

  it("rejects with the caller's reason when aborted, and closes everything [PP-038] [PP-040] [CANCEL-003]", async () => {
    const clock = createFakeClock();
    const server = new FakeServer({ answers: { initialize: silence } });
    const controller = new AbortController();
    const connecting = define({ clock }).connect(server.channel, { signal: controller.signal });
    await turn();
    const reason = new Error("changed my mind");
    controller.abort(reason);
    await assert.rejects(connecting, (error) => error === reason);
    await turn();
    assert.deepEqual(server.methods, ["initialize"]);
    assert.equal(server.closed, true);
    assert.equal(clock.pendingTimers, 0);
  });

  it("sends nothing when the signal is aborted already [PP-038]", async () => {
    const server = new FakeServer();
    await assert.rejects(
      define().connect(server.channel, { signal: AbortSignal.abort("no") }),
      (error) => error === "no",
    );
    await turn();
    assert.deepEqual(server.received, []);
  });

  it("answers ping while the handshake is unfinished, and nothing else [LIFE-010] [PING-001]", async () => {
    const gate = createDeferred<object>();
    const server = new FakeServer({ answers: { initialize: () => gate.promise } });
    const connecting = define({ roots: [{ uri: "file:///a" }] }).connect(server.channel);
    await turn();
    assert.deepEqual((await server.ask("ping")).result, {});
    assert.equal((await server.ask("roots/list")).error?.code, -32600);
    gate.resolve({ protocolVersion: latestHandshake.id, capabilities: {}, serverInfo: { name: "s", version: "1" } });
    const session = await connecting;
    assert.ok((await server.ask("roots/list")).result);
    await session.close();
  });

  it("answers a server that asks as soon as it is told initialized [LIFE-006] [ROOT-002]", async () => {
    const server = new FakeServer();
    const asked = server.when("notifications/initialized", () => server.ask("roots/list"));
    const session = await define({ roots: [{ uri: "file:///a" }] }).connect(server.channel);
    assert.deepEqual((await asked).result, { roots: [{ uri: "file:///a" }] });
    await session.close();
  });

  it("keeps sessions of one client apart: ids, capabilities, notifications [LIFE-028]", async () => {
    const first = new FakeServer({ capabilities: { tools: {} } });
    const second = new FakeServer({ capabilities: { prompts: {} }, answers: { ping: () => ({}) } });
    const client = define();
    const a = await client.connect(first.channel);
    const b = await client.connect(second.channel);
    const heard: string[] = [];
    a.onNotification("x/y", () => heard.push("a"));
    b.onNotification("x/y", () => heard.push("b"));
    second.notify("x/y");
    await turn();
    assert.deepEqual(heard, ["b"]);
    await assert.rejects(b.callTool("t"), { code: "MCP_MISSING_CAPABILITY" });
    await a.close();
    await b.ping();
    await b.close();
  });
});

function stuckLink(close: () => Promise<void> = async () => {}) {
  const calls: string[] = [];
  const link: Link = {
    start: () => {
      calls.push("start");
      return new Promise(() => {});
    },
    request: () => assert.fail("nothing may be sent"),
    notify: () => assert.fail("nothing may be sent"),
    close: () => {
      calls.push("close");
      return close();
    },
    closed: new Promise(() => {}),
  };
  return { link, calls };
}
