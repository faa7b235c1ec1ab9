import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeSession, fakeExchange } from "../../../test/fixtures/exchange.ts";
import { ProbedStore } from "../../../test/fixtures/probed-store.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity, send } from "../../../test/fixtures/server-calls.ts";
import { enveloped, statelessExchange } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { createChangeFeed, encodeChange } from "../../protocol/change-feed.ts";
import type { Store } from "../../store/contracts.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource } from "../features/resource.ts";
import { tool } from "../features/tool.ts";
import type { ServerOptions } from "../options.ts";
import type { Server } from "../server.ts";

const log = "changes";
const uri = "note://a";

function createNode(store: Store, more: Partial<ServerOptions> = {}): Server {
  return defineServer({
    ...identity,
    tools: { t: tool({}, () => "") },
    prompts: { p: prompt({}, () => "") },
    resources: { note: resource({ uri }, () => "a") },
    store,
    ...more,
  } as never);
}

/** A stream of changes, the names of what came on it, and its end. */
async function listen(app: Server): Promise<{ names(): string[]; close(): Promise<unknown> }> {
  const closing = new AbortController();
  const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
  const params = enveloped({ notifications: { ...notifications, resourceSubscriptions: [uri] } });
  const exchange = statelessExchange(params, { signal: closing.signal });
  const answer = app.dispatch({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params }, exchange);
  await turn();
  return {
    names: () => exchange.notified.slice(1).map(({ method }) => method),
    close: () => {
      closing.abort();
      return answer;
    },
  };
}

async function subscribe(app: Server): Promise<RawClient> {
  const client = await RawClient.connect(app);
  await client.request("resources/subscribe", { uri });
  client.received.length = 0;
  return client;
}

const namesOf = (client: RawClient): string[] =>
  client.received.flatMap((message) => ("method" in message ? [message.method] : []));

describe("two servers that share a store", () => {
  it("tell every session and stream of a change of a list on either of them, each once [TOOL-006] [RES-007] [PROMPT-008] [M-SUB-002] [PP-004]", async () => {
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(store)];
    const clients = [await subscribe(one), await subscribe(other)];
    const streams = [await listen(one), await listen(other)];
    const kinds = ["tools", "prompts", "resources"] as const;
    one.tools.set(
      "more",
      tool({}, () => ""),
    );
    one.tools.delete("more");
    one.prompts.delete("p");
    one.notifyListChanged("resources");
    await turn();
    await turn();
    const expected = kinds.map((kind) => `notifications/${kind}/list_changed`);
    for (const names of [...clients.map(namesOf), ...streams.map((stream) => stream.names())]) {
      assert.deepEqual(names, expected);
    }
    assert.deepEqual(store.appended, [log, log, log], "one entry for each list, however many there are to tell");
  });

  it("tell subscribers of an update on either of them, each once [RES-008] [RES-009] [M-SUB-002] [PP-004]", async () => {
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(store)];
    const clients = [await subscribe(one), await subscribe(other)];
    const streams = [await listen(one), await listen(other)];
    const unconcerned = await RawClient.connect(other);
    other.notifyResourceUpdated(uri);
    one.notifyResourceUpdated("note://part", { within: uri });
    other.notifyResourceUpdated("note://else");
    await turn();
    await turn();
    const updates = clients.map((client) => client.notifications("notifications/resources/updated"));
    for (const told of updates) {
      assert.deepEqual(told.map(({ params }) => params?.uri).sort(), [uri, "note://part"]);
    }
    for (const stream of streams) {
      assert.deepEqual(stream.names(), Array(2).fill("notifications/resources/updated"));
    }
    assert.deepEqual(unconcerned.received, []);
    assert.equal(store.appended.length, 3);
  });

  it("tell nobody before the handshake is complete, nor of what was not promised [LIFE-008] [TOOL-006]", async () => {
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(store, { toolsListChanged: false })];
    const early = new RawClient(other);
    await early.initialize();
    const late = await RawClient.connect(other);
    early.received.length = 0;
    one.notifyListChanged("tools");
    one.notifyListChanged("prompts");
    await turn();
    await turn();
    assert.deepEqual(namesOf(early), []);
    assert.deepEqual(namesOf(late), ["notifications/prompts/list_changed"]);
  });

  it("make anew what they have kept of a list that changed on another", async () => {
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(store)];
    let pages = 0;
    const page = (): { items: [] } => {
      pages += 1;
      return { items: [] };
    };
    const none = { page, find: () => undefined, keys: () => [], onChange: () => () => undefined, version: 1 };
    other.mount("", { sources: { prompts: none } });
    const client = await RawClient.connect(other);
    await client.request("prompts/list");
    await client.request("prompts/list");
    assert.equal(pages, 1);
    one.notifyListChanged("prompts");
    await turn();
    await turn();
    await client.request("prompts/list");
    assert.equal(pages, 2);
    assert.equal(
      store.appended.length,
      2,
      "what was heard is not made known once more: one for the mount, one for the change",
    );
  });

  it("follow changes only while somebody is to be told [M-SUB-011]", async () => {
    const store = new ProbedStore();
    const app = createNode(store);
    assert.equal(store.listening.size, 0);
    const stream = await listen(app);
    const client = await RawClient.connect(app);
    assert.equal(store.listening.get(log)?.size, 1);
    await stream.close();
    assert.equal(store.listening.get(log)?.size, 1);
    await client.close();
    await client.handle.closed;
    assert.equal(store.listening.has(log), false);
  });

  it("leave sessions to an edge that hears of changes itself", async () => {
    const store = new ProbedStore();
    const app = createNode(store);
    const session = new FakeSession("s", { subscriptions: [uri] });
    session.hearsChanges = true;
    await send(app, "ping", undefined, fakeExchange({ session }));
    await send(app, "resources/subscribe", { uri: "note://a" }, fakeExchange({ session }));
    app.notifyResourceUpdated(uri);
    app.notifyListChanged("tools");
    await turn();
    assert.deepEqual(session.notified, []);
    assert.deepEqual([...app.subscribedUris], [uri]);
    assert.equal(store.listening.size, 0);
    assert.deepEqual(store.appended, [log, log]);
    session.end();
    assert.deepEqual([...app.subscribedUris], []);
  });

  it("keep nothing of changes that come before anybody is served, while the store is still to be chosen", async () => {
    const app = createNode(undefined as never);
    app.notifyListChanged("tools");
    app.notifyResourceUpdated(uri);
    await turn();
    const store = new ProbedStore();
    app.useStore(store);
    assert.deepEqual(store.appended, []);
    app.notifyResourceUpdated(uri);
    assert.deepEqual(store.appended, [log]);
  });
});

describe("a server whose store is out of reach", () => {
  it("tells its own clients all the same, and reports what others do not hear [RES-009] [PP-004]", async () => {
    const [store, diagnostics] = [new ProbedStore(), [] as Diagnostic[]];
    const app = createNode(store, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
    const [client, stream] = [await subscribe(app), await listen(app)];
    store.isDown = true;
    app.notifyResourceUpdated(uri);
    app.notifyListChanged("tools");
    await turn();
    const expected = ["notifications/resources/updated", "notifications/tools/list_changed"];
    assert.deepEqual(namesOf(client), expected);
    assert.deepEqual(stream.names(), expected);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_STORE_FAILED", "MCP_D_STORE_FAILED"],
    );
  });

  it("serves, tries again, and then says that whatever is watched may have changed", async () => {
    const [store, clock, diagnostics] = [new ProbedStore(), createFakeClock(), [] as Diagnostic[]];
    const onDiagnostic = (diagnostic: Diagnostic): unknown => diagnostics.push(diagnostic);
    const app = createNode(store, { onDiagnostic, clock });
    store.isDown = true;
    const client = await subscribe(app);
    await clock.advance(10_000);
    assert.ok(diagnostics.length > 1 && diagnostics.every(({ code }) => code === "MCP_D_STORE_FAILED"));
    store.isDown = false;
    await clock.advance(30_000);
    await turn();
    assert.deepEqual(namesOf(client).sort(), [
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
      "notifications/resources/updated",
      "notifications/tools/list_changed",
    ]);
    await client.close();
    await client.handle.closed;
    assert.equal(clock.pendingTimers, 0);
    assert.equal(store.listening.size, 0);
  });

  it("gives up trying with the last who would be told", async () => {
    const [store, clock] = [new ProbedStore(), createFakeClock()];
    const app = createNode(store, { clock });
    store.isDown = true;
    const stream = await listen(app);
    assert.equal(clock.pendingTimers, 1);
    await stream.close();
    assert.equal(clock.pendingTimers, 0);
  });
});

describe("changes that were missed", () => {
  it("are made up for by telling of everything that is watched", async () => {
    const store = new ProbedStore();
    const app = createNode(store);
    const client = await subscribe(app);
    const listeners = [...(store.listening.get(log) ?? [])];
    const feed = createChangeFeed(store);
    // More than is kept, written while this node was cut off from the bus.
    const others = Array.from({ length: 10_001 }, () =>
      store.append(log, encodeChange({ uri: "x" }, "elsewhere"), { maxEntries: 10_000 }),
    );
    await Promise.all(others);
    await feed.append(encodeChange({ uri: "x" }, "elsewhere"));
    for (const listener of listeners) {
      listener.missed();
    }
    await turn();
    await turn();
    assert.deepEqual(namesOf(client).sort(), [
      "notifications/prompts/list_changed",
      "notifications/resources/list_changed",
      "notifications/resources/updated",
      "notifications/tools/list_changed",
    ]);
  });

  it("are not made up by entries that another version wrote", async () => {
    const store = new ProbedStore();
    const client = await subscribe(createNode(store));
    const feed = createChangeFeed(store);
    for (const text of [
      "",
      "x",
      "x {}",
      'x {"list":"roots"}',
      'x {"uri":5}',
      "x [1]",
      'x {"list":{"a":[[[[[1]]]]]}}',
    ]) {
      await feed.append(text);
    }
    await feed.append(encodeChange({ list: "tools" }, "elsewhere"));
    await turn();
    assert.deepEqual(namesOf(client), ["notifications/tools/list_changed"]);
  });
});
