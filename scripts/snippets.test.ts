import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { extractRegion, findDocExamples, syncPage } from "./snippets.ts";

const example = "a;\n// #region one\n  if (b) {\n    c;\n  }\n\n  d;\n// #endregion\ne;\n";
const fence = (content: string, of = "examples/x.ts#one"): string =>
  `# T\n\n\`\`\`ts file=${of}\n${content}\n\`\`\`\nend\n`;
const read = (file: string): string | undefined => (file === "examples/x.ts" ? example : undefined);

describe("extractRegion", () => {
  it("gives the lines of the region without their common indent", () => {
    assert.deepEqual(extractRegion(example, "one"), ["if (b) {", "  c;", "}", "", "d;"]);
  });

  it("gives the whole file without a name, and nothing for an unknown one", () => {
    assert.deepEqual(extractRegion("a;\nb;\n", undefined), ["a;", "b;"]);
    assert.equal(extractRegion(example, "two"), undefined);
  });
});

describe("syncPage", () => {
  it("accepts a fence that shows its region", () => {
    const page = fence("if (b) {\n  c;\n}\n\nd;");
    assert.deepEqual(syncPage("README.md", page, read), { text: page, mismatches: [] });
  });

  it("reports a fence that differs, and fills it", () => {
    const { text, mismatches } = syncPage("README.md", fence("old;"), read);
    assert.equal(text, fence("if (b) {\n  c;\n}\n\nd;"));
    assert.deepEqual(
      mismatches.map(({ line }) => line),
      [3],
    );
  });

  it("reports a file or a region that does not exist and leaves the fence alone", () => {
    const missing = syncPage("README.md", fence("x;", "examples/none.ts"), read);
    assert.match(missing.mismatches[0]?.message ?? "", /examples\/none\.ts does not exist/);
    assert.equal(missing.text, fence("x;", "examples/none.ts"));
    const unknown = syncPage("README.md", fence("x;", "examples/x.ts#two"), read);
    assert.match(unknown.mismatches[0]?.message ?? "", /no region "two"/);
  });
});

describe("findDocExamples", () => {
  it("takes the code blocks of examples and no others", () => {
    const source = [
      "/**",
      " * Adds.",
      " * ```ts",
      " * notAnExample();",
      " * ```",
      " * @example",
      " * ```ts",
      " * add(1,",
      " *   2);",
      " * ```",
      " * @returns ```x```",
      " */",
      "export const add = 1;",
      "// @example",
    ].join("\n");
    assert.deepEqual(findDocExamples("src/a.ts", source), [{ path: "src/a.ts", line: 8, code: "add(1,\n  2);" }]);
  });
});
