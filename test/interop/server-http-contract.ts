// How our server over Streamable HTTP treats the clients of others whose connections are cut, whose session is gone, or
// who never listen.

import assert from "node:assert/strict";
import { it } from "node:test";
import { listen } from "parley-mcp/http/node";
import { createMemoryStore } from "parley-mcp/store";
import { createFakeClock } from "parley-mcp/test";
import { createCuttingFetch } from "./fixtures/cutting-fetch.ts";
import type { OpenForeignClient } from "./fixtures/foreign-client.ts";
import { createOwnServer } from "./fixtures/own-server.ts";
import { isLog, textOf } from "./server-contract.ts";

/** @param url - where a server with sessions is */
export function itSurvivesForeignHttp(open: OpenForeignClient, url: () => string): void {
  it("goes on with an answer whose connection was cut, without running the call again [HTTP-023] [HTTP-037]", async (t) => {
    const fetch = createCuttingFetch({ cutAfter: '"before the cut"' });
    const client = await open({ url: url(), fetch });
    t.after(() => client.close());
    assert.equal(textOf(await client.callTool("cut")), "survived");
    await client.heard.take("what was said before", isLog("before the cut"));
    await client.heard.take("what was said after", isLog("after the cut"));
    assert.equal(fetch.traffic.filter(({ rpcMethod }) => rpcMethod === "tools/call").length, 1);
    assert.ok(fetch.traffic.some(({ lastEventId }) => lastEventId !== null));
  });

  it("ends a stream early, and gives the rest to the client that comes back [HTTP-014] [HTTP-016] [HTTP-018]", async (t) => {
    const fetch = createCuttingFetch();
    const client = await open({ url: url(), fetch });
    t.after(() => client.close());
    assert.equal(textOf(await client.callTool("cut")), "survived");
    await client.heard.take("what was said after", isLog("after the cut"));
    assert.ok(fetch.traffic.some(({ lastEventId, status }) => lastEventId !== null && status === 200));
  });

  it("keeps what it says while the standing stream is cut [HTTP-033] [HTTP-037]", async (t) => {
    const fetch = createCuttingFetch({ cutAfter: '"high"' });
    const client = await open({ url: url(), fetch });
    t.after(() => client.close());
    for (const what of ["the message before the cut", "the message after it"]) {
      await client.callTool("log");
      await client.heard.take(what, isLog("high"));
    }
    assert.ok(fetch.traffic.some(({ lastEventId, status }) => lastEventId !== null && status === 200));
  });

  it("asks a client that never opens a standing stream [PP-044] [HTTP-021]", async (t) => {
    const fetch = createCuttingFetch({ refuseGet: true });
    const client = await open({ url: url(), fetch });
    t.after(() => client.close());
    assert.match(textOf(await client.callTool("ask-person")), /Grace/);
    assert.match(textOf(await client.callTool("ask-model")), /plum/);
  });

  it("answers 404 to a session that has ended [HTTP-045]", async (t) => {
    const fetch = createCuttingFetch();
    const client = await open({ url: url(), fetch });
    t.after(() => client.close());
    assert.ok(client.sessionId);
    const headers = { "mcp-session-id": client.sessionId, "mcp-protocol-version": "2025-11-25" };
    assert.equal((await globalThis.fetch(url(), { method: "DELETE", headers })).status, 204);
    await assert.rejects(client.callTool("add", { a: 1, b: 1 }));
    assert.equal(fetch.traffic.findLast(({ method }) => method === "POST")?.status, 404);
    const again = await open({ url: url() });
    t.after(() => again.close());
    assert.equal(textOf(await again.callTool("add", { a: 1, b: 1 })), '{"sum":2}');
  });

  it("forgets an idle session and answers 404 to it [HTTP-045] [PP-002]", async (t) => {
    const clock = createFakeClock();
    const store = createMemoryStore({ clock });
    const listener = await listen(createOwnServer(), { clock, store, sessions: { idleTimeoutMs: 60_000 } });
    t.after(() => listener.close());
    // An open standing stream would keep the session alive.
    const fetch = createCuttingFetch({ refuseGet: true });
    const client = await open({ url: listener.url, fetch });
    t.after(() => client.close());
    await client.request("ping");
    assert.equal(listener.handler.stats().sessions, 1);
    await clock.advance(120_001);
    assert.equal(listener.handler.stats().sessions, 0);
    await assert.rejects(client.request("ping"));
    assert.equal(fetch.traffic.findLast(({ method }) => method === "POST")?.status, 404);
  });
}
