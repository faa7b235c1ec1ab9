import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { never, RawClient } from "../../test/fixtures/raw-client.ts";
import { identity } from "../../test/fixtures/server-calls.ts";
import { turn } from "../../test/fixtures/turn.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { ClosedError, UsageError } from "../base/error.ts";
import { defineServer } from "./define.ts";
import { tool } from "./features/tool.ts";

const echo = tool({}, () => "echo");

describe("Server", () => {
  it("says what is wrong with its own description at once [LIFE-003] [ICON-001]", () => {
    const bad = [{ name: 5 }, { version: undefined }, { icons: [{ src: 1 }] }, { pageSize: 0 }, { websiteUrl: 1 }];
    for (const options of bad) {
      assert.throws(() => defineServer({ ...identity, ...options } as never), UsageError, JSON.stringify(options));
    }
  });

  it("serves many sessions at once and keeps them apart [LIFE-028]", async () => {
    const app = defineServer({
      ...identity,
      tools: { who: tool({}, (_args, { session }) => session?.id ?? "") },
    });
    const clients = await Promise.all(Array.from({ length: 20 }, () => RawClient.connect(app)));
    const ids = await Promise.all(clients.map(async (client) => (await client.call("who")).result?.content));
    assert.equal(new Set(ids.map((content) => JSON.stringify(content))).size, 20);
    assert.equal(app.sessions.size, 20);
  });

  it("tells what a session says of itself, and reaches it outside of requests", async () => {
    const app = defineServer({ ...identity, tools: { echo } });
    const client = await RawClient.connect(app, {
      capabilities: { roots: {} },
      answers: { "roots/list": () => ({ roots: [] }), ping: () => ({}) },
    });
    const [session] = app.sessions;
    assert.ok(session);
    assert.deepEqual(session.clientInfo, { name: "raw", version: "1.0.0" });
    assert.deepEqual(session.capabilities, { roots: {} });
    assert.deepEqual(await session.request("roots/list"), { roots: [] });
    await session.ping();
    await session.notify("notifications/x", { a: 1 });
    session.log.error("disk");
    await turn();
    assert.equal(client.notifications("notifications/message").length, 1);
    await assert.rejects(session.request("sampling/createMessage", {}), { code: "MCP_MISSING_CAPABILITY" });
  });

  it("ends a session on close: work is aborted, questions fail, nothing is left [LIFE-021] [PP-014]", async () => {
    const reasons: unknown[] = [];
    const app = defineServer({
      ...identity,
      tools: {
        ask: tool({}, async (_args, ctx) => {
          await ctx.roots().catch((error) => reasons.push(error));
          reasons.push(ctx.signal.reason);
          return "";
        }),
      },
    });
    const client = await RawClient.connect(app, { capabilities: { roots: {} }, answers: { "roots/list": never } });
    void client.call("ask");
    await turn();
    await client.handle.close();
    await turn();
    assert.equal(reasons.length, 2);
    assert.ok(reasons.every((reason) => reason instanceof ClosedError));
    assert.equal(await client.handle.closed, undefined);
    assert.deepEqual(client.handle.openRequests, { inbound: 0, outbound: 0 });
    assert.equal(client.handle.session.signal.aborted, true);
    assert.equal(app.sessions.size, 0);
  });

  it("ends every channel on close of the whole", async () => {
    const app = defineServer(identity);
    const clients = [await RawClient.connect(app), await RawClient.connect(app)];
    await app.close();
    assert.equal(app.sessions.size, 0);
    await Promise.all(clients.map((client) => client.handle.closed));
  });

  it("reports a channel that cannot be opened, and ends it", async () => {
    const said: Diagnostic[] = [];
    const app = defineServer({ ...identity, onDiagnostic: (diagnostic) => said.push(diagnostic) });
    const handle = app.serve({
      open: () => Promise.reject(new Error("no such device")),
      send: () => undefined,
      close: async () => {},
    });
    await handle.closed;
    assert.equal(said[0]?.code, "MCP_D_CHANNEL");
  });

  it("has whoever runs it told of faults while the author names no place", async () => {
    const told: Diagnostic[] = [];
    const fault = new Error("no tenant");
    const options = {
      ...identity,
      context: () => {
        throw fault;
      },
      tools: { echo },
    };
    const app = defineServer(options);
    const stop = app.reportTo((diagnostic) => told.push(diagnostic));
    const client = await RawClient.connect(app);
    assert.deepEqual((await client.call("echo")).error, { code: -32603, message: "internal error" });
    assert.deepEqual(
      told.map(({ code, detail }) => [code, detail]),
      [["MCP_D_HANDLER_FAULT", fault]],
    );
    stop();
    await client.call("echo");
    assert.equal(told.length, 1);
    const heard: Diagnostic[] = [];
    const own = defineServer({ ...options, onDiagnostic: (diagnostic) => heard.push(diagnostic) });
    own.reportTo(() => assert.fail("the author has a hook"));
    await (await RawClient.connect(own)).call("echo");
    assert.deepEqual(
      heard.map(({ detail }) => detail),
      [fault],
    );
  });

  it("leaves no entry behind for ten thousand calls [PP-014]", async () => {
    const app = defineServer({ ...identity, tools: { echo } });
    const client = await RawClient.connect(app);
    for (let round = 0; round < 100; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => client.call("echo")));
    }
    assert.deepEqual(client.handle.openRequests, { inbound: 0, outbound: 0 });
  });

  it("answers once, whenever a cancellation comes [CANCEL-008] [CANCEL-006]", async () => {
    const app = defineServer({ ...identity, tools: { later: tool({}, async () => "done") } });
    const client = await RawClient.connect(app);
    for (let round = 0; round < 200; round += 1) {
      const id = `r${round}`;
      void client.request("tools/call", { name: "later" }, id);
      for (let tick = 0; tick < round % 12; tick += 1) {
        await Promise.resolve();
      }
      client.notify("notifications/cancelled", { requestId: id });
      client.notify("notifications/cancelled", { requestId: id });
      await turn();
      const answers = client.received.filter((message) => "id" in message && message.id === id);
      assert.ok(answers.length <= 1, `${answers.length} answers after ${round % 12} ticks`);
    }
    assert.deepEqual((await client.request("ping")).result, {});
  });
});
