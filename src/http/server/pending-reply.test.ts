import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEmptyReply } from "../message.ts";
import type { ReplyFormat } from "./options.ts";
import { PendingReply } from "./pending-reply.ts";
import type { ReplyStream } from "./reply-stream.ts";

function createReply(format: ReplyFormat, ids: number[], isBatch = false) {
  const seen: string[] = [];
  const stream = {
    send: (text: string) => void seen.push(text),
    finish: () => void seen.push("end"),
    toReply: () => ({ kind: "stream", status: 200, headers: {}, open: () => assert.fail("not opened here") }),
  };
  const createStream = (): ReplyStream => stream as unknown as ReplyStream;
  return { seen, reply: new PendingReply({ format, ids, isBatch, createStream }) };
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

  it("becomes something else when it is given up, and nothing any more afterwards", async () => {
    const { reply, seen } = createReply("auto", [1]);
    reply.giveUp(createEmptyReply(503));
    reply.answer({ text: "late", status: 200 });
    reply.promote();
    assert.equal((await reply.reply).status, 503);
    assert.deepEqual(seen, []);
  });
});
