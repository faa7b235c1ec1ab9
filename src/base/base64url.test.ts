import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";

import { decodeBase64Url, encodeBase64Url } from "./base64url.ts";

describe("encodeBase64Url", () => {
  it("agrees with the platform for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.equal(encodeBase64Url(bytes), Buffer.from(bytes).toString("base64url"));
      }),
    );
  });
});

describe("decodeBase64Url", () => {
  it("gives back any bytes that were encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.deepEqual(decodeBase64Url(encodeBase64Url(bytes)), Uint8Array.from(bytes));
      }),
    );
  });

  it("refuses padding, the other alphabet, impossible lengths and stray bits", () => {
    for (const text of ["Zg==", "+/+/", "A", "AAAAA", "Zh", "Zm9", "a b", "a\n"]) {
      assert.equal(decodeBase64Url(text), undefined, text);
    }
  });
});
