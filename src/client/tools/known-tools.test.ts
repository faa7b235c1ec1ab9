import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import { createValidator } from "../../schema/compile.ts";
import type { CompileOptions, JsonSchemaValidator } from "../../schema/validator.ts";
import { KnownTools } from "./known-tools.ts";

const toTool = (name: string, outputSchema?: object): Tool => ({
  name,
  inputSchema: { type: "object" },
  ...(outputSchema && { outputSchema: { ...outputSchema } }),
});

function create() {
  const compiled: (CompileOptions | undefined)[] = [];
  const builtIn = createValidator();
  const validator: JsonSchemaValidator = {
    compile: (schema, options) => {
      compiled.push(options);
      return builtIn.compile(schema, options);
    },
  };
  const diagnostics: Diagnostic[] = [];
  const known = new KnownTools(validator, (diagnostic) => diagnostics.push(diagnostic));
  const faultOf = (tool: Tool, structuredContent: unknown) =>
    known.findOutputFault(tool, { content: [], structuredContent });
  return { known, compiled, diagnostics, faultOf };
}

describe("KnownTools", () => {
  it("finds what does not fit the output schema [TOOL-016] [JSCH-001]", () => {
    const { faultOf } = create();
    const tool = toTool("t", { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] });
    assert.equal(faultOf(tool, ["a", 1]), undefined);
    assert.match(faultOf(tool, [1, "a"]) ?? "", /structuredContent/);
  });

  it("misses structured content unless the tool failed [TOOL-016]", () => {
    const { known } = create();
    const tool = toTool("t", { type: "object" });
    assert.match(known.findOutputFault(tool, { content: [] }) ?? "", /expected structuredContent/);
    assert.equal(known.findOutputFault(tool, { content: [], isError: true }), undefined);
    assert.equal(known.findOutputFault(toTool("u"), { content: [] }), undefined);
  });

  it("compiles when first needed, once per listed tool, and as a stranger's schema [TOOL-016]", () => {
    const { known, compiled, faultOf } = create();
    const tool = toTool("t", { type: "object" });
    known.learn([tool]);
    assert.equal(compiled.length, 0);
    faultOf(tool, {});
    faultOf(tool, {});
    assert.deepEqual(compiled, [{ untrusted: true }]);
  });

  it("keeps schemas with the same $id apart, in either order [PP-016]", () => {
    const { faultOf } = create();
    const $id = "https://example.com/same";
    const numbers = toTool("n", { $id, type: "object", properties: { v: { type: "number" } } });
    const strings = toTool("s", { $id, type: "object", properties: { v: { type: "string" } } });
    for (const [tool, good, bad] of [
      [numbers, 1, "x"],
      [strings, "x", 1],
      [numbers, 1, "x"],
    ] as const) {
      assert.equal(faultOf(tool, { v: good }), undefined);
      assert.ok(faultOf(tool, { v: bad }));
    }
  });

  it("follows the dialect that the schema declares [JSCH-003] [PP-053]", () => {
    const { faultOf } = create();
    const items = [{ type: "string" }];
    const draft7 = toTool("old", { $schema: "http://json-schema.org/draft-07/schema#", type: "array", items });
    assert.ok(faultOf(draft7, [1]));
    assert.equal(faultOf(draft7, ["a"]), undefined);
  });

  it("says clearly, once, that an unknown dialect leaves results unvalidated [JSCH-004] [PP-053]", () => {
    const { diagnostics, faultOf } = create();
    const tool = toTool("t", { $schema: "https://example.com/x", type: "object" });
    assert.equal(faultOf(tool, 5), undefined);
    assert.equal(faultOf(tool, 6), undefined);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_OUTPUT_UNVALIDATED"],
    );
    assert.match(diagnostics[0]?.message ?? "", /results of t are not validated.*https:\/\/example\.com\/x/);
  });

  it("forgets what is not in a whole list, and keeps what a page does not mention [PP-049]", () => {
    const { known } = create();
    known.learn([toTool("a"), toTool("b")]);
    known.learn([toTool("c")]);
    assert.ok(known.get("a"));
    known.replace([toTool("c")]);
    assert.equal(known.get("a"), undefined);
    assert.ok(known.get("c"));
  });

  it("remembers a bounded number of tools", () => {
    const { known } = create();
    known.learn(Array.from({ length: 10_001 }, (_, index) => toTool(`t${index}`)));
    assert.equal(known.get("t0"), undefined);
    assert.ok(known.get("t10000"));
  });
});
