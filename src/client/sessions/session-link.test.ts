import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, silence } from "../../../test/fixtures/fake-server.ts";
import { StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Channel } from "../../jsonrpc/link.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";
import type { ConnectOptions } from "./connect.ts";

const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} };

/** A client for servers that are started one after the other. */
function create<S extends FakeServer>(make: () => S, options: Partial<ClientOptions> = {}) {
  const clock = createFakeClock();
  const servers: S[] = [];
  const diagnostics: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic): number => diagnostics.push(diagnostic);
  const start = (): Channel => {
    const server = make();
    servers.push(server);
    return server.channel;
  };
  const client = defineClient({ name: "c", version: "1", clock, onDiagnostic, ...options });
  const server = (index: number): S => servers[index] ?? assert.fail(`expected server ${index}`);
  const connect = (given: ConnectOptions = {}) => client.connect(start, { restart: true, ...given });
  return { clock, servers, server, connect, codes: () => diagnostics.map(({ code }) => code) };
}

const stateless = (): StatelessServer =>
  new StatelessServer({ capabilities, answers: { "tools/call": () => ({ content: [] }), "x/hang": silence } });

describe("a session whose server may be started again", () => {
  it("fails what was lost and makes the next call on a new server, without asking about the revision twice [M-STDIO-006] [M-BASE-011]", async () => {
    const { servers, server, connect, codes } = create(stateless);
    const session = await connect();
    const lost = assert.rejects(session.request("x/hang"), { code: "MCP_CLOSED" });
    await turn();
    await server(0).close();
    await lost;
    await turn();
    assert.equal(servers.length, 1);
    await Promise.all([session.callTool("t"), session.callTool("u")]);
    assert.equal(servers.length, 2);
    assert.deepEqual(server(1).methods, ["server/discover", "tools/call", "tools/call"]);
    assert.deepEqual(codes(), ["MCP_D_CONNECTION_LOST"]);
    await session.close();
    assert.ok(server(1).closed);
  });

  it("subscribes again to everything, and hears of changes again [M-STDIO-007] [PP-046]", async () => {
    const { clock, server, connect } = create(stateless, { relisten: { initialDelayMs: 10, maxDelayMs: 10 } });
    const session = await connect();
    const heard: string[] = [];
    await session.subscribe("a:b", ({ uri }) => heard.push(uri));
    await session.listen({ toolsListChanged: true }, { onChange: ({ method }) => heard.push(method) });
    await server(0).close();
    await clock.advance(10);
    await turn();
    await clock.advance(10);
    const filters = server(1).subscriptions.map(({ filter }) => JSON.stringify(filter));
    assert.deepEqual(filters.sort(), ['{"resourceSubscriptions":["a:b"]}', '{"toolsListChanged":true}']);
    // Changes may have been missed, which is told once.
    assert.deepEqual(heard, ["a:b"]);
    for (const { id, filter } of server(1).subscriptions) {
      const method = filter.toolsListChanged ? "notifications/tools/list_changed" : "notifications/resources/updated";
      server(1).tell(id, method, { uri: "a:b" });
    }
    await turn();
    assert.deepEqual(heard.slice(1).sort(), ["a:b", "notifications/tools/list_changed"]);
    await session.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it("shakes hands with an older one again, and restores what it had", async () => {
    const old = (): FakeServer =>
      new FakeServer({
        capabilities,
        answers: { "resources/subscribe": () => ({}), "logging/setLevel": () => ({}), "x/y": () => ({}) },
      });
    const { server, connect } = create(old);
    const session = await connect();
    await session.setLogLevel("error");
    await session.subscribe("a:b", () => undefined);
    await server(0).close();
    await turn();
    await session.request("x/y");
    assert.deepEqual(server(1).methods, [
      "initialize",
      "notifications/initialized",
      "resources/subscribe",
      "logging/setLevel",
      "x/y",
    ]);
    await session.close();
  });

  it("recovers when the new server is of another age [M-VER-009]", async () => {
    let made = 0;
    const { server, connect } = create<FakeServer>(() => {
      made += 1;
      return made === 1
        ? stateless()
        : new FakeServer({ capabilities, answers: { "tools/call": () => ({ content: [] }) } });
    });
    const session = await connect();
    await server(0).close();
    await turn();
    await session.callTool("t");
    assert.deepEqual(server(1).methods, ["initialize", "notifications/initialized", "tools/call"]);
    await session.close();
  });

  it("ends when it is not to be started again, and never after it was closed", async () => {
    const { servers, server, connect } = create(stateless);
    const once = await connect({ restart: false });
    await server(0).close();
    assert.equal(await once.closed, undefined);
    await assert.rejects(once.callTool("t"), { code: "MCP_CLOSED" });
    const session = await connect();
    await session.close();
    await session.closed;
    await assert.rejects(session.callTool("t"), { code: "MCP_CLOSED" });
    assert.equal(servers.length, 2);
  });

  it("fails the calls of a server that cannot be started, and tries again with the next", async () => {
    let isBroken = false;
    const { server, connect } = create(() => {
      if (isBroken) {
        throw new Error("no such program");
      }
      return stateless();
    });
    const session = await connect();
    isBroken = true;
    await server(0).close();
    await turn();
    await assert.rejects(session.callTool("t"), /no such program/);
    isBroken = false;
    await session.callTool("t");
    await session.close();
  });
});
