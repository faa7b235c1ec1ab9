import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeStream, settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { PeerError } from "../../base/error.ts";
import { MessageTooLargeError } from "../../jsonrpc/too-large.ts";
import { createFakeClock } from "../../test/clock.ts";
import { discard, drain, readBeginning, readChunks, readText } from "./body.ts";

const signal = new AbortController().signal;

/** A body of these chunks. */
function bodyOf(...chunks: readonly Uint8Array[]): Response {
  return new Response(
    new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (const chunk of chunks) {
          controller.enqueue(chunk);
        }
        controller.close();
      },
    }),
  );
}

describe("readText", () => {
  it("joins characters that were cut, and counts bytes [PP-028]", async () => {
    const bytes = new TextEncoder().encode('"\u00e9\u20ac\u{1f600}"');
    const chunks = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assert.equal(await readText(bodyOf(...chunks), bytes.length, signal), '"\u00e9\u20ac\u{1f600}"');
    await assert.rejects(readText(bodyOf(...chunks), bytes.length - 1, signal), MessageTooLargeError);
    assert.equal(await readText(new Response(null), 10, signal), "");
  });

  it("refuses by the announced length before it reads", async () => {
    const response = new Response("{}", { headers: { "content-length": "1000" } });
    await assert.rejects(readText(response, 100, signal), { sizeBytes: 1_000, limitBytes: 100 });
  });

  it("refuses bytes that are no UTF-8, also at the end", async () => {
    await assert.rejects(readText(bodyOf(Uint8Array.of(0xff)), 10, signal), PeerError);
    await assert.rejects(readText(bodyOf(Uint8Array.of(0x61, 0xe2, 0x82)), 10, signal), PeerError);
  });
});

describe("readChunks", () => {
  it("ends with the reason of the signal, and lets the body go", async () => {
    const stream = new FakeStream();
    const controller = new AbortController();
    const reading = assert.rejects(
      readChunks(stream.response, controller.signal, () => undefined),
      (error) => error === "enough",
    );
    controller.abort("enough");
    await reading;
    assert.equal(stream.cancelled, true);
  });

  it("lets the body go when a chunk is refused", async () => {
    const stream = new FakeStream();
    const reading = readChunks(stream.response, signal, () => {
      throw new Error("refused");
    });
    stream.write("a");
    await assert.rejects(reading, { message: "refused" });
    assert.equal(stream.cancelled, true);
  });
});

describe("readBeginning", () => {
  it("gives what there is of a body that is endless, broken or absent", async () => {
    const endless = new FakeStream();
    const broken = new FakeStream();
    endless.write("x".repeat(70_000));
    assert.equal((await readBeginning(endless.response, signal)).length, 70_000);
    assert.equal(endless.cancelled, true);
    broken.write("abc");
    const reading = readBeginning(broken.response, signal);
    await settled();
    broken.break();
    assert.equal(await reading, "abc");
    assert.equal(await readBeginning(new Response(null), signal), "");
  });
});

describe("drain", () => {
  it("reads a short body to its end, and cuts off one that is long or does not end", async () => {
    const clock = createFakeClock(1_000_000);
    const short = new Response("done");
    await drain(short, clock, signal);
    assert.equal(short.bodyUsed, true);
    const long = new FakeStream();
    long.write("x".repeat(70_000));
    await drain(long.response, clock, signal);
    assert.equal(long.cancelled, true);
    const silent = new FakeStream();
    const draining = drain(silent.response, clock, signal);
    await clock.advance(1_000);
    await draining;
    assert.equal(silent.cancelled, true);
    assert.equal(clock.pendingTimers, 0);
  });
});

describe("discard", () => {
  it("lets a body go unread, and minds neither a broken nor an absent one", async () => {
    const stream = new FakeStream();
    discard(stream.response);
    const broken = new FakeStream();
    broken.break();
    discard(broken.response);
    discard(new Response(null));
    await settled();
    assert.equal(stream.cancelled, true);
  });
});
