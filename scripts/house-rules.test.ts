import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkHouseRules } from "./house-rules.ts";

const rulesOf = (source: string, path = "src/a/b.ts"): string[] =>
  checkHouseRules(new Map([[path, source]])).map(({ line, rule }) => `${line} ${rule}`);

describe("checkHouseRules", () => {
  it("wants a header of at most eight lines, except in tests", () => {
    assert.deepEqual(rulesOf("// What it is.\n\nexport const a = 1;\n"), []);
    assert.deepEqual(rulesOf("#!/usr/bin/env node\n// What it is.\n"), []);
    assert.deepEqual(rulesOf("export const a = 1;\n"), ["1 rule 15 of style (header)"]);
    assert.deepEqual(rulesOf("// x\n".repeat(9)), ["1 rule 15 of style (header)"]);
    assert.deepEqual(rulesOf("export const a = 1;\n", "src/a/b.test.ts"), []);
  });

  it("refuses a promise of later work in a comment, but not in a string", () => {
    assert.deepEqual(rulesOf("// What it is.\n\nconst a = 1; // TODO more\n"), ["3 rule 15 of style (comments)"]);
    assert.deepEqual(rulesOf('// What it is.\n\nconst a = "TODO";\n'), []);
  });

  it("counts the public members of a class, overloads and accessor pairs once", () => {
    const members = (count: number): string =>
      Array.from({ length: count }, (_, index) => `  member${index}(): void {}\n`).join("");
    const others = "  #secret = 1;\n  constructor() {}\n  get member0(): 1 { return 1; }\n  member1(a: 1): void;\n";
    const make = (count: number): string => `// X.\nexport class A {\n${others}${members(count)}}\n`;
    assert.deepEqual(rulesOf(make(20)), []);
    assert.deepEqual(rulesOf(make(21)), ["2 rule 1 of style (classes)"]);
  });

  it("refuses a call at module scope that is not marked pure", () => {
    const header = "// What it is.\n\n";
    const refused = [
      "const a = make(1);",
      "export const a: Map<string, X> = make<X>(1);",
      "setup();",
      "const a = new Thing();",
    ];
    for (const line of refused) {
      assert.deepEqual(rulesOf(`${header}${line}\n`), ["3 style (module scope)"], line);
    }
    const accepted = [
      "const a = /* @__PURE__ */ make(1);",
      "const a = (b: string): string => make(b);",
      "const a = async (b: string) => make(b);",
      "export function a(b: string): void {",
      "const a = new Set([1]);",
      'const a: unique symbol = Symbol.for("a");',
      "export class A extends B {",
      "/*\nmake(1);\n*/",
    ];
    for (const line of accepted) {
      assert.deepEqual(rulesOf(`${header}${line}\n`), [], line);
    }
  });

  it("refuses a double cast, save with a reason where foreign data gets its type", () => {
    const cast = "const a = b as unknown as C;\n";
    assert.deepEqual(rulesOf(`// X.\n\n${cast}`), ["3 style (casts)"]);
    assert.deepEqual(rulesOf(`// X.\n\n${cast}`, "src/protocol/a.ts"), ["3 style (casts)"]);
    assert.deepEqual(rulesOf(`// X.\n\n// The checker has seen every key.\n${cast}`, "src/protocol/a.ts"), []);
    assert.deepEqual(rulesOf("// X.\n\nconst a = b as C;\n"), []);
  });
});
