import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AuthorizationRecord, describeSteps } from "./record.ts";

describe("AuthorizationRecord", () => {
  it("keeps each step as one short line without control characters, whoever wrote it", () => {
    const record = new AuthorizationRecord(() => 7);
    const hostile = "a\u001b[2J\r\nok: forged\u202egnp\u2066\u200f\u0085\u2028b";
    record.add("token", "failed", hostile + "x".repeat(200_000), "https://as.example/\u001b\ntoken");
    const [step] = record.steps;
    assert.match(step?.detail ?? "", /^a \[2J ok: forged gnp b/);
    assert.ok((step?.detail.length ?? 0) <= 500);
    assert.equal(step?.url, "https://as.example/ token");
    assert.equal(describeSteps(record.steps).split("\n").length, 2);
  });

  it("keeps the last 200 steps", () => {
    const record = new AuthorizationRecord(() => 7);
    for (let index = 0; index <= 200; index += 1) {
      record.add("access", "ok", `${index}`);
    }
    assert.deepEqual([record.steps.length, record.steps[0]?.detail], [200, "1"]);
  });
});
