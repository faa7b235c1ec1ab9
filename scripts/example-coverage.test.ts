import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findValuesWithoutExample, type ReadSource } from "./example-coverage.ts";

const example = "/**\n * Shown.\n *\n * @example\n * ```ts\n * export const other = 1;\n * ```\n */\n";
const reading =
  (files: Readonly<Record<string, string>>): ReadSource =>
  (path) =>
    files[path];

describe("findValuesWithoutExample", () => {
  it("names the values of an entry whose docstring has no example, and no types", () => {
    const source = `${example}export function shown() {}\n\n/** Told. */\nexport class Told {}\nexport const bare = 1;\nexport interface Shape {}\n`;
    assert.deepEqual(findValuesWithoutExample("src/a.ts", reading({ "src/a.ts": source })), ["Told", "bare"]);
  });

  it("follows re-exports, also renamed ones, to the declaration", () => {
    const files = {
      "src/index.ts": 'export { type T, shown as public, told } from "./deep/a.ts";\n',
      "src/deep/a.ts": `${example}export abstract class shown {}\n/** Told. */\nexport const told = 1;\n`,
    };
    assert.deepEqual(findValuesWithoutExample("src/index.ts", reading(files)), ["told"]);
  });

  it("takes any overload's example, and none of a neighbour", () => {
    const source = `${example}export function twice(a: 1): void;\nexport function twice(a: 2): void;\nexport const next = 1;\n`;
    assert.deepEqual(findValuesWithoutExample("src/a.ts", reading({ "src/a.ts": source })), ["next"]);
  });

  it("names a value whose declaration is not found", () => {
    const files = { "src/index.ts": 'export { gone } from "./none.ts";\n' };
    assert.deepEqual(findValuesWithoutExample("src/index.ts", reading(files)), ["gone"]);
  });
});
