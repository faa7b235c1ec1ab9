import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { openChangingSession } from "../../../test/fixtures/fake-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { defineClient } from "../client.ts";
import type { ListChange } from "../lists/list-watch.ts";

const toolsChanged = "notifications/tools/list_changed";
const updated = "notifications/resources/updated";

describe("a session that hears of changes", () => {
  it("asks for nothing by itself", async () => {
    const { server, session } = await openChangingSession();
    await session.listTools().all();
    await turn();
    assert.deepEqual(server.methods, ["server/discover", "tools/list"]);
    await session.close();
  });

  it("listens to all lists that it keeps fresh on one stream, and fetches what changed [M-SUB-001] [M-CACHE-010]", async () => {
    const changes: ListChange[] = [];
    const { server, session, subscription } = await openChangingSession({
      onListChanged: (change) => changes.push(change),
    });
    await turn();
    assert.deepEqual(
      server.subscriptions.map(({ filter }) => filter),
      [{ toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }],
    );
    server.answers.set("tools/list", () => ({ tools: [{ name: "new", inputSchema: { type: "object" } }] }));
    server.tell(subscription(0).id, toolsChanged);
    await turn();
    assert.deepEqual(
      changes.map(({ list, added }) => [list, added.length]),
      [["tools", 1]],
    );
    await session.close();
  });

  it("watches resources on the same stream, and stops when nobody does [M-STDIO-001] [M-SUB-001]", async () => {
    const { server, session, subscription } = await openChangingSession({ autoRefresh: true });
    await turn();
    const heard: string[] = [];
    const watching = await session.subscribe("a:b", ({ uri }) => heard.push(`b ${uri}`));
    const other = await session.subscribe("a:c", ({ uri }) => heard.push(`c ${uri}`));
    const id = subscription(2).id;
    assert.deepEqual(subscription(2).filter.resourceSubscriptions, ["a:b", "a:c"]);
    server.tell(id, updated, { uri: "a:b" });
    server.tell(id, updated, { uri: "a:c" });
    server.tell(99, updated, { uri: "a:b" });
    await turn();
    assert.deepEqual(heard, ["b a:b", "c a:c"]);
    await watching.unsubscribe();
    await other.unsubscribe();
    await turn();
    assert.equal(server.subscriptions.at(-1)?.filter.resourceSubscriptions, undefined);
    assert.equal(server.methods.includes("resources/subscribe"), false);
    await session.close();
  });

  it("hears of lists for listeners of the host, as long as there are any", async () => {
    const { server, session, subscription } = await openChangingSession();
    let count = 0;
    const stop = session.onNotification(toolsChanged, () => {
      count += 1;
    });
    await turn();
    server.tell(subscription(0).id, toolsChanged);
    await turn();
    assert.equal(count, 1);
    await stop();
    stop();
    await turn();
    assert.equal(server.methods.at(-1), "notifications/cancelled");
    assert.equal(server.paramsOf("notifications/cancelled")[0]?.requestId, subscription(0).id);
    await session.close();
  });

  it("reports what the server does not agree to, and refuses to watch what it does not tell of [M-SUB-006]", async () => {
    const { server, session, diagnostics, codes } = await openChangingSession({ autoRefresh: true });
    server.honour = ({ toolsListChanged }) => (toolsListChanged ? { toolsListChanged } : {});
    await turn();
    const partial = diagnostics.find(({ code }) => code === "MCP_D_LISTEN_PARTIAL");
    assert.deepEqual(partial?.detail, undefined);
    await assert.rejects(
      session.subscribe("a:b", () => undefined),
      { code: "MCP_MISSING_CAPABILITY", capability: "resources.subscribe" },
    );
    assert.ok(codes().includes("MCP_D_LISTEN_PARTIAL"));
    await turn();
    assert.equal(server.subscriptions.at(-1)?.filter.resourceSubscriptions, undefined);
    await session.close();
  });

  it("fetches once what it watches after a gap, and tells the host [M-SUB-014] [PP-046]", async () => {
    let missed = 0;
    const { clock, server, session, subscription, codes } = await openChangingSession({
      autoRefresh: true,
      relisten: { initialDelayMs: 10, maxDelayMs: 50 },
      onChangesMissed: () => {
        missed += 1;
      },
    });
    await turn();
    const heard: string[] = [];
    await session.subscribe("a:b", ({ uri }) => heard.push(uri));
    const lists = server.paramsOf("tools/list").length;
    subscription(1).end();
    await clock.advance(50);
    await turn();
    await clock.advance(0);
    assert.deepEqual(heard, ["a:b"]);
    assert.equal(missed, 1);
    assert.equal(server.paramsOf("tools/list").length, lists + 1);
    assert.ok(codes().includes("MCP_D_LISTEN_ENDED"));
    await session.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it("keeps the stream however long nothing happens [M-SUB-015]", async () => {
    const { clock, server, session } = await openChangingSession({
      autoRefresh: true,
      idleTimeoutMs: 1_000,
      totalTimeoutMs: 2_000,
    });
    await turn();
    await clock.advance(5_000_000);
    assert.equal(server.subscriptions.length, 1);
    assert.equal(server.methods.includes("notifications/cancelled"), false);
    await session.close();
  });

  it("reports a server without subscriptions once, and works without", async () => {
    const { clock, session, codes } = await openChangingSession(
      { autoRefresh: true },
      {
        "subscriptions/listen": () => {
          throw Object.assign(new Error("no"), { rpcCode: -32601 });
        },
      },
    );
    await clock.advance(100_000);
    await turn();
    assert.equal(codes().filter((code) => code === "MCP_D_LISTEN_LOST").length, 1);
    assert.deepEqual(await session.listTools().all(), []);
    await session.close();
  });
});

describe("listen", () => {
  it("runs beside other subscriptions, each of which hears only its own [M-SUB-008] [M-STDIO-001]", async () => {
    const { server, session, subscription, codes } = await openChangingSession();
    const heard: string[][] = [[], []];
    const filter = { toolsListChanged: true };
    const one = await session.listen(filter, { onChange: ({ method }) => heard[0]?.push(method) });
    const other = await session.listen(
      { ...filter, promptsListChanged: true },
      { onChange: ({ method }) => heard[1]?.push(method) },
    );
    server.tell(subscription(0).id, toolsChanged);
    server.tell(subscription(1).id, toolsChanged);
    server.tell(subscription(1).id, "notifications/prompts/list_changed");
    server.tell("unknown", toolsChanged);
    await turn();
    assert.deepEqual(heard, [[toolsChanged], [toolsChanged, "notifications/prompts/list_changed"]]);
    assert.ok(codes().includes("MCP_D_SUBSCRIPTION_UNKNOWN"));
    assert.deepEqual(one.honoured, filter);
    await one.close();
    await other[Symbol.asyncDispose]();
    await turn();
    assert.equal(server.paramsOf("notifications/cancelled").length, 2);
    await session.close();
  });

  it("says what a server agrees to of it, and throws what it refuses [M-SUB-006]", async () => {
    const { server, session } = await openChangingSession();
    server.honour = () => ({});
    const none = await session.listen({ toolsListChanged: true }, { onChange: () => undefined });
    assert.deepEqual(none.honoured, {});
    server.answers.set("subscriptions/listen", () => {
      throw Object.assign(new Error("no"), { rpcCode: -32602 });
    });
    await assert.rejects(session.listen({ toolsListChanged: true }, { onChange: () => undefined }), {
      rpcCode: -32602,
    });
    await session.close();
  });

  it("outdates what was kept, also without anybody else listening [M-CACHE-010]", async () => {
    const { server, session, subscription } = await openChangingSession();
    await session.listen({ toolsListChanged: true }, { onChange: () => undefined });
    await session.listTools().all();
    await session.listTools().all();
    assert.equal(server.paramsOf("tools/list").length, 1);
    server.tell(subscription(0).id, toolsChanged);
    await turn();
    await session.listTools().all();
    assert.equal(server.paramsOf("tools/list").length, 2);
    await session.close();
  });

  it("is the same for an older server, which announces lists unasked", async () => {
    const server = new FakeServer({
      capabilities: { tools: { listChanged: true }, prompts: {}, resources: { subscribe: true } },
      answers: { "resources/subscribe": () => ({}), "resources/unsubscribe": () => ({}) },
    });
    const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
    const heard: string[] = [];
    const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["a:b"] };
    const listening = await session.listen(filter, { onChange: ({ method }) => heard.push(method) });
    assert.deepEqual(listening.honoured, { toolsListChanged: true, resourceSubscriptions: ["a:b"] });
    server.notify(toolsChanged);
    server.notify(updated, { uri: "a:b" });
    await turn();
    assert.deepEqual(heard, [toolsChanged, updated]);
    await listening.close();
    server.notify(toolsChanged);
    await turn();
    assert.equal(heard.length, 2);
    assert.equal(server.methods.at(-1), "resources/unsubscribe");
    await session.close();
  });
});
