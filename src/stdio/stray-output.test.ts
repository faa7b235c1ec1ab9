import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Diagnostic } from "../base/diagnostic.ts";
import { isStray, StrayOutput } from "./stray-output.ts";

describe("isStray", () => {
  it("tells print statements and JSON logs from messages, right or wrong [PP-029]", () => {
    for (const value of [42, "text", null, true, [], [1, 2], {}, { level: 30, msg: "x", id: 1 }]) {
      assert.equal(isStray(value), true, JSON.stringify(value));
    }
    for (const value of [
      { jsonrpc: "1.0" },
      { method: "x" },
      { id: 1, result: {} },
      { error: {} },
      [{ jsonrpc: "2.0" }],
    ]) {
      assert.equal(isStray(value), false, JSON.stringify(value));
    }
  });
});

describe("StrayOutput", () => {
  it("reports the first lines as they are, cut where they are long, and counts the others [PP-029]", () => {
    const diagnostics: Diagnostic[] = [];
    const stray = new StrayOutput((diagnostic) => diagnostics.push(diagnostic));
    stray.add("x".repeat(1_000_000));
    for (let index = 0; index < 99; index += 1) {
      stray.add(`print "${index}"`);
    }
    stray.summarize();
    assert.equal(stray.count, 100);
    assert.equal(diagnostics.length, 6);
    assert.deepEqual(diagnostics[0]?.detail, { line: `${"x".repeat(500)}...`, count: 1 });
    assert.deepEqual(diagnostics[1]?.detail, { line: 'print "0"', count: 2 });
    assert.match(diagnostics[5]?.message ?? "", /^100 lines/);
  });

  it("needs no summary where each line was reported", () => {
    const diagnostics: Diagnostic[] = [];
    const stray = new StrayOutput((diagnostic) => diagnostics.push(diagnostic));
    stray.add("once");
    stray.summarize();
    assert.equal(diagnostics.length, 1);
  });
});
