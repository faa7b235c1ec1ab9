import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { enveloped } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { JsonRpcMessage } from "../../jsonrpc/message.ts";
import { createStdioServerChannel } from "../../stdio/server.node.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { Middleware } from "../middleware.ts";
import type { ServerOptions } from "../options.ts";
import type { Server } from "../server.ts";

const revision = "2025-03-26";
const clientInfo = { name: "eager", version: "1.0.0" };
const initialize = { method: "initialize", params: { protocolVersion: revision, capabilities: {}, clientInfo } };
const initialized = { method: "notifications/initialized" };

function create(more: Partial<ServerOptions> = {}) {
  return defineServer({
    ...identity,
    ...more,
    tools: {
      where: tool({}, (_args, ctx) => {
        ctx.log.info("called");
        return ctx.revision;
      }),
    },
  } as never) as Server;
}

const call = (id: number) => ({ id, method: "tools/call", params: { name: "where" } });
const known = (message: JsonRpcMessage): unknown => ("method" in message ? message.method : message.id);

/** A layer that lets `initialize` wait, and says when it has come that far. */
function holdHandshake() {
  const [entered, release] = [createDeferred(), createDeferred()];
  const layer: Middleware<never> = (next) => async (message, ctx) => {
    if (message.method === "initialize") {
      entered.resolve();
      await release.promise;
    }
    return next(message, ctx);
  };
  return { layer, entered: entered.promise, release: release.resolve };
}

describe("HandshakeOrder", () => {
  it("answers initialize before whatever came with it in one chunk over stdio, which runs under its revision [LIFE-001] [LIFE-013]", async () => {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const handle = create().serve(createStdioServerChannel({ stdin, stdout, stderr }));
    const messages = [{ id: 0, ...initialize }, initialized, call(1), { id: 2, method: "ping" }];
    stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join(""));
    await turn();
    await turn();
    const lines = String(stdout.read()).trim().split("\n");
    const received = lines.map((line): JsonRpcMessage => JSON.parse(line));
    assert.equal(received.length, 4, lines.join("\n"));
    assert.equal(known(received[0] as JsonRpcMessage), 0);
    assert.equal(received.map(known).indexOf("notifications/message") < received.map(known).indexOf(1), true);
    assert.match(JSON.stringify(received.find((message) => known(message) === 1)), new RegExp(revision));
    await handle.close();
  });

  it("lets everything wait in its order, but for answers, while the handshake takes its time", async () => {
    const { layer, entered, release } = holdHandshake();
    const answers: string[] = [];
    const onDiagnostic = ({ code }: Diagnostic): unknown => answers.push(code);
    const client = new RawClient(create({ middleware: [layer], onDiagnostic }));
    client.send({ jsonrpc: "2.0", id: "a", ...initialize });
    await entered;
    client.send({ jsonrpc: "2.0", ...initialized });
    client.send({ jsonrpc: "2.0", ...call(1) });
    client.send({ jsonrpc: "2.0", id: 2, method: "tools/list", params: enveloped() });
    client.send({ jsonrpc: "2.0", id: 99, result: {} });
    await turn();
    assert.deepEqual(client.received, []);
    assert.deepEqual(answers, ["MCP_D_UNKNOWN_RESPONSE"]);
    release();
    await turn();
    assert.deepEqual(client.received.map(known), ["a", "notifications/message", 1, 2]);
  });

  it("goes on after a handshake that was refused", async () => {
    const client = new RawClient(create());
    client.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: {} });
    client.send({ jsonrpc: "2.0", id: 2, ...initialize });
    client.send({ jsonrpc: "2.0", ...call(3) });
    await turn();
    assert.deepEqual(client.received.map(known), [1, 2, "notifications/message", 3]);
    assert.equal("error" in (client.received[0] as JsonRpcMessage), true);
  });

  it("does not wait for a handshake that is no request", async () => {
    const client = new RawClient(create());
    client.send({ jsonrpc: "2.0", method: "initialize" });
    client.send({ jsonrpc: "2.0", id: {}, method: "initialize" });
    assert.deepEqual((await client.request("ping")).result, {});
  });

  it("lets no more wait than may be worked on at once, and says so", async () => {
    const diagnostics: Diagnostic[] = [];
    const { layer, entered, release } = holdHandshake();
    const app = create({ middleware: [layer], onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
    const client = new RawClient(app, { serve: { maxConcurrentRequests: 2 } });
    client.send({ jsonrpc: "2.0", id: 0, ...initialize });
    await entered;
    client.send({ jsonrpc: "2.0", ...initialized });
    client.send({ jsonrpc: "2.0", ...call(1) });
    const refused = await client.request("ping");
    assert.match(String(refused.error?.message), /2 messages wait/);
    client.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    await turn();
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_HANDSHAKE_FLOOD"],
    );
    release();
    await turn();
    assert.equal(
      client.received.some((message) => known(message) === 1),
      true,
    );
  });
});

describe("revisions of a pipe", () => {
  const stateless = "2026-07-28";

  it("are those that discovery, refusals and the handshake name, where they are narrowed [M-VER-001] [M-VER-003]", async () => {
    const revisions = [stateless, "2025-06-18"];
    const client = new RawClient(create(), { serve: { revisions } });
    const discovered = await client.request("server/discover", enveloped());
    assert.deepEqual(discovered.result?.supportedVersions, revisions);
    const other = enveloped({}, { envelope: { protocolVersion: "2025-11-25" } });
    const refused = await client.request("tools/list", other);
    assert.deepEqual(
      [refused.error?.code, refused.error?.data],
      [-32022, { supported: revisions, requested: "2025-11-25" }],
    );
    assert.equal((await client.initialize()).result?.protocolVersion, "2025-06-18");
  });

  it("may leave out those that begin with a handshake, which is then refused with those there are [M-VER-008]", async () => {
    const client = new RawClient(create(), { serve: { revisions: [stateless] } });
    const { error } = await client.initialize();
    assert.deepEqual(error?.data, { supported: [stateless], requested: "2025-11-25" });
    assert.match(String(error?.message), new RegExp(stateless));
    assert.equal((await client.request("ping")).error?.code, -32602);
    assert.ok((await client.request("tools/list", enveloped())).result?.tools);
  });

  it("may leave out those without one, whose requests are then refused by choice [M-VER-001]", async () => {
    const client = await RawClient.connect(create(), { serve: { revisions: ["2025-11-25"] } });
    const refused = await client.request("tools/list", enveloped());
    assert.deepEqual(refused.error?.data, { supported: ["2025-11-25"], requested: stateless });
    assert.equal(refused.error?.code, -32022);
    assert.equal((await client.request("server/discover")).error?.code, -32601);
    assert.ok((await client.request("tools/list")).result?.tools);
  });

  it("refuse what is no revision, at once", () => {
    assert.throws(
      () => new RawClient(create(), { serve: { revisions: ["2025-6-18"] } }),
      /revisions: expected some of/,
    );
  });

  it("take an array of messages where the session's revision has batches, and only there [O0326-001] [O0326-005] [O0326-008] [O0326-009] [O0618-001]", async () => {
    const batch = [
      { jsonrpc: "2.0", id: 7, method: "ping" },
      { jsonrpc: "2.0", ...initialized },
      1,
      { jsonrpc: "2.0", id: 8, method: "ping" },
    ];
    const answered: unknown[] = [];
    for (const protocolVersion of ["2025-03-26", "2025-06-18"]) {
      const client = await RawClient.connect(create(), { protocolVersion });
      client.send(batch);
      await turn();
      answered.push(client.received.map((message) => ("error" in message ? message.error.code : known(message))));
    }
    assert.deepEqual(
      answered.map((each) => (each as unknown[]).sort()),
      [[-32600, 7, 8], [-32600]],
    );
    const early = new RawClient(create());
    early.send([{ jsonrpc: "2.0", id: 1, ...initialize }]);
    await turn();
    assert.equal("error" in (early.received[0] as JsonRpcMessage), true);
  });
});
