import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveHeaders } from "./configured-headers.ts";

describe("resolveHeaders", () => {
  it("takes records, pairs, Headers objects and nothing alike [PP-100]", () => {
    const expected = { "x-a": "1", "x-b": "2" };
    const pairs: [string, string][] = [
      ["X-A", "1"],
      ["x-b", " 2 "],
    ];
    assert.deepEqual(resolveHeaders({ "X-A": "1", "x-b": "2" }), expected);
    assert.deepEqual(resolveHeaders(pairs), expected);
    assert.deepEqual(resolveHeaders(new Map(pairs)), expected);
    assert.deepEqual(resolveHeaders(new Headers(pairs)), expected);
    assert.deepEqual(resolveHeaders(undefined), {});
  });

  it("joins several values of one name", () => {
    assert.deepEqual(
      resolveHeaders([
        ["x-a", "1"],
        ["X-A", "2"],
      ]),
      { "x-a": "1, 2" },
    );
  });

  it("refuses what cannot be sent, naming the header and never the value [PP-100]", () => {
    for (const value of ["\u30d1\u30b9", "a\r\nb: c", "a\0"]) {
      assert.throws(
        () => resolveHeaders({ "x-user": value }),
        (error: Error) => {
          assert.match(error.message, /the value of x-user has characters/);
          assert.ok(!error.message.includes(value));
          return true;
        },
      );
    }
    assert.throws(() => resolveHeaders({ "bad name": "a" }), { code: "MCP_USAGE", message: /"bad name"/ });
    assert.throws(() => resolveHeaders(new Map<string, string>([["x-n", 5 as unknown as string]])), {
      message: /x-n to be a string/,
    });
  });

  it("takes Latin-1, which goes over the wire as it is", () => {
    assert.deepEqual(resolveHeaders({ "x-name": "Jos\u00e9" }), { "x-name": "Jos\u00e9" });
  });
});
