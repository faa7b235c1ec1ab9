import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";

import { decodeBase64, encodeBase64, isBase64 } from "./base64.ts";

const vectors: readonly [plain: string, encoded: string][] = [
  ["", ""],
  ["f", "Zg=="],
  ["fo", "Zm8="],
  ["foo", "Zm9v"],
  ["foob", "Zm9vYg=="],
  ["fooba", "Zm9vYmE="],
  ["foobar", "Zm9vYmFy"],
];

describe("encodeBase64", () => {
  it("gives the vectors of RFC 4648", () => {
    for (const [plain, encoded] of vectors) {
      assert.equal(encodeBase64(new TextEncoder().encode(plain)), encoded);
    }
  });

  it("agrees with the platform for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.equal(encodeBase64(bytes), Buffer.from(bytes).toString("base64"));
      }),
    );
  });
});

describe("decodeBase64", () => {
  it("gives the vectors of RFC 4648 back", () => {
    for (const [plain, encoded] of vectors) {
      assert.equal(new TextDecoder().decode(decodeBase64(encoded)), plain);
    }
  });

  it("gives back any bytes that were encoded", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        assert.deepEqual(decodeBase64(encodeBase64(bytes)), Uint8Array.from(bytes));
      }),
    );
  });

  it("refuses what is not the one spelling of its bytes", () => {
    for (const text of ["Zg", "Zg=", "Zh==", "Zm9=", "Zm9v\n", "Zm 9v", "Zm-_", "=", "====", "Zg==Zg==", "ééé="]) {
      assert.equal(decodeBase64(text), undefined, text);
    }
  });

  it("takes ten megabytes without running out of stack", () => {
    const bytes = new Uint8Array(10_000_000).fill(0xa7);
    const decoded = decodeBase64(encodeBase64(bytes));
    assert.equal(decoded?.length, bytes.length);
    assert.equal(decoded?.at(-1), 0xa7);
  });
});

describe("isBase64", () => {
  it("accepts padded text in the standard alphabet and nothing else", () => {
    assert.equal(isBase64("AP8="), true);
    assert.equal(isBase64("+/+/"), true);
    assert.equal(isBase64("AP8"), false);
    assert.equal(isBase64("AP9="), false);
    assert.equal(isBase64("-_-_"), false);
  });
});
