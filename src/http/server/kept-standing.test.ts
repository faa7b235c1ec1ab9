import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFailing, StreamNodes, settle } from "../../../test/fixtures/http/stream-nodes.ts";
import { isMcpError } from "../../base/error.ts";
import { Questions } from "./questions.ts";

const toolsChanged = "notifications/tools/list_changed";

/** Nodes of one session that has begun on the first of them, with a client that wants to hear of tools and one resource. */
async function beginSession(options: ConstructorParameters<typeof StreamNodes>[0] = {}, count = 2) {
  const nodes = new StreamNodes(options);
  nodes.audience.lists.add("tools");
  nodes.audience.uris.add("file:///a");
  const started = Array.from({ length: count }, () => nodes.start());
  await started[0]?.streams.begin();
  return { nodes, started };
}

describe("KeptStanding", () => {
  it("carries on one node what is sent on any, in order, and changes that concern its client [HTTP-029] [RES-009] [PP-004]", async () => {
    const { started } = await beginSession();
    const [a, b] = started;
    const client = await b?.listen();
    await a?.notify("one");
    await b?.notify("two");
    await a?.change({ list: "tools" });
    await a?.change({ list: "prompts" });
    await b?.change({ uri: "file:///b" });
    await b?.change({ uri: "file:///a/part", within: "file:///a" });
    await a?.notify("three");
    await settle();
    assert.deepEqual(client?.names, ["one", "two", toolsChanged, { uri: "file:///a/part" }, "three"]);
    const ids = client?.events.map(({ id }) => id) ?? [];
    assert.equal(new Set(ids).size, 6);
    assert.ok(ids.every((id) => id !== undefined));
  });

  it("gives the first connection what was sent and what has changed since the session began, once, on any node", async () => {
    const { started } = await beginSession();
    const [a, b] = started;
    await a?.change({ list: "tools" });
    await a?.notify("one");
    const first = await b?.listen();
    assert.deepEqual(first?.names.toSorted(), ["one", toolsChanged].toSorted());
    first?.leave();
    await settle();
    const second = await a?.listen();
    assert.deepEqual(
      second?.events.map(({ data }) => data),
      [""],
      "nothing is left but the priming event",
    );
  });

  it("tells nothing of what changed before the session began", async () => {
    const nodes = new StreamNodes();
    nodes.audience.lists.add("tools");
    const [a, b] = [nodes.start(), nodes.start()];
    await a.change({ list: "tools" });
    await b.streams.begin();
    assert.deepEqual((await a.listen()).names, []);
  });

  it("gives exactly what followed on both logs to a client that comes back with an id, on any node [HTTP-037]", async () => {
    const { started } = await beginSession({}, 3);
    const [a, b, c] = started;
    const first = await a?.listen();
    await a?.notify("had");
    await a?.change({ list: "tools" });
    await settle();
    first?.leave();
    await b?.notify("one");
    await b?.change({ uri: "file:///a" });
    await b?.notify("two");
    const second = await c?.listen(first?.lastId);
    assert.deepEqual(
      second?.names.filter((name) => typeof name === "string"),
      ["one", "two"],
    );
    assert.deepEqual(
      second?.names.filter((name) => typeof name !== "string"),
      [{ uri: "file:///a" }],
    );
    await a?.notify("three");
    await settle();
    assert.equal(second?.names.at(-1), "three");
    // From the middle of it, too.
    const middle = second?.events[1]?.id;
    const third = await b?.listen(middle);
    const sorted = (names: unknown[] = []) => names.map((name) => JSON.stringify(name)).toSorted();
    assert.deepEqual(sorted(third?.names), sorted(second?.names.slice(2)));
  });

  it("is taken over by a newer GET on another node, so that each message is seen once, in order [PP-007] [HTTP-032] [HTTP-018]", async () => {
    const { started } = await beginSession();
    const [a, b] = started;
    const first = await a?.listen();
    const sending = [a?.notify("1"), b?.notify("2")];
    const second = await b?.listen();
    sending.push(a?.notify("3"), b?.notify("4"), a?.change({ list: "tools" }));
    await Promise.all(sending);
    const third = await a?.listen();
    await b?.notify("5");
    await settle();
    assert.deepEqual([first?.isOpen, second?.isOpen, third?.isOpen], [false, false, true]);
    assert.deepEqual(first?.retries, [1_000]);
    const seen = [first, second, third].flatMap((client) => client?.names ?? []);
    assert.deepEqual(seen.toSorted(), ["1", "2", "3", "4", "5", toolsChanged].toSorted());
    assert.deepEqual([a?.streams.connections, b?.streams.connections], [1, 0]);
  });

  it("loses nothing between connections without an id, where a client leaves while messages are sent [HTTP-031] [HTTP-032]", async () => {
    const { started } = await beginSession({ revision: "2025-06-18" });
    const [a, b] = started;
    const first = await a?.listen();
    assert.deepEqual(first?.events, [], "no priming event in this revision");
    await b?.notify("1");
    await settle();
    first?.leave();
    await Promise.all([a?.notify("2"), b?.notify("3")]);
    const second = await b?.listen();
    assert.deepEqual([first?.names, second?.names.toSorted()], [["1"], ["2", "3"]]);
  });

  it("is taken over at once from a client that takes nothing, with all that was still to be sent [PP-007] [HTTP-032]", async () => {
    const { started } = await beginSession();
    const [a, b] = started;
    const stalled = await a?.listen(undefined, 10);
    for (const name of ["1", "2", "3"]) {
      void a?.notify(name);
    }
    await settle();
    const next = await b?.listen();
    assert.equal(stalled?.isOpen, false);
    assert.deepEqual([...(stalled?.names ?? []), ...(next?.names ?? [])], ["1", "2", "3"]);
  });

  it("is held again on another node when the one that held it dies [PP-004]", async () => {
    const { nodes, started } = await beginSession();
    const [a, b] = started;
    const first = await a?.listen();
    await b?.notify("1");
    await settle();
    a?.store.cut();
    await b?.notify("2");
    const withId = await b?.listen(first?.lastId);
    assert.deepEqual(withId?.names, ["2"], "at once");
    withId?.leave();
    await settle();
    const without = await b?.listen();
    assert.deepEqual(without?.names, []);
    await nodes.clock.advance(10_000);
    await b?.notify("3");
    await settle();
    assert.deepEqual(without?.names, ["3"], "as soon as the dead node counts as dead");
  });

  it("tells that everything may have changed where the feed no longer reaches back [RES-009]", async () => {
    const { nodes, started } = await beginSession({ resumability: { maxAgeMs: 3_600_000 } });
    const [a, b] = started;
    const first = await a?.listen();
    await a?.change({ list: "tools" });
    await settle();
    first?.leave();
    await settle();
    await a?.change({ list: "tools" });
    await nodes.clock.advance(400_000);
    const second = await b?.listen(first?.lastId);
    assert.deepEqual(second?.names, [toolsChanged, { uri: "file:///a" }]);
    await b?.change({ list: "tools" });
    await settle();
    const third = await a?.listen(second?.lastId);
    assert.deepEqual(third?.names, []);
  });

  it("tells so too where the feed was forgotten, and has begun again meanwhile [RES-009]", async () => {
    const { nodes, started } = await beginSession({ resumability: { maxAgeMs: 3_600_000 } });
    const [a, b] = started;
    const first = await a?.listen();
    await a?.change({ list: "tools" });
    await settle();
    first?.leave();
    await settle();
    await a?.change({ uri: "file:///a" });
    await nodes.clock.advance(400_000);
    await a?.change({ list: "prompts" });
    assert.deepEqual((await b?.listen(first?.lastId))?.names, [toolsChanged, { uri: "file:///a" }]);
  });

  it("tells nothing twice to a client that was away while nothing changed", async () => {
    const { nodes, started } = await beginSession({ resumability: { maxAgeMs: 3_600_000 } });
    const [a, b] = started;
    const first = await a?.listen();
    await nodes.clock.advance(400_000);
    first?.leave();
    await settle();
    await nodes.clock.advance(400_000);
    assert.deepEqual((await b?.listen(first?.lastId))?.names, []);
  });

  it("refuses with 410 where messages are no longer kept, and then tells that everything may have changed", async () => {
    const { nodes, started } = await beginSession({ resumability: { maxAgeMs: 60_000 } });
    const [a, b] = started;
    const first = await a?.listen();
    first?.leave();
    await settle();
    await a?.notify("lost");
    await nodes.clock.advance(61_000);
    assert.equal((await b?.streams.resume(first?.lastId ?? ""))?.status, 410);
    assert.deepEqual((await b?.listen())?.names, [toolsChanged, { uri: "file:///a" }]);
  });

  it("can be resumed after a long silence on a connection, though its log keeps nothing that long", async () => {
    const { nodes, started } = await beginSession({ resumability: { maxAgeMs: 60_000 } });
    const [a, b] = started;
    const first = await a?.listen();
    await a?.notify("1");
    await nodes.clock.advance(600_000);
    a?.store.cut();
    await b?.notify("2");
    const second = await b?.listen(first?.lastId);
    assert.deepEqual(second?.names, ["2"]);
  });

  it("keeps messages on any node for as long as the client is connected somewhere or expected back, and no longer [PP-043]", async () => {
    const { nodes, started } = await beginSession({}, 3);
    const [a, b, c] = started;
    const questions = new Questions("n", async () => undefined);
    const ask = () => b?.streams.standing.ask({ method: "roots/list" }, {}, questions);
    const first = await a?.listen();
    await nodes.clock.advance(200_000);
    await b?.notify("1");
    void ask()?.catch(() => undefined);
    await settle();
    assert.deepEqual(
      first?.messages.map(({ method }) => method),
      ["1", "roots/list"],
    );
    first?.leave();
    await nodes.clock.advance(59_000);
    await c?.notify("2");
    await nodes.clock.advance(1_000);
    await b?.notify("3");
    assert.deepEqual(b?.codes, ["MCP_D_NOTIFICATION_UNSENT"]);
    const error = await ask()?.catch((reason: unknown) => reason);
    assert.ok(isMcpError(error) && error.code === "MCP_MISSING_CAPABILITY");
    assert.match(error.message, /no event stream open \(GET\)/);
    assert.deepEqual((await c?.listen(first?.lastId))?.names, ["2"]);
  });

  it("is let go of by any node, with the time to come back [HTTP-016] [HTTP-018]", async () => {
    const { started } = await beginSession({ retryMs: 300 });
    const [a, b] = started;
    const first = await a?.listen();
    b?.streams.closeStanding();
    await settle();
    assert.deepEqual([first?.isOpen, first?.retries], [false, [300]]);
    await b?.notify("1");
    assert.deepEqual((await b?.listen(first?.lastId))?.names, ["1"]);
  });

  it("hands its client over when its node stops, and forgets all when the session ends [PP-010]", async () => {
    const { nodes, started } = await beginSession();
    const [a, b] = started;
    const first = await a?.listen();
    await b?.notify("1");
    await a?.streams.release();
    assert.deepEqual([first?.isOpen, first?.retries, first?.names], [false, [1_000], ["1"]]);
    await b?.notify("2");
    const second = await b?.listen();
    assert.deepEqual(second?.names, ["2"]);
    await b?.streams.finish();
    await settle();
    assert.deepEqual([second?.isOpen, second?.retries], [false, []]);
    assert.equal(await nodes.store.read("stream/owner/0"), undefined);
    assert.equal(await nodes.store.get("standing/owner"), undefined);
  });

  it("sends what the store does not keep to whoever is connected here, and reports it", async () => {
    const { state, wrap } = createFailing();
    const { started } = await beginSession({ wrap }, 1);
    const [a] = started;
    const client = await a?.listen();
    state.fails = true;
    await a?.notify("1");
    assert.deepEqual(client?.names, ["1"]);
    assert.equal(client?.events.at(-1)?.id, undefined);
    assert.ok(a?.codes.includes("MCP_D_EVENT_NOT_STORED"));
    await assert.rejects(a?.streams.standing.connect() ?? Promise.resolve(), /gone/);
  });
});
