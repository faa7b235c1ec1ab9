import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller, FakeSession, fakeExchange } from "../../../test/fixtures/exchange.ts";
import { type ClientAnswer, never, RawClient } from "../../../test/fixtures/raw-client.ts";
import { call, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { findHandshake, handshakeRevisions } from "../../revision/registry.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { ServerSession } from "./session.ts";

async function open(answers: {
  [method: string]: ClientAnswer;
}): Promise<{ client: RawClient; session: ServerSession }> {
  const client = await RawClient.connect(defineServer(identity), { answers });
  return { client, session: client.handle.session };
}

describe("ServerSession", () => {
  it("gives every request a progress token of its own, and takes progress to the right one [PROG-002]", async () => {
    const { client, session } = await open({ "x/work": never });
    const heard = new Map<number, number>();
    for (let index = 0; index < 100; index += 1) {
      const options = { onProgress: ({ progress }: { progress: number }) => heard.set(index, progress) };
      session.request("x/work", { index }, options).catch(() => undefined);
    }
    await turn();
    const asked = client
      .requests("x/work")
      .map(({ params }) => params as { index: number; _meta: { progressToken: number } });
    assert.equal(new Set(asked.map(({ _meta }) => _meta.progressToken)).size, 100);
    for (const { index, _meta } of asked) {
      client.notify("notifications/progress", { progressToken: _meta.progressToken, progress: index });
    }
    await turn();
    assert.equal(heard.size, 100);
    assert.ok([...heard].every(([index, progress]) => index === progress));
  });

  it("cancels what it gives up by its id, tells the reason and releases the caller at once [CANCEL-001] [CANCEL-007] [PP-040]", async () => {
    let answer: (value: unknown) => void = () => {};
    const { client, session } = await open({
      "x/work": () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    });
    const controller = new AbortController();
    const reason = new Error("changed my mind");
    const asked = session.request("x/work", {}, { signal: controller.signal });
    await turn();
    controller.abort(reason);
    await assert.rejects(asked, reason);
    await turn();
    const [cancelled] = client.notifications("notifications/cancelled");
    assert.deepEqual(cancelled?.params, { requestId: client.requests("x/work")[0]?.id, reason: "changed my mind" });
    answer({ late: true });
    await turn();
    assert.deepEqual((await client.request("ping")).result, {});
  });

  it("cancels nothing that is over, and sends nothing for what was given up before [CANCEL-002]", async () => {
    const { client, session } = await open({ "x/work": () => ({}) });
    const controller = new AbortController();
    await session.request("x/work", {}, { signal: controller.signal });
    controller.abort(new Error("too late"));
    await assert.rejects(session.request("x/work", {}, { signal: AbortSignal.abort(new Error("early")) }), /early/);
    await turn();
    assert.deepEqual(client.notifications("notifications/cancelled"), []);
    assert.equal(client.requests("x/work").length, 1);
  });

  it("sends no notification that the client's revision does not have [LIFE-017]", async () => {
    const oldest = handshakeRevisions.at(-1)?.id ?? "";
    const client = await RawClient.connect(defineServer(identity), { protocolVersion: oldest });
    await client.handle.session.notify("notifications/elicitation/complete", { elicitationId: "x" });
    await turn();
    assert.equal(findHandshake(oldest)?.has("notifications/elicitation/complete", "client"), false);
    assert.deepEqual(client.received, []);
  });
});

describe("Sessions", () => {
  it("does not find under the same id what another user started [ELIC-030]", async () => {
    const opened: string[] = [];
    const app = defineServer({
      ...identity,
      tools: {
        open: tool({}, async (_args, ctx) => {
          const { elicitationId } = await ctx.elicitUrl({ message: "m", url: "https://example.com" });
          opened.push(elicitationId);
          return "";
        }),
      },
    });
    const state = { capabilities: { elicitation: { url: {} } } };
    const adas = new FakeSession("shared-id", state, caller("ada"));
    const bobs = new FakeSession("shared-id", state, caller("bob"));
    const asking = fakeExchange({ session: adas, auth: caller("ada"), request: async () => ({ action: "accept" }) });
    await send(app, "tools/call", { name: "open" }, asking);
    await send(app, "ping", undefined, fakeExchange({ session: bobs, auth: caller("bob") }));
    assert.equal(app.sessions.size, 2);
    await app.completeElicitation(opened[0] ?? "");
    assert.equal(adas.notified.length, 1);
    assert.equal(bobs.notified.length, 0);
  });

  it("lets go whoever waits for a client that has said to another node that it is ready [LIFE-008] [PP-115]", async () => {
    const app = defineServer({ ...identity, tools: { t: tool({}, () => "") } });
    const state = { capabilities: { roots: {} } };
    const session = new FakeSession("s", { ...state, initialized: false });
    session.request = async (asked) => {
      session.asked.push(asked);
      return { roots: [] };
    };
    await send(app, "ping", undefined, fakeExchange({ session }));
    const [known] = app.sessions;
    const answer = known?.request("roots/list");
    await turn();
    assert.deepEqual(session.asked, []);
    session.state = new FakeSession("s", state).state;
    await send(app, "ping", undefined, fakeExchange({ session }));
    assert.deepEqual(await answer, { roots: [] });
  });

  it("asks for roots anew once their change was told to another node [ROOT-011] [PP-115]", async () => {
    const show = tool({}, async (_args, ctx) => (await ctx.roots()).map(({ uri }) => uri).join());
    const [one, other] = [0, 1].map(() => defineServer({ ...identity, tools: { show } }));
    const session = new FakeSession("s", { capabilities: { roots: { listChanged: true } } });
    let folder = "file:///a";
    let asked = 0;
    const request = async (): Promise<{ roots: { uri: string }[] }> => {
      asked += 1;
      return { roots: [{ uri: folder }] };
    };
    const exchange = fakeExchange({ session, request });
    const ask = async (): Promise<string | undefined> =>
      one && resultOf(await call(one, "show", {}, exchange)).content[0]?.text;
    assert.equal(await ask(), "file:///a");
    assert.equal(await ask(), "file:///a");
    assert.equal(asked, 1);
    folder = "file:///b";
    await other?.dispatch({ jsonrpc: "2.0", method: "notifications/roots/list_changed" }, fakeExchange({ session }));
    assert.equal(await ask(), "file:///b");
    assert.equal(asked, 2);
  });

  it("follows the edge's newest object for a session", async () => {
    const app = defineServer({ ...identity, tools: { t: tool({}, () => "") } });
    const first = new FakeSession("s", {});
    const second = new FakeSession("s", { clientInfo: { name: "renewed", version: "2" } });
    await send(app, "ping", undefined, fakeExchange({ session: first }));
    await send(app, "ping", undefined, fakeExchange({ session: second }));
    assert.deepEqual(
      [...app.sessions].map(({ clientInfo }) => clientInfo?.name),
      ["renewed"],
    );
  });
});
