import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeEntry, encodeEntry, type StreamEntry } from "./stream-entry.ts";

describe("encodeEntry and decodeEntry", () => {
  it("read back what they wrote", () => {
    const entries: StreamEntry[] = [
      { kind: "message", text: '{"a":"m"}' },
      { kind: "answer", id: 'a "quoted" \\ id \n', text: '{"result":{}}' },
      { kind: "answer", id: -1.5e21, text: "{}" },
      { kind: "end", text: "" },
      { kind: "end", text: "[1,2]" },
      { kind: "mark", unanswered: ["1", 1], last: 5 },
      { kind: "release", node: undefined },
      { kind: "release", node: "n" },
      { kind: "left", connection: 3, place: undefined },
      { kind: "left", connection: 3, place: { position: 4, changes: 5 } },
    ];
    for (const entry of entries) {
      assert.deepEqual(decodeEntry(encodeEntry(entry)), entry);
    }
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer()), fc.string(), (id, text) => {
        assert.deepEqual(decodeEntry(encodeEntry({ kind: "answer", id, text })), { kind: "answer", id, text });
      }),
    );
  });

  it("take nothing else for an entry, and throw nothing", () => {
    for (const bad of [
      "",
      "x",
      "k",
      "k{}",
      'k{"unanswered":1,"last":1}',
      "l{}",
      "l[]",
      "a1",
      'a"1 {}',
      "a{} {}",
      "r1",
    ]) {
      assert.equal(decodeEntry(bad), undefined, bad);
    }
    fc.assert(fc.property(fc.string(), (text) => void decodeEntry(text)));
  });
});
