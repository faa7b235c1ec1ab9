import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { checkToolName } from "./tool-name.ts";

describe("checkToolName", () => {
  it("accepts 1 to 128 letters, digits, underscores, hyphens and dots [TOOL-021]", () => {
    for (const name of ["a", "getUser", "DATA_EXPORT_v2", "admin.tools.list", "-._0", "x".repeat(128)]) {
      assert.equal(checkToolName(name), undefined, name);
    }
  });

  it("refuses empty and overlong names and says the limit [TOOL-021]", () => {
    assert.match(checkToolName("") ?? "", /1 to 128 characters.*empty/);
    assert.match(checkToolName("x".repeat(129)) ?? "", /1 to 128 characters.*129/);
  });

  it("names the first character that is not allowed, and where it stands [TOOL-021]", () => {
    assert.match(checkToolName("a b") ?? "", /" " at position 1/);
    assert.match(checkToolName("a,b") ?? "", /"," at position 1/);
    assert.match(checkToolName("naïve") ?? "", /"ï" at position 2/);
    assert.match(checkToolName("a\n") ?? "", /"\\n" at position 1/);
    assert.match(checkToolName("fs/read") ?? "", /"\/" at position 2/);
  });
});
