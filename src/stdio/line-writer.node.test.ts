import assert from "node:assert/strict";
import { once } from "node:events";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { ClosedError } from "../base/error.ts";
import { LineWriter } from "./line-writer.node.ts";

/** A stream whose writes finish when the test says so. */
function createSlowStream(highWaterMark: number) {
  const writes: string[] = [];
  const waiting: (() => void)[] = [];
  const stream = new Writable({
    highWaterMark,
    write: (chunk, _encoding, done) => {
      writes.push(String(chunk));
      waiting.push(done);
    },
  });
  return { stream, writes, release: () => waiting.shift()?.() };
}

/** Resolves behind what was put off to the end of this turn. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe("LineWriter", () => {
  it("sends the lines of one turn in one write, also those of promise callbacks", async () => {
    const { stream, writes } = createSlowStream(1_000);
    const writer = new LineWriter(stream);
    assert.equal(writer.write("a\n"), undefined);
    await Promise.resolve();
    void writer.write("b\n");
    await Promise.resolve().then(() => writer.write("c\n"));
    await nextTurn();
    assert.deepEqual(writes, ["a\nb\nc\n"]);
  });

  it("does not gather large lines", () => {
    const { stream, writes } = createSlowStream(1_000_000);
    const writer = new LineWriter(stream);
    void writer.write("a\n");
    void writer.write(`${"x".repeat(100_000)}\n`);
    assert.deepEqual(writes, [`a\n${"x".repeat(100_000)}\n`]);
  });

  it("makes senders wait while the stream is full, and keeps the order", async () => {
    const { stream, writes, release } = createSlowStream(4);
    const writer = new LineWriter(stream);
    void writer.write("first\n");
    await nextTurn();
    let sent = false;
    const waiting = writer.write("second\n")?.then(() => {
      sent = true;
    });
    void writer.write("third\n");
    await nextTurn();
    assert.deepEqual([writes, sent], [["first\n"], false]);
    release();
    await nextTurn();
    assert.deepEqual([writes, sent], [["first\n", "second\nthird\n"], false]);
    release();
    await waiting;
    assert.equal(sent, true);
  });

  it("hands over what is left when closed, tells who waits, and takes no more", async () => {
    const { stream, writes, release } = createSlowStream(4);
    const writer = new LineWriter(stream);
    void writer.write("first\n");
    await nextTurn();
    const waiting = writer.write("second\n");
    writer.close();
    writer.close();
    await assert.rejects(Promise.resolve(waiting), ClosedError);
    assert.throws(() => writer.write("late\n"), ClosedError);
    assert.equal(stream.listenerCount("drain"), 0);
    const flushed = writer.flushed();
    release();
    await nextTurn();
    release();
    await nextTurn();
    release();
    await flushed;
    assert.deepEqual(writes.slice(0, 2), ["first\n", "second\n"]);
  });

  it("does not wait for a stream that failed", async () => {
    const { stream } = createSlowStream(4);
    const writer = new LineWriter(stream);
    void writer.write("lost\n");
    stream.destroy(new Error("EPIPE"));
    await assert.rejects(once(stream, "close"), /EPIPE/);
    writer.close();
    await writer.flushed();
  });
});
