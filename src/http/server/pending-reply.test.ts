import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEmptyReply } from "../message.ts";
import type { ReplyFormat } from "./options.ts";
import { PendingReply } from "./pending-reply.ts";
import type { ReplyStream } from "./reply-stream.ts";

function createReply(format: ReplyFormat, ids: number[], isBatch = false) {
  const seen: string[] = [];
  const stream: ReplyStream = {
    canSuspend: false,
    send: async (text: string) => void seen.push(text),
    finish: (text?: string) => void seen.push(...(text === undefined ? [] : [text]), "end"),
    suspend: () => undefined,
    toReply: async () => ({ kind: "stream", status: 200, headers: {}, open: () => assert.fail("not opened here") }),
  };
  const createStream = (): ReplyStream => stream;
  return { seen, stream, reply: new PendingReply({ format, ids, isBatch, createStream }) };
}

describe("PendingReply", () => {
  it("is decided by the last answer, as one object or as an array [HTTP-012]", async () => {
    const single = createReply("auto", [1]);
    single.reply.answer({ text: "{}", status: 200 });
    assert.equal(((await single.reply.reply) as { body: string }).body, "{}");
    const batch = createReply("json", [1, 2], true);
    batch.reply.answer({ text: "1", status: 200 });
    assert.equal(batch.reply.isDecided, false);
    batch.reply.answer({ text: "2", status: 200 });
    assert.equal(((await batch.reply.reply) as { body: string }).body, "[1,2]");
  });

  it("takes answers along that came before it became a stream, and ends behind the last [HTTP-022]", async () => {
    const { reply, seen } = createReply("auto", [1, 2], true);
    reply.answer({ text: "first", status: 200 });
    reply.promote();
    assert.equal((await reply.reply).kind, "stream");
    void reply.stream?.send("related");
    reply.answer({ text: "second", status: 200 });
    assert.deepEqual(seen, ["first", "related", "second", "end"]);
  });

  it("shows the status of its one answer, as JSON also where a stream was wanted, until the stream is open [M-ERR-010]", async () => {
    for (const format of ["auto", "json", "stream"] as const) {
      const { reply } = createReply(format, [1]);
      reply.answer({ text: "{}", status: 404 });
      const { kind, status } = await reply.reply;
      assert.deepEqual([kind, status], ["text", 404]);
    }
    const open = createReply("auto", [1]);
    open.reply.promote();
    open.reply.answer({ text: "{}", status: 404 });
    assert.deepEqual([(await open.reply.reply).status, open.seen], [200, ["{}", "end"]]);
    const batch = createReply("json", [1], true);
    batch.reply.answer({ text: "{}", status: 404 });
    assert.equal((await batch.reply.reply).status, 200);
  });

  it("never becomes a stream where the client takes JSON only", () => {
    const { reply } = createReply("json", [1]);
    assert.deepEqual([reply.canStream, reply.stream, reply.isDecided], [false, undefined, false]);
  });

  it("sends the answers of several requests with their ids, and ends behind the last [HTTP-022]", async () => {
    const sent: [string | undefined, unknown][] = [];
    const stream: ReplyStream = {
      ...createReply("auto", []).stream,
      send: async (text, id) => void sent.push([text, id]),
      finish: (text) => void sent.push([text, "end"]),
    };
    const options = { format: "auto", ids: [1, "1", 0], isBatch: true, createStream: () => stream } as const;
    const reply = new PendingReply(options);
    reply.answer({ text: "invalid", status: 200 });
    reply.answer({ text: "one", status: 200 }, 1);
    reply.promote();
    reply.answer({ text: "two", status: 200 }, "1");
    assert.deepEqual(sent, [
      ["invalid", undefined],
      ["one", 1],
      ["two", "end"],
    ]);
    const whole = new PendingReply({ ...options, format: "stream" });
    for (const id of [1, 2, 3]) {
      whole.answer({ text: `${id}`, status: 200 }, id);
    }
    assert.deepEqual(sent.slice(3), [
      ["1", 1],
      ["2", 2],
      ["3", "end"],
    ]);
  });

  it("tells an open stream of every request that is not answered when it is given up, and ends it", async () => {
    const { reply, seen } = createReply("auto", [1, 2, 3], true);
    reply.promote();
    reply.answer({ text: "one", status: 200 }, 1);
    reply.giveUp(createEmptyReply(503), [
      { text: "no two", id: 2 },
      { text: "no three", id: 3 },
    ]);
    assert.deepEqual(seen, ["one", "no two", "no three", "end"]);
  });

  it("becomes something else when it is given up, and nothing any more afterwards", async () => {
    const { reply, seen } = createReply("auto", [1]);
    reply.giveUp(createEmptyReply(503));
    reply.answer({ text: "late", status: 200 });
    reply.promote();
    assert.equal((await reply.reply).status, 503);
    assert.deepEqual(seen, []);
  });
});
