import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { Utf8Reader } from "./utf8-reader.ts";

function read(chunks: readonly Uint8Array[]): { text: string; invalid: number } {
  let invalid = 0;
  const reader = new Utf8Reader(() => {
    invalid += 1;
  });
  const text = chunks.map((chunk) => reader.decode(chunk)).join("");
  return { text, invalid };
}

function cut(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

describe("Utf8Reader", () => {
  it("gives the same text whatever the chunks, and takes a sent U+FFFD for what it is [PP-028]", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 7 }), (sent, size) => {
        const text = `${sent}\ufffd\u00e9\u20ac\u{1f600}`;
        const bytes = new TextEncoder().encode(text);
        assert.deepEqual(read(cut(bytes, size)), { text: new TextDecoder().decode(bytes), invalid: 0 });
      }),
    );
  });

  it("tells of bytes that are no UTF-8 once, wherever they are cut [PP-028]", () => {
    const bytes = Uint8Array.of(0x61, 0xff, 0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x62, 0xfe);
    for (let size = 1; size <= bytes.length; size += 1) {
      assert.deepEqual(read(cut(bytes, size)), { text: new TextDecoder().decode(bytes), invalid: 1 });
    }
  });

  it("drops a byte-order mark at the beginning", () => {
    assert.deepEqual(read(cut(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), 1)), { text: "a", invalid: 0 });
  });
});
