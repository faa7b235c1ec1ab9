import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StreamNode } from "../../../test/fixtures/http/stream-nodes.ts";
import { answer, note, StreamClient, StreamNodes, settle } from "../../../test/fixtures/http/stream-nodes.ts";
import { isObject } from "../../base/json.ts";

/** A stream whose client has an id to come back with, on a node that then dies. */
async function dieWith(node: StreamNode, ids: (string | number)[]) {
  const stream = node.streams.create(ids, () => undefined);
  const client = new StreamClient(await stream.toReply());
  await stream.send(note("a"));
  return { stream, client, die: () => node.store.cut() };
}

describe("endIfAbandoned", () => {
  it("answers what a dead node left unanswered with an explicit error when its client resumes, and ends [PP-004]", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const { client, die } = await dieWith(a, ["x"]);
    die();
    await nodes.clock.advance(10_000);
    const back = await b.resume(client.lastId);
    assert.equal(back.isOpen, false);
    const [failure] = back.messages;
    assert.deepEqual([failure?.id, back.messages.length], ["x", 1]);
    const error = failure?.error;
    assert.ok(isObject(error));
    assert.equal(error.code, -32603);
    assert.match(String(error.message), /stopped before it was answered; it is unknown whether it was done/);
  });

  it("does so within a lease while a client is connected elsewhere, and not before [PP-004]", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const { client, die } = await dieWith(a, [1]);
    client.leave();
    const back = await b.resume(client.lastId);
    await nodes.clock.advance(60_000);
    assert.deepEqual([back.isOpen, back.messages], [true, []], "a node that lives is left alone");
    die();
    await nodes.clock.advance(15_000);
    assert.deepEqual(
      [back.isOpen, back.messages.map(({ id, error }) => [id, error !== undefined])],
      [false, [[1, true]]],
    );
  });

  it("gives exactly one answer, however many nodes find out, and whatever the dead one still says [PP-004]", async () => {
    const nodes = new StreamNodes();
    const [a, b, c, d] = [nodes.start(), nodes.start(), nodes.start(), nodes.start()];
    const { client, die, stream } = await dieWith(a, [1]);
    const others = [b, c, d];
    // It is counted out, while it still runs.
    await a.runtime.presence.end();
    const replies = await Promise.all(others.map((node) => node.streams.resume(client.lastId)));
    const backs = replies.map((reply) => new StreamClient(reply));
    stream.finish(answer(1, { late: true }));
    await settle();
    die();
    await nodes.clock.advance(30_000);
    const early = client.events[0]?.id ?? "";
    const late = await b.resume(early);
    assert.deepEqual((await c.resume(late.lastId)).names, []);
    for (const { names, isOpen } of backs) {
      assert.equal(isOpen, false);
      assert.ok(names.every((name) => name === "error"));
    }
    assert.equal(backs.reduce((sum, { messages }) => sum + messages.length, 0) >= 1, true);
    assert.deepEqual([late.names, late.isOpen], [[{ name: "a" }, "error"], false]);
    const log = await nodes.store.read(`stream/owner/1-${a.runtime.presence.id}`);
    const ends = log?.entries.filter(({ value }) => value.startsWith("e"));
    assert.equal(ends?.filter(({ value }) => value.includes("-32603")).length, 1);
  });

  it("ends what a node that died in turn had only claimed", async () => {
    const nodes = new StreamNodes();
    const [a, b, c] = [nodes.start(), nodes.start(), nodes.start()];
    const { client, die } = await dieWith(a, [1]);
    die();
    await nodes.clock.advance(10_000);
    await nodes.store.set(`stream/owner/1-${a.runtime.presence.id}/end`, b.runtime.presence.id, { ttlMs: 10_000 });
    const back = await c.resume(client.lastId);
    assert.equal(back.isOpen, true);
    await nodes.clock.advance(15_000);
    assert.deepEqual([back.names, back.isOpen], [["error"], false]);
  });

  it("answers only those requests of a batch that are not answered, in one event", async () => {
    const nodes = new StreamNodes({ revision: "2025-03-26" });
    const [a, b] = [nodes.start(), nodes.start()];
    const { client, die, stream } = await dieWith(a, [1, "1", 2, 2]);
    await stream.send(answer("1"), "1");
    await stream.send(answer(2), 2);
    die();
    await nodes.clock.advance(10_000);
    const back = await b.resume(client.lastId);
    const errors = JSON.parse(back.events.at(-1)?.data ?? "") as { id: unknown; error: unknown }[];
    assert.deepEqual(
      errors.map(({ id }) => id),
      [1, 2],
    );
  });

  it("leaves a stream alone that had ended before its node died", async () => {
    const nodes = new StreamNodes();
    const [a, b] = [nodes.start(), nodes.start()];
    const { client, die, stream } = await dieWith(a, [1]);
    client.leave();
    stream.finish(answer(1, { done: true }));
    await settle();
    die();
    await nodes.clock.advance(10_000);
    assert.deepEqual((await b.resume(client.lastId)).names, [{ done: true }]);
  });
});
