import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tokenize } from "./source-text.ts";

const kindsAndTexts = (source: string): [string, string][] =>
  tokenize(source)
    .filter((token) => token.text.trim() !== "")
    .map((token) => [token.kind, token.text]);

describe("tokenize", () => {
  it("tells strings, comments and code apart", () => {
    assert.deepEqual(kindsAndTexts('a("x // y") // z "q"\nb'), [
      ["code", "a("],
      ["string", "x // y"],
      ["code", ") "],
      ["comment", '// z "q"'],
      ["code", "\nb"],
    ]);
  });

  it("takes a template with nested templates and braces as one token", () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the placeholder is the input under test
    const nested = "`a ${b ? `c ${d}` : { e: '}' }} f`";
    assert.deepEqual(kindsAndTexts(`${nested};`), [
      ["template", nested.slice(1, -1)],
      ["code", ";"],
    ]);
  });

  it("is not fooled by quotes in a regular expression, nor by a division", () => {
    assert.deepEqual(kindsAndTexts("x = /[\"/]'/g; y"), [
      ["code", "x = "],
      ["regex", "/[\"/]'/"],
      ["code", "g; y"],
    ]);
    assert.deepEqual(kindsAndTexts('a / b / "c"'), [
      ["code", "a / b / "],
      ["string", "c"],
    ]);
  });

  it("gives the whole source back and counts lines", () => {
    const source = '// one\nimport "a";\n/* two\nthree */ const x = `y`;\n';
    const tokens = tokenize(source);
    assert.equal(tokens.map((token) => source.slice(token.start, token.end)).join(""), source);
    assert.deepEqual(
      tokens.filter((token) => token.kind !== "code").map((token) => token.line),
      [1, 2, 3, 4],
    );
  });
});
