import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compareFindings } from "./check-package.ts";

describe("compareFindings", () => {
  it("reports a finding that is not accepted", () => {
    const found = [{ kind: "FalseCJS", entrypoint: "./server", resolutionKind: "bundler" }];
    assert.deepEqual(compareFindings(found, []), ['attw: FalseCJS at "./server" (bundler)']);
    assert.deepEqual(compareFindings(found, [{ kind: "FalseCJS", reason: "known" }]), []);
  });

  it("reports an accepted finding that no longer occurs", () => {
    assert.match(compareFindings([], [{ kind: "FalseCJS", reason: "known" }])[0] ?? "", /no longer occurs/);
  });
});
