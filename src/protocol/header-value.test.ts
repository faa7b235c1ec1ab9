import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { checkHeaderValue, decodeHeaderValue, encodeHeaderValue, trimHeaderValue } from "./header-value.ts";

function encode(value: string | number | boolean): string {
  const encoded = encodeHeaderValue(value);
  assert.ok(encoded.ok, JSON.stringify(encoded));
  return encoded.value;
}

function problemOf(text: string): string {
  const decoded = decodeHeaderValue(text);
  assert.equal(decoded.ok, false, text);
  return decoded.ok ? "" : decoded.problem;
}

/** Any text with a UTF-8 form, with much of what headers stumble over. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ unit: fc.constantFrom(" ", "\t", "\r", "\n", "a", "=", "?", "é", "\ufeff", "\u0000"), maxLength: 12 }),
  fc.string().map((text) => `=?base64?${text}?=`),
);

describe("encodeHeaderValue", () => {
  it("leaves visible ASCII with inner spaces as it is, and the empty text empty [M-HDR-006] [M-HDR-010]", () => {
    for (const text of ["us-west1", "a b  c", "", "!", "~", "file:///a/b.json?x=1", '{"a": [1]}']) {
      assert.equal(encode(text), text);
    }
  });

  it("encodes whatever could be lost or end the line [M-HDR-006]", () => {
    assert.equal(encode("世界"), "=?base64?5LiW55WM?=");
    assert.equal(encode("a\r\nX: y"), "=?base64?YQ0KWDogeQ==?=");
    assert.equal(encode(" padded "), "=?base64?IHBhZGRlZCA=?=");
    for (const text of [" a", "a ", "\ta", "a\tb", "a\nb", "\u0000", "a\u007f", "\u00a0", " "]) {
      assert.match(encode(text), /^=\?base64\?[\w+/]+=*\?=$/, JSON.stringify(text));
    }
  });

  it("encodes a plain value that looks encoded [M-HDR-007]", () => {
    assert.equal(encode("=?base64?literal?="), "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=");
    assert.equal(encode("=?base64?="), "=?base64?PT9iYXNlNjQ/PQ==?=");
    assert.equal(encode("=?BASE64?literal?="), "=?BASE64?literal?=");
  });

  it("writes integers in decimal and booleans as words [M-HDR-010]", () => {
    assert.deepEqual([42, -7, 42.0, 0, -0, Number.MAX_SAFE_INTEGER].map(encode), [
      "42",
      "-7",
      "42",
      "0",
      "0",
      "9007199254740991",
    ]);
    assert.deepEqual([true, false].map(encode), ["true", "false"]);
  });

  it("refuses numbers that are not whole or beyond 2^53 - 1 [M-HDR-013]", () => {
    for (const value of [1.5, 2 ** 53, -(2 ** 53), 1e300, Number.NaN, Number.POSITIVE_INFINITY]) {
      const encoded = encodeHeaderValue(value);
      assert.equal(encoded.ok, false, String(value));
      assert.match(encoded.ok ? "" : encoded.problem, /2\^53 - 1, got /);
    }
  });

  it("refuses half of a surrogate pair, which UTF-8 cannot hold", () => {
    assert.equal(encodeHeaderValue("a\ud800").ok, false);
    assert.equal(encodeHeaderValue("a\u{1f600}").ok, true);
  });

  it("gives what HTTP carries unchanged and what decodes to the same, for any text [M-HDR-006] [M-HDR-007]", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const encoded = encode(text);
        assert.match(encoded, /^[\x20-\x7e]*$/);
        assert.equal(new Headers({ "mcp-name": encoded }).get("mcp-name"), encoded);
        assert.deepEqual(decodeHeaderValue(encoded), { ok: true, value: text });
      }),
    );
  });
});

describe("decodeHeaderValue", () => {
  it("trims spaces and tabs around the value and keeps those inside [M-HDR-004]", () => {
    assert.deepEqual(decodeHeaderValue(" \t tools/list\t "), { ok: true, value: "tools/list" });
    assert.deepEqual(decodeHeaderValue("a \t b"), { ok: true, value: "a \t b" });
    assert.deepEqual(decodeHeaderValue("  "), { ok: true, value: "" });
    assert.deepEqual(decodeHeaderValue(" =?base64?eA==?= "), { ok: true, value: "x" });
  });

  it("takes a value as encoded only with both markers as they are written [M-HDR-008]", () => {
    for (const text of [
      "=?BASE64?eA==?=",
      "=?Base64?eA==?=",
      "=?base64?eA==",
      "eA==?=",
      "=?base64?=",
      "a=?base64?eA==?=",
      "=?base64?eA==?=a",
      "eA==",
    ]) {
      assert.deepEqual(decodeHeaderValue(text), { ok: true, value: text });
    }
    assert.deepEqual(decodeHeaderValue("=?base64?eA==?="), { ok: true, value: "x" });
    assert.deepEqual(decodeHeaderValue("=?base64??="), { ok: true, value: "" });
  });

  it("refuses broken Base64 and bytes that are no UTF-8 [M-HDR-009]", () => {
    for (const base64 of ["SGVsbG8", "SGVs!!!bG8=", "SGVsbG9=", "SGVs bG8=", "=", "SGVsbG8=SGVsbG8=", "_-8="]) {
      assert.match(problemOf(`=?base64?${base64}?=`), /^expected Base64 with padding/);
    }
    assert.match(problemOf("=?base64?/w==?="), /^expected UTF-8 behind the Base64 "\/w=="/);
  });

  it("refuses characters that a header cannot have and says where they stand [M-HDR-009]", () => {
    for (const text of ["aé", "a\u0000", "a\nb", "a\u007f", "a\u00a0"]) {
      assert.match(problemOf(text), /^expected visible ASCII.* at position 1$/);
    }
  });

  it("keeps a byte order mark, which is part of the value", () => {
    assert.deepEqual(decodeHeaderValue(encode("\ufeffx")), { ok: true, value: "\ufeffx" });
  });

  it("answers anything without throwing, and never takes one text for two values [M-HDR-009]", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const decoded = decodeHeaderValue(text);
        if (decoded.ok && encodeHeaderValue(decoded.value).ok) {
          assert.deepEqual(decodeHeaderValue(encode(decoded.value)), decoded);
        }
      }),
    );
  });
});

describe("checkHeaderValue", () => {
  it("takes the plain and the encoded form of the value in the body [M-HDR-009]", () => {
    assert.equal(checkHeaderValue("add", "add", "params.name"), undefined);
    assert.equal(checkHeaderValue("=?base64?YWRk?=", "add", "params.name"), undefined);
    assert.equal(checkHeaderValue("=?base64?NDI=?=", 42, "params.n"), undefined);
    assert.equal(checkHeaderValue("", "", "params.name"), undefined);
  });

  it("names both values where they differ, and case counts [M-HDR-003] [M-HDR-004]", () => {
    assert.equal(checkHeaderValue("ADD", "add", "params.name"), 'expected "add", as params.name says, got "ADD"');
    assert.equal(
      checkHeaderValue(undefined, "add", "params.name"),
      'expected "add", as params.name says, got no such header',
    );
    assert.equal(checkHeaderValue("", "add", "params.name"), 'expected "add", as params.name says, got ""');
  });

  it("compares integers by their number, without rounding [M-HDR-021]", () => {
    for (const same of ["42", "42.0", "42.000", " 42 "]) {
      assert.equal(checkHeaderValue(same, 42, "n"), undefined, same);
    }
    for (const other of ["43", "42.5", "42.00000000000000000001", "042", "0x2a", "4.2e1", "+42", "", "42.", "true"]) {
      assert.notEqual(checkHeaderValue(other, 42, "n"), undefined, other);
    }
    assert.equal(checkHeaderValue("-0", 0, "n"), undefined);
    assert.notEqual(checkHeaderValue("9007199254740992", Number.MAX_SAFE_INTEGER, "n"), undefined);
  });

  it("compares texts as texts and booleans as words [M-HDR-020]", () => {
    assert.notEqual(checkHeaderValue("42.0", "42", "n"), undefined);
    assert.equal(checkHeaderValue("true", true, "n"), undefined);
    assert.notEqual(checkHeaderValue("TRUE", true, "n"), undefined);
    assert.notEqual(checkHeaderValue("1", true, "n"), undefined);
  });

  it("refuses a body whose integer no header can hold [M-HDR-013]", () => {
    assert.match(checkHeaderValue("9007199254740992", 2 ** 53, "params.n") ?? "", /2\^53 - 1.*, in params\.n$/);
  });

  it("quotes only the beginning of a long value", () => {
    assert.ok((checkHeaderValue("y".repeat(9_000), "x".repeat(9_000), "params.name") ?? "").length < 250);
  });
});

describe("trimHeaderValue", () => {
  it("takes spaces and tabs off both ends, also off very many, and nothing else", () => {
    const blanks = " \t".repeat(200_000);
    assert.equal(trimHeaderValue(`${blanks}a${blanks}b${blanks}`), `a${blanks}b`);
    assert.equal(trimHeaderValue("\u00a0a\n"), "\u00a0a\n");
  });
});
