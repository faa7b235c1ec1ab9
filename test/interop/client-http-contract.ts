// What our client must survive over Streamable HTTP, whichever SDK the server is built with: cut connections, streams
// that the server ends early, and sessions that are forgotten.

import assert from "node:assert/strict";
import { it } from "node:test";
import { createHttpLink } from "parley-mcp/http/client";
import { createCuttingFetch } from "./fixtures/cutting-fetch.ts";
import type { PeerHost } from "./fixtures/official-1-http.ts";
import { openListening, openRecorded, textOf } from "./fixtures/recording-client.ts";

/** Needs a server with sessions and an event store. */
export function itSurvivesHttp(of: () => PeerHost): void {
  it("resumes an answer whose connection was cut, and sends nothing twice [HTTP-017] [HTTP-036]", async (t) => {
    const fetch = createCuttingFetch({ cutAfter: '"step":1' });
    const { session } = await openRecorded(createHttpLink(of().url, { fetch, standingStream: false }));
    t.after(() => session.close());
    const steps: number[] = [];
    const result = await session.callTool("count", { steps: 4 }, { onProgress: (step) => steps.push(step.progress) });
    assert.equal(textOf(result), "counted to 4");
    assert.deepEqual(steps, [1, 2, 3, 4]);
    assert.equal(fetch.traffic.filter(({ rpcMethod }) => rpcMethod === "tools/call").length, 1);
    assert.equal(fetch.traffic.filter(({ lastEventId }) => lastEventId !== null).length, 1);
  });

  it("comes back for an answer whose stream the server ended early [HTTP-017] [HTTP-019]", async (t) => {
    const fetch = createCuttingFetch();
    const { session, logs } = await openRecorded(createHttpLink(of().url, { fetch, standingStream: false }));
    t.after(() => session.close());
    assert.equal(textOf(await session.callTool("cut", {})), "survived");
    await logs.take("what was said before", ({ data }) => data === "before the cut");
    await logs.take("what was said after", ({ data }) => data === "after the cut");
    assert.equal(fetch.traffic.filter(({ rpcMethod }) => rpcMethod === "tools/call").length, 1);
  });

  it("makes one new session when the server has forgotten the old one [HTTP-046] [PP-001]", async (t) => {
    const host = of();
    const fetch = createCuttingFetch();
    const { session, replaced } = await openListening(host.url, { fetch });
    t.after(() => session.close());
    host.forgetSessions();
    const sums = await Promise.all([1, 2, 3].map((a) => session.callTool("add", { a, b: 1 })));
    assert.deepEqual(sums.map(textOf), ['{"sum":2}', '{"sum":3}', '{"sum":4}']);
    await replaced.take("the session to be replaced");
    assert.deepEqual(replaced.items, []);
    assert.equal(fetch.traffic.filter(({ rpcMethod }) => rpcMethod === "initialize").length, 2);
  });

  it("ends its session on the server when it closes [HTTP-047]", async (t) => {
    const fetch = createCuttingFetch();
    const { session } = await openRecorded(createHttpLink(of().url, { fetch }));
    t.after(() => session.close());
    await session.close();
    const farewell = fetch.traffic.filter(({ method }) => method === "DELETE");
    assert.deepEqual(
      farewell.map(({ status }) => status),
      [200],
    );
    await assert.rejects(session.ping());
  });

  it("goes on without a standing stream where the server has none [HTTP-028]", async (t) => {
    const fetch = createCuttingFetch({ refuseGet: true });
    const { session } = await openRecorded(createHttpLink(of().url, { fetch }));
    t.after(() => session.close());
    assert.equal(textOf(await session.callTool("add", { a: 1, b: 1 })), '{"sum":2}');
    assert.match(textOf(await session.callTool("ask-person", {})), /Ada/);
  });

  it("opens its standing stream again after a cut, and misses nothing [HTTP-036] [PP-005]", async (t) => {
    const fetch = createCuttingFetch({ cutAfter: '"high"' });
    const { session, logs } = await openListening(of().url, { fetch, reconnect: { initialDelayMs: 10 } });
    t.after(() => session.close());
    for (const what of ["the message before the cut", "the message after it"]) {
      await session.callTool("log", {});
      await logs.take(what, ({ data }) => data === "high");
    }
    const statuses = fetch.traffic.filter(({ lastEventId }) => lastEventId !== null).map(({ status }) => status);
    assert.equal(statuses.at(-1), 200);
    // Until the peer has noticed the cut it refuses a second stream, which must not harm the session.
    assert.ok(
      statuses.slice(0, -1).every((status) => status === 409),
      statuses.join(", "),
    );
  });

  for (const revision of ["2025-06-18", "2025-03-26", "2024-11-05"]) {
    it(`speaks ${revision} with a server that it asks for it [LIFE-012] [HTTP-049]`, async (t) => {
      const fetch = createCuttingFetch();
      const { session } = await openRecorded(createHttpLink(of().url, { fetch }), {}, { revision });
      t.after(() => session.close());
      assert.equal(session.server.revision, revision);
      assert.equal(textOf(await session.callTool("add", { a: 1, b: 1 })), '{"sum":2}');
      assert.equal(textOf(await session.callTool("count", { steps: 2 })), "counted to 2");
      const call = fetch.traffic.find(({ rpcMethod }) => rpcMethod === "tools/call");
      // The header came with the first of these.
      assert.equal(call?.revision, revision === "2025-06-18" ? revision : null);
    });
  }
}
