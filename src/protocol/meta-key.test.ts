import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { isReservedMetaKey, maxMetaKeyLength, parseMetaKey } from "./meta-key.ts";

function accepted(keys: readonly string[]): void {
  for (const key of keys) {
    assert.equal(parseMetaKey(key).ok, true, key);
  }
}

function refused(keys: readonly string[]): void {
  for (const key of keys) {
    assert.equal(parseMetaKey(key).ok, false, key);
  }
}

describe("parseMetaKey", () => {
  it("cuts a key at its only slash into prefix and name [META-002]", () => {
    assert.deepEqual(parseMetaKey("com.example/x"), { ok: true, key: { prefix: "com.example", name: "x" } });
    assert.deepEqual(parseMetaKey("x"), { ok: true, key: { name: "x" } });
    refused(["/x", "a..b/x", "a/b/x", ".a/x", "a./x"]);
  });

  it("wants each label to start with a letter and to end with a letter or digit [META-003]", () => {
    accepted(["a1/x", "a-b.c/x", "A/x", "a--b/x"]);
    refused(["1a/x", "a-/x", "a_b/x", "-a/x", "a b/x", "é/x"]);
  });

  it("wants the name to start and end with a letter or digit, unless it is empty [META-005]", () => {
    accepted(["a", "a.b-c_d", "com.example/", "7", ""]);
    refused(["-a", "a_", "com.example/.a", "a.", "a b", "é", "a\n"]);
  });

  it("says which part is wrong", () => {
    const name = parseMetaKey("com.example/.a");
    assert.match(name.ok ? "" : name.problem, /has the name "\.a"/);
    const label = parseMetaKey("com.1example/a");
    assert.match(label.ok ? "" : label.problem, /has the label "1example"/);
  });

  it("refuses endless keys", () => {
    refused([`a${"-".repeat(maxMetaKeyLength)}a`]);
  });
});

describe("isReservedMetaKey", () => {
  it("looks at the second label of the prefix only [META-004]", () => {
    for (const key of ["io.modelcontextprotocol/x", "dev.mcp/", "com.mcp.tools/x", "org.modelcontextprotocol.api/x"]) {
      assert.equal(isReservedMetaKey(key), true, key);
    }
    for (const key of ["com.example.mcp/x", "mcp/x", "mcp", "com.mcpx/x", "com.example/mcp", "a..mcp/x"]) {
      assert.equal(isReservedMetaKey(key), false, key);
    }
  });
});
