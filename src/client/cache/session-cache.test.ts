import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { discovery, StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";
import type { ConnectOptions } from "../sessions/connect.ts";
import { createMemoryCache } from "./memory-cache.ts";

const ttlMs = 60_000;
const capabilities = { tools: { listChanged: true }, resources: { subscribe: true } };

/** A server whose lists and resources stay fresh for a minute. */
function createServer(cacheScope = "private", answers = {}): StatelessServer {
  return new StatelessServer({
    capabilities,
    answers: {
      "server/discover": () => ({ ...discovery(capabilities), ttlMs, cacheScope }),
      "tools/list": ({ cursor }: JsonObject) => ({
        resultType: "complete",
        tools: [{ name: `${cursor ?? "first"}`, inputSchema: { type: "object" } }],
        ...(cursor === undefined && { nextCursor: "two" }),
        ttlMs,
        cacheScope,
      }),
      "resources/read": ({ uri }: JsonObject) => ({
        resultType: "complete",
        contents: [{ uri, text: "" }],
        ttlMs,
        cacheScope,
      }),
      ...answers,
    },
  });
}

async function open(server = createServer(), options: Partial<ClientOptions> = {}, connect: ConnectOptions = {}) {
  const clock = createFakeClock(1_000_000);
  const session = await defineClient({ name: "c", version: "1", clock, ...options }).connect(server.channel, connect);
  return { clock, server, session, count: (method: string) => server.paramsOf(method).length };
}

describe("a session with a cache", () => {
  it("uses lists and resources again for as long as they are fresh [M-CACHE-006] [M-CACHE-011]", async () => {
    const { clock, session, count } = await open();
    await session.listTools().all();
    await session.listTools().all();
    await session.readResource("a:b");
    await session.readResource("a:b");
    await session.readResource("a:c");
    assert.equal(count("tools/list"), 2);
    assert.equal(count("resources/read"), 2);
    await clock.advance(ttlMs);
    await session.readResource("a:b");
    assert.equal(count("resources/read"), 3);
    await session.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it("takes the discovery on the way for one, while ping really asks [M-DISC-005]", async () => {
    const { clock, session, count } = await open();
    const { capabilities: offered, instructions } = await session.request("server/discover");
    assert.deepEqual(offered, session.server.capabilities);
    assert.equal(instructions, "be kind");
    assert.equal(count("server/discover"), 1);
    await session.ping();
    assert.equal(count("server/discover"), 2);
    await clock.advance(ttlMs);
    await session.request("server/discover");
    assert.equal(count("server/discover"), 3);
    await session.close();
  });

  it("fetches what is to be reloaded, all pages of a list at once", async () => {
    const { session, count } = await open();
    await session.listTools().all();
    await session.listTools({ reload: true }).all();
    assert.equal(count("tools/list"), 4);
    await session.readResource("a:b");
    await session.readResource("a:b", { reload: true });
    assert.equal(count("resources/read"), 2);
    await session.close();
  });

  it("outdates what a notice is about before anybody fetches it again [M-CACHE-010]", async () => {
    const { server, session, count } = await open(createServer(), { autoRefresh: true });
    await turn();
    await session.listTools().all();
    assert.equal(count("tools/list"), 2);
    await session.readResource("a:b");
    const [subscription] = server.subscriptions;
    server.tell(subscription?.id ?? 0, "notifications/tools/list_changed");
    await turn();
    assert.equal(count("tools/list"), 4);
    await session.subscribe("a:b", () => undefined);
    server.tell(server.subscriptions.at(-1)?.id ?? 0, "notifications/resources/updated", { uri: "a:b" });
    await turn();
    await session.readResource("a:b");
    assert.equal(count("resources/read"), 2);
    await session.close();
  });

  it("starts a list over once when a cursor is no longer accepted [M-CACHE-014]", async () => {
    let refusals = 1;
    const server = createServer("private", {
      "prompts/list": ({ cursor }: JsonObject) => {
        if (cursor !== undefined && refusals > 0) {
          refusals -= 1;
          throw new RpcError(-32602, "unknown cursor");
        }
        return { prompts: [{ name: cursor ?? "a" }], ...(cursor === undefined && { nextCursor: "b" }) };
      },
      "server/discover": () => discovery({ prompts: {} }),
    });
    const { session, count } = await open(server);
    assert.deepEqual(await session.listPrompts().all(), [{ name: "a" }, { name: "b" }]);
    assert.equal(count("prompts/list"), 4);
    refusals = 2;
    await assert.rejects(session.listPrompts({ reload: true }).all(), { rpcCode: -32602 });
    server.answers.set("prompts/list", () => {
      throw new RpcError(-32602, "never");
    });
    const before = count("prompts/list");
    await assert.rejects(session.listPrompts({ reload: true }).all(), { rpcCode: -32602 });
    assert.equal(count("prompts/list"), before + 1);
    await session.close();
  });

  it("shares what is public with other sessions of the same server, and private results with nobody else [M-CACHE-013]", async () => {
    const url = "https://a.test/mcp";
    for (const [scope, expected] of [
      ["public", 0],
      ["private", 1],
    ] as const) {
      const clock = createFakeClock(1_000_000);
      const store = createMemoryCache({ now: clock.now });
      const first = createServer(scope);
      const client = defineClient({ name: "c", version: "1", clock, cache: { store } });
      const ann = await client.connect(first.channel, { server: url, authorization: "ann" });
      await ann.readResource("a:b");
      const second = createServer(scope);
      const bob = await client.connect(second.channel, { server: url, authorization: () => "bob" });
      await bob.readResource("a:b");
      assert.equal(second.paramsOf("resources/read").length, expected);
      const third = createServer(scope);
      const again = await client.connect(third.channel, { server: url, authorization: "ann" });
      await again.readResource("a:b");
      assert.equal(third.paramsOf("resources/read").length, 0);
      await Promise.all([ann.close(), bob.close(), again.close()]);
    }
  });

  it("fetches everything without one, and from servers whose results give no hints", async () => {
    const { session, count } = await open(createServer(), { cache: false });
    await session.readResource("a:b");
    await session.readResource("a:b");
    assert.equal(count("resources/read"), 2);
    await session.close();
    const answers = { "resources/read": () => ({ contents: [], ttlMs, cacheScope: "public" }) };
    const old = new FakeServer({ capabilities: { resources: {} }, answers });
    const older = await defineClient({ name: "c", version: "1" }).connect(old.channel);
    await older.readResource("a:b");
    await older.readResource("a:b");
    assert.equal(old.paramsOf("resources/read").length, 2);
    await older.close();
  });

  it("starts no request by itself when something becomes stale [M-CACHE-008]", async () => {
    const { clock, server, session } = await open();
    await session.listTools().all();
    const before = server.received.length;
    await clock.advance(10 * ttlMs);
    await turn();
    assert.equal(server.received.length, before);
    await session.close();
  });
});
