import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { everyFeature, metaOf, openStatelessSession } from "../../../test/fixtures/fake-session.ts";
import { discovery, StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { envelopeKeys } from "../../protocol/envelope.ts";
import { latestHandshake, latestStateless } from "../../revision/registry.ts";
import { defineClient } from "../client.ts";

describe("a session without a handshake", () => {
  it("says revision, capabilities and who it is with every request, the first one included [M-META-001] [M-META-002] [M-META-003] [M-BASE-014] [M-BASE-017]", async () => {
    const { server, session } = await openStatelessSession(
      {},
      { "tools/list": () => ({ tools: [] }), "acme/x": () => ({}) },
    );
    await session.listTools().all();
    await session.request("acme/x");
    await session.ping();
    assert.deepEqual(server.methods, ["server/discover", "tools/list", "acme/x", "server/discover"]);
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    for (const message of server.received) {
      assert.equal(message.jsonrpc, "2.0");
      const meta = metaOf("params" in message ? message.params : undefined);
      assert.equal(meta[envelopeKeys.protocolVersion], latestStateless.id);
      assert.deepEqual(meta[envelopeKeys.clientCapabilities], { extensions });
      assert.deepEqual(meta[envelopeKeys.clientInfo], { name: "host", version: "1" });
      assert.ok(!(envelopeKeys.logLevel in meta));
    }
    await session.close();
  });

  it("leaves out who it is when told to [M-META-003]", async () => {
    const { server, session } = await openStatelessSession({ anonymous: true });
    await session.ping();
    assert.ok(server.received.every((message) => !JSON.stringify(message).includes("clientInfo")));
    await session.close();
  });

  it("merges what a caller puts into _meta, but lets it fake nothing [M-META-007] [M-META-012] [M-META-013]", async () => {
    const { server, session } = await openStatelessSession({}, { "tools/list": () => ({ tools: [] }) });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const _meta = { traceparent, "acme/key": 1, [envelopeKeys.protocolVersion]: "1999-01-01" };
    await session.request("tools/list", { _meta });
    const meta = metaOf(server.paramsOf("tools/list")[0]);
    assert.equal(meta.traceparent, traceparent);
    assert.equal(meta["acme/key"], 1);
    assert.equal(meta[envelopeKeys.protocolVersion], latestStateless.id);
    await session.close();
  });

  it("declares a handler that came later from then on, and nothing that cannot be sent [M-META-006]", async () => {
    const { client, server, session } = await openStatelessSession({ roots: [], tasks: false });
    await session.ping();
    client.serve({ elicitation: { form: () => ({ action: "cancel" }) } });
    await session.ping();
    const declared = server
      .paramsOf("server/discover")
      .map((params) => metaOf(params)[envelopeKeys.clientCapabilities]);
    assert.deepEqual(declared, [{ roots: {} }, { roots: {} }, { roots: {}, elicitation: { form: {} } }]);
    await session.close();
  });

  it("says the log level that was set with each request that follows, from the first one where it was an option", async () => {
    const { server, session } = await openStatelessSession({ logLevel: "error" });
    await session.ping();
    await assert.rejects(session.setLogLevel("loud" as never), { rpcCode: -32602, remote: false });
    await session.setLogLevel("debug");
    await session.ping();
    const levels = server.paramsOf("server/discover").map((params) => metaOf(params)[envelopeKeys.logLevel]);
    assert.deepEqual(levels, [undefined, "error", "debug"]);
    await session.close();
    const hearing = await openStatelessSession({ onLog: () => undefined });
    await hearing.session.ping();
    assert.equal(metaOf(hearing.server.paramsOf("server/discover")[1])[envelopeKeys.logLevel], "info");
    await hearing.session.close();
    const mute = new StatelessServer();
    const other = await defineClient({ name: "c", version: "1" }).connect(mute.channel);
    await assert.rejects(other.setLogLevel("debug"), { code: "MCP_MISSING_CAPABILITY" });
    await other.close();
    const old = new FakeServer({ capabilities: { logging: {} }, answers: { "logging/setLevel": () => ({}) } });
    const older = await defineClient({ name: "c", version: "1", logLevel: "error" }).connect(old.channel);
    assert.deepEqual(old.paramsOf("logging/setLevel")[0]?.level, "error");
    await older.close();
  });

  it("drops what a server asks, reports it, writes nothing back, and goes on [M-BASE-002] [M-BASE-001]", async () => {
    const roots = () => assert.fail("must not be asked");
    const { server, session, codes } = await openStatelessSession({ roots: { list: roots } });
    const before = server.received.length;
    server.send({ jsonrpc: "2.0", id: 7, method: "roots/list" });
    server.send({ jsonrpc: "2.0", id: 8, method: "ping", params: {} });
    server.send({ jsonrpc: "2.0", id: null, method: "ping" });
    server.send({ nonsense: true });
    await turn();
    assert.equal(server.received.length, before);
    assert.equal(codes().filter((code) => code === "MCP_D_UNEXPECTED_REQUEST").length, 2);
    await session.ping();
    await session.close();
  });

  it("sends none of the notifications that are no more, and ignores those it gets [M-BASE-016]", async () => {
    const { client, server, session } = await openStatelessSession({ roots: [] });
    client.setRoots([{ uri: "file:///new" }]);
    for (const method of [
      "notifications/elicitation/complete",
      "notifications/tasks/status",
      "notifications/initialized",
    ]) {
      server.notify(method, { elicitationId: "1", taskId: "1", status: "working", createdAt: "x" });
    }
    await turn();
    await assert.rejects(session.notify("notifications/roots/list_changed"), { code: "MCP_MISSING_CAPABILITY" });
    assert.deepEqual(server.methods, ["server/discover"]);
    await session.ping();
    await session.close();
  });

  it("takes who the server is from where it says so, and does without [M-META-010]", async () => {
    const { _meta, ...silent } = discovery();
    const draft = { name: "draft", version: "0" };
    const answers: readonly (readonly [JsonObject, string])[] = [
      [discovery(), "fake"],
      [{ ...silent, serverInfo: draft }, "draft"],
      [silent, "unknown"],
      [{ ...silent, _meta: { "io.modelcontextprotocol/serverInfo": { name: 5 } } }, "unknown"],
    ];
    for (const [answer, name] of answers) {
      const server = new StatelessServer({ answers: { "server/discover": () => answer } });
      const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
      assert.equal(session.server.info.name, name);
      await session.close();
    }
  });

  it("ignores capabilities and extensions that it does not know [M-EXT-003]", async () => {
    const odd = { tools: {}, "acme/x": { a: 1 }, extensions: { "acme/y": { on: true } } };
    const server = new StatelessServer({ capabilities: odd });
    const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
    assert.deepEqual(session.server.capabilities, odd);
    await session.close();
  });

  it("behaves the same whoever the server says it is [M-META-011]", async () => {
    const logs: string[][] = [];
    for (const name of ["one", "another"]) {
      const info = { "io.modelcontextprotocol/serverInfo": { name, version: "1" } };
      const answers = {
        "server/discover": () => ({ ...discovery(everyFeature), _meta: info }),
        "tools/call": () => ({ content: [] }),
      };
      const { server, session } = await openStatelessSession({}, answers);
      await session.callTool("t");
      logs.push(server.received.map((message) => JSON.stringify(message)));
      await session.close();
    }
    assert.deepEqual(logs[0], logs[1]);
  });
});

describe("a session of an older server", () => {
  it("is what it has always been", async () => {
    const server = new FakeServer({ answers: { ping: () => ({}) } });
    const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
    await session.ping();
    assert.equal(session.server.revision, latestHandshake.id);
    assert.deepEqual(server.paramsOf("ping"), [{}]);
    await session.close();
  });
});
