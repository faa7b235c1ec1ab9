import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { LineReader, type OversizeLine } from "./line-reader.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function read(chunks: readonly Uint8Array[], maxLineBytes = 1_000): { lines: string[]; oversize: OversizeLine[] } {
  const lines: string[] = [];
  const oversize: OversizeLine[] = [];
  const reader = new LineReader(
    { line: (bytes) => lines.push(decoder.decode(bytes)), oversize: (line) => oversize.push(line) },
    maxLineBytes,
  );
  for (const chunk of chunks) {
    reader.push(chunk);
  }
  reader.end();
  return { lines, oversize };
}

/** Bytes whose searching is counted. */
class CountedBytes extends Uint8Array {
  static searched = 0;

  override indexOf(byte: number, from = 0): number {
    const found = super.indexOf(byte, from);
    CountedBytes.searched += (found === -1 ? this.length : found + 1) - from;
    return found;
  }
}

describe("LineReader", () => {
  it("delivers each line without LF or CRLF and leaves out empty ones [STDIO-002]", () => {
    assert.deepEqual(read([encoder.encode("one\ntwo\r\n\n\r\nthree\n")]).lines, ["one", "two", "three"]);
  });

  it("delivers what stands before the end without a line break", () => {
    assert.deepEqual(read([encoder.encode("one\ntw"), encoder.encode("o")]).lines, ["one", "two"]);
  });

  it("gives the same lines wherever the bytes are cut [STDIO-002] [PP-028]", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "binary", maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, ""))),
        fc.array(fc.nat(200)),
        fc.constantFrom("\n", "\r\n"),
        (texts, cuts, lineBreak) => {
          const bytes = encoder.encode(texts.map((text) => text + lineBreak).join(""));
          const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end));
          assert.deepEqual(read(chunks).lines, read([bytes]).lines);
        },
      ),
    );
  });

  it("delivers a line of exactly the limit, also before CRLF, and skips one byte more", () => {
    assert.deepEqual(read([encoder.encode("12345678\r\n")], 8), { lines: ["12345678"], oversize: [] });
    assert.deepEqual(read([encoder.encode("12345"), encoder.encode("678\r"), encoder.encode("\n")], 8).lines, [
      "12345678",
    ]);
    for (const chunks of [["123456789\n"], ["1234", "56789", "\n"], ["123456789", "\r\n"]]) {
      const { lines, oversize } = read(
        chunks.map((chunk) => encoder.encode(chunk)),
        8,
      );
      assert.deepEqual(lines, []);
      assert.equal(oversize.length, 1);
    }
  });

  it("tells beginning, end and size of a line it skipped, and goes on behind it [PP-026]", () => {
    const long = `{"id":7,${"x".repeat(50_000)},"end":true}`;
    const chunks = Array.from({ length: 500 }, (_, index) =>
      encoder.encode(long.slice(index * 101, (index + 1) * 101)),
    );
    const { lines, oversize } = read([...chunks, encoder.encode("\nnext\n")], 1_000);
    assert.deepEqual(lines, ["next"]);
    const [line] = oversize;
    assert.equal(line?.sizeBytes, long.length);
    assert.equal(decoder.decode(line?.head), long.slice(0, 4_096));
    assert.equal(decoder.decode(line?.tail), long.slice(-1_024));
  });

  it("holds no more than the limit of a line that never ends [PP-026]", (context) => {
    const reader = new LineReader({ line: () => assert.fail(), oversize: () => undefined }, 100_000);
    const set = context.mock.method(Uint8Array.prototype, "set");
    const chunk = new Uint8Array(65_536).fill(0x61);
    for (let index = 0; index < 1_000; index += 1) {
      reader.push(chunk);
    }
    const copied = set.mock.calls.reduce((sum, call) => sum + (call.arguments[0] as ArrayLike<number>).length, 0);
    assert.ok(copied < 300_000, `${copied} bytes were copied of a line that is skipped`);
  });

  it("searches each byte of a 10 MiB line once and copies it at most three times", (context) => {
    const size = 10 * 1_048_576;
    const set = context.mock.method(Uint8Array.prototype, "set");
    let length = 0;
    const reader = new LineReader(
      { line: (bytes) => (length = bytes.length), oversize: () => assert.fail() },
      64 * 1_048_576,
    );
    CountedBytes.searched = 0;
    const piece = new CountedBytes(1_024).fill(0x61);
    for (let sent = 0; sent < size; sent += piece.length) {
      reader.push(piece);
    }
    reader.push(new CountedBytes(1).fill(0x0a));
    const copied = set.mock.calls.reduce((sum, call) => sum + (call.arguments[0] as ArrayLike<number>).length, 0);
    assert.equal(length, size);
    assert.equal(CountedBytes.searched, size + 1);
    assert.ok(copied <= 3 * size, `${copied} bytes were copied`);
  });

  it("does not refer to a chunk after it was taken", () => {
    const lines: string[] = [];
    const reader = new LineReader(
      { line: (bytes) => lines.push(decoder.decode(bytes)), oversize: () => undefined },
      100,
    );
    const chunk = encoder.encode("abc");
    reader.push(chunk);
    chunk.fill(0x78);
    reader.push(encoder.encode("\n"));
    assert.deepEqual(lines, ["abc"]);
  });
});
