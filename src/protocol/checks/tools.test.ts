import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkResult } from "../results.ts";

describe("checkResult of tools/list", () => {
  const list = (...tools: readonly unknown[]): string | undefined => checkResult("tools/list", { tools });
  const tool = { name: "a", inputSchema: { type: "object" } };

  it("wants an input schema of every tool, and names the one without [TOOL-002]", () => {
    assert.equal(list(tool), undefined);
    assert.equal(list(tool, { name: "b" }), "result.tools[1].inputSchema: expected an object, got nothing");
  });

  it("refuses hints that are no booleans and unknown task support [TASK-012]", () => {
    assert.match(list({ ...tool, annotations: { readOnlyHint: "yes" } }) ?? "", /readOnlyHint: expected true or false/);
    assert.match(
      list({ ...tool, execution: { taskSupport: "maybe" } }) ?? "",
      /taskSupport: expected "forbidden", "optional" or "required", got "maybe"/,
    );
  });
});
