import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { decodeText, encodeMessage } from "./codec.ts";

describe("decodeText", () => {
  it("answers text that is no JSON with -32700 [BASE-014]", () => {
    const decoded = decodeText('{"jsonrpc":');
    assert.equal(decoded.ok || decoded.error.code, -32700);
  });

  it("answers JSON nested too deep with -32600 before it is parsed", () => {
    const decoded = decodeText(`${'{"a":'.repeat(2_000)}1${"}".repeat(2_000)}`);
    assert.equal(decoded.ok || decoded.error.code, -32600);
  });
});

describe("encodeMessage", () => {
  it("writes one line whatever stands in strings, and comes back the same [STDIO-003]", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const message = { jsonrpc: "2.0", method: "x", params: { text: `${text}\r\n\u2028` } } as const;
        const line = encodeMessage(message);
        assert.doesNotMatch(line, /[\r\n]/);
        assert.deepEqual(decodeText(line), { ok: true, value: message });
      }),
    );
  });
});
