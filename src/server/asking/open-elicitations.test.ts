import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller, FakeSession, fakeExchange } from "../../../test/fixtures/exchange.ts";
import { ProbedStore } from "../../../test/fixtures/probed-store.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { call, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import type { Store } from "../../store/contracts.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { ServerOptions } from "../options.ts";
import type { Server } from "../server.ts";

const completed = "notifications/elicitation/complete";
const topic = "elicitations";
const url = { capabilities: { elicitation: { url: {} } } };
const accept = { ...url, answers: { "elicitation/create": () => ({ action: "accept" }) } };

function createNode(store: Store, more: Partial<ServerOptions> = {}): Server {
  const open = tool(
    { input: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } },
    async ({ id }, ctx) => {
      const { action } = await ctx.elicitUrl({ message: "m", url: "https://example.com", elicitationId: String(id) });
      return action;
    },
  );
  return defineServer({ ...identity, tools: { open }, store, ...more } as never);
}

const openPage = async (app: Server, session: FakeSession, id: string): Promise<unknown> => {
  const request = async (): Promise<{ action: string }> => ({ action: "accept" });
  return resultOf(await call(app, "open", { id }, fakeExchange({ session, request }))).content[0]?.text;
};

describe("the completion of an elicitation by URL", () => {
  it("reaches the client of another node than the one the page calls back, once [ELIC-025] [ELIC-030] [PP-004]", async () => {
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(store)];
    const owner = await RawClient.connect(one, accept);
    const bystanders = [await RawClient.connect(one, accept), await RawClient.connect(other, accept)];
    await owner.call("open", { id: "page" });
    assert.equal(await other.completeElicitation("page"), true);
    await turn();
    assert.deepEqual(
      owner.notifications(completed).map(({ params }) => params),
      [{ elicitationId: "page" }],
    );
    assert.deepEqual(
      bystanders.map((client) => client.notifications(completed).length),
      [0, 0],
    );
    assert.equal(await other.completeElicitation("page"), false);
    assert.equal(await one.completeElicitation("page"), false);
  });

  it("is told by one of the nodes that have the session, also where the one that asked has gone [ELIC-025] [PP-004]", async () => {
    const store = new ProbedStore();
    const [asking, one, other, far] = [0, 1, 2, 3].map(() => createNode(store)) as [Server, Server, Server, Server];
    const sessions = [0, 1, 2].map(() => Object.assign(new FakeSession("s", url), { hearsChanges: true }));
    const [asked, here, there] = sessions as [FakeSession, FakeSession, FakeSession];
    assert.equal(await openPage(asking, asked, "page"), "accept");
    await send(one, "ping", undefined, fakeExchange({ session: here }));
    await send(other, "ping", undefined, fakeExchange({ session: there }));
    asked.end();
    assert.equal(await far.completeElicitation("page"), true);
    await turn();
    assert.deepEqual([asked, here, there].map(({ notified }) => notified.length).sort(), [0, 0, 1]);
  });

  it("is nothing to be told once the session has ended, and keeps nothing", async () => {
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(store)];
    const client = await RawClient.connect(one, accept);
    await client.call("open", { id: "page" });
    await client.close();
    await client.handle.closed;
    await turn();
    assert.equal(await other.completeElicitation("page"), false);
    const session = Object.assign(new FakeSession("s", url), { hearsChanges: true });
    await openPage(one, session, "page");
    session.end(new SessionExpiredError("ended"));
    await turn();
    assert.equal(await other.completeElicitation("page"), false);
    assert.deepEqual(await store.allKeys(), []);
    assert.equal(store.listening.has(topic), false);
  });

  it("belongs to who was asked, on every node [ELIC-018] [ELIC-030]", async () => {
    const faults: unknown[] = [];
    const store = new ProbedStore();
    const [one, other] = [createNode(store), createNode(store, { onError: (error) => faults.push(error) })];
    const adas = new FakeSession("s", url, caller("ada"));
    const bobs = new FakeSession("s", url, caller("bob"));
    await openPage(one, adas, "page");
    await openPage(one, adas, "page");
    assert.match(String(await openPage(other, bobs, "page")), /belongs to another session/);
    await other.completeElicitation("page");
    await turn();
    assert.deepEqual([adas.notified.length, bobs.notified.length], [1, 0]);
  });

  it("is awaited for a day, and of a session that opens too many only for the newest", async () => {
    const clock = createFakeClock();
    const store = new ProbedStore({ clock });
    const app = createNode(store, { clock });
    const session = new FakeSession("s", url);
    for (let index = 0; index < 1_001; index += 1) {
      await openPage(app, session, `page ${index}`);
    }
    assert.equal((await store.allKeys()).length, 1_000);
    assert.equal(await app.completeElicitation("page 0"), false);
    assert.equal(await app.completeElicitation("page 1000"), true);
    await clock.advance(86_400_000);
    assert.equal(await app.completeElicitation("page 999"), false);
  });

  it("may have been missed while the store was away, which is reported; a page is not asked for without the store", async () => {
    const diagnostics: Diagnostic[] = [];
    const store = new ProbedStore();
    const app = createNode(store, {
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      onError: () => undefined,
    });
    const client = await RawClient.connect(app, accept);
    for (const listener of store.listening.get(topic) ?? []) {
      listener.missed();
      listener.message("nonsense");
      listener.message('{"id":5,"owner":"x"}');
    }
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_ELICITATION_COMPLETE"],
    );
    store.isDown = true;
    const { result } = await client.call("open", { id: "page" });
    assert.equal(result?.isError, true);
    assert.deepEqual(client.requests(), []);
    await assert.rejects(app.completeElicitation("page"), { code: "MCP_STORE" });
  });

  it("can be heard of later where the store was out of reach when the session came [ELIC-025]", async () => {
    const diagnostics: Diagnostic[] = [];
    const store = new ProbedStore();
    const [one, other] = [
      createNode(store, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) }),
      createNode(store),
    ];
    store.isDown = true;
    const session = new FakeSession("s", url);
    await send(one, "ping", undefined, fakeExchange({ session }));
    await turn();
    assert.ok(diagnostics.some(({ code }) => code === "MCP_D_STORE_FAILED"));
    store.isDown = false;
    await openPage(one, session, "page");
    await other.completeElicitation("page");
    await turn();
    assert.equal(session.notified.length, 1);
  });
});
