import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

import fc from "fast-check";

import { UsageError } from "../base/error.ts";
import {
  expandUriTemplate,
  maxTemplateExpressions,
  maxTemplateLength,
  maxTemplateVariables,
  parseUriTemplate,
  type UriTemplate,
  type UriTemplateInput,
} from "./uri-template.ts";
import { createUriTemplateMatcher } from "./uri-template-match.ts";

interface Group {
  readonly variables: Record<string, UriTemplateInput>;
  readonly testcases: readonly [template: string, expected: string | readonly string[] | false][];
}

const suite = new URL("../../../shared/suites/uri-template/", import.meta.url);
const present = existsSync(suite);
const skip = present || process.env.CI ? false : "the official vectors are not beside this checkout";

function template(text: string): UriTemplate {
  const result = parseUriTemplate(text);
  assert.ok(result.ok, result.ok ? "" : result.problem);
  return result.template;
}

function problem(text: string): string {
  const result = parseUriTemplate(text);
  assert.equal(result.ok, false, text);
  return result.ok ? "" : result.problem;
}

function expand(text: string, values: Record<string, UriTemplateInput>): string {
  return expandUriTemplate(template(text), values);
}

function expandOrFail(text: string, values: Record<string, UriTemplateInput>): string | false {
  const parsed = parseUriTemplate(text);
  try {
    return parsed.ok && expandUriTemplate(parsed.template, values);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return false;
  }
}

const sign = fc.constantFrom(
  ..."{}+#./;?&*,:%=|!@$ \n\r\u0000\u2028é漢😀\ud800a0",
  ":1",
  ":99999",
  "%2F",
  "%ff",
  "%c3%A9",
);
const piece = fc.constantFrom(
  "x://",
  "/",
  "{a}",
  "{+b}",
  "{#c}",
  "{.d*}",
  "{/e:3,f}",
  "{;g,h*}",
  "{?i*,j}",
  "{&k}",
  "{%C3%A9}",
);
const pieces = (text: fc.Arbitrary<string>) => fc.array(text, { maxLength: 12 }).map((parts) => parts.join(""));
const noise = fc.oneof(fc.string({ unit: "binary" }), pieces(sign), pieces(fc.oneof(sign, piece)), pieces(piece));
const longNoise = fc.tuple(noise, fc.nat(500)).map(([text, times]) => text.repeat(times));

describe("parseUriTemplate", () => {
  it("gives literals and expressions in order, with operators and modifiers", () => {
    assert.deepEqual(template("db://{+host}/{table:3}{?cols*,limit}"), {
      text: "db://{+host}/{table:3}{?cols*,limit}",
      parts: [
        { kind: "literal", text: "db://" },
        { kind: "expression", operator: "+", variables: [{ name: "host", explode: false }] },
        { kind: "literal", text: "/" },
        { kind: "expression", operator: "", variables: [{ name: "table", explode: false, prefixLength: 3 }] },
        {
          kind: "expression",
          operator: "?",
          variables: [
            { name: "cols", explode: true },
            { name: "limit", explode: false },
          ],
        },
      ],
      variableNames: ["host", "table", "cols", "limit"],
    });
  });

  it("percent-encodes literals outside ASCII", () => {
    assert.deepEqual(template("x://ü/").parts, [{ kind: "literal", text: "x://%C3%BC/" }]);
  });

  it("says what is wrong and where", () => {
    assert.match(problem("x://{id"), /position 4 .* never closed/);
    assert.match(problem("x://id}"), /"}" only percent-encoded; it stands at position 6/);
    assert.match(problem("x://a b"), /" " only percent-encoded; it stands at position 5/);
    assert.match(problem("x://%zz"), /"%" only percent-encoded/);
    assert.match(problem("x://{}"), /position 4 needs names .* it has ""/);
    assert.match(problem("x://{a b}"), /it has "a b"/);
    assert.match(problem("x://{a:0}"), /it has "a:0"/);
  });

  it("bounds the length of a template and the number of its expressions and variables [PP-080]", () => {
    assert.match(problem("a".repeat(maxTemplateLength + 1)), /4096 characters.*4097/);
    assert.equal(parseUriTemplate("{a,b}/".repeat(maxTemplateExpressions)).ok, true);
    assert.match(problem("{a}/".repeat(maxTemplateExpressions + 1)), /12 expressions.*13/);
    assert.match(problem(`{${"a,".repeat(maxTemplateVariables)}b}`), /32 variables.*33/);
  });

  it("takes any text or refuses it on one line, and what it takes meets any URI without a fault [PP-080]", () => {
    const reached = { refused: 0, ambiguous: 0, unmatched: 0, matched: 0 };
    const fillings = fc.array(noise, { minLength: 1, maxLength: 4 });
    const refuses = (why: string): void => assert.match(why, /^[^\n\r]{10,30000}$/);
    fc.assert(
      fc.property(fc.oneof(noise, longNoise), fc.array(longNoise), fillings, (text, uris, filling) => {
        const parsed = parseUriTemplate(text);
        const made = parsed.ok ? createUriTemplateMatcher(parsed.template) : parsed;
        if (!parsed.ok || !made.ok) {
          reached[parsed.ok ? "ambiguous" : "refused"] += 1;
          return refuses(made.ok ? "" : made.problem);
        }
        const { parts, variableNames } = parsed.template;
        const near = parts.map((part, at) => (part.kind === "literal" ? part.text : filling[at % filling.length]));
        for (const uri of [...uris, text, near.join("")]) {
          const match = made.match(uri);
          reached[match.ok ? "matched" : "unmatched"] += 1;
          if (!match.ok) {
            refuses(match.problem);
            continue;
          }
          assert.ok(Object.keys(match.values).every((name) => variableNames.includes(name)));
          assert.ok(Object.values(match.values).flat().join("").length <= uri.length, "no more comes out than went in");
        }
      }),
      { numRuns: 1_000 },
    );
    assert.ok(Math.min(...Object.values(reached)) > 10, JSON.stringify(reached));
  });
});

describe("expandUriTemplate", () => {
  for (const file of ["spec-examples", "spec-examples-by-section", "extended-tests", "negative-tests"]) {
    it(`gives what the official vectors in ${file} expect [PP-079]`, { skip }, () => {
      const groups: Record<string, Group> = JSON.parse(readFileSync(new URL(`${file}.json`, suite), "utf8"));
      let count = 0;
      for (const { variables, testcases } of Object.values(groups)) {
        for (const [text, expected] of testcases) {
          const actual = expandOrFail(text, variables);
          const accepted = Array.isArray(expected) ? expected : [expected];
          assert.ok(accepted.includes(actual), `${text}: expected ${JSON.stringify(expected)}, got ${actual}`);
          count += 1;
        }
      }
      assert.ok(count > 10);
    });
  }

  it("keeps encoding and operator with several variables [PP-079]", () => {
    assert.equal(expand("{+a,b}/x{?c,d}", { a: "/p q", b: "é", c: "&", d: "=" }), "/p%20q,%C3%A9/x?c=%26&d=%3D");
  });

  it("escapes every reserved character in a simple value", () => {
    assert.equal(expand("{v}", { v: "'()*!:/?#[]@$&+,;=" }), "%27%28%29%2A%21%3A%2F%3F%23%5B%5D%40%24%26%2B%2C%3B%3D");
  });

  it("leaves only URI characters in a reserved value, and drops none", () => {
    assert.equal(expand("{+v}", { v: '<"\\^`{|}>\n\u0085' }), "%3C%22%5C%5E%60%7B%7C%7D%3E%0A%C2%85");
    assert.equal(expand("{+v}", { v: "%%41%é" }), "%25%41%25%C3%A9");
    assert.equal(expand("{+v:2}", { v: "%20x" }), "%252");
  });

  it("reads own properties only", () => {
    assert.equal(expand("x{constructor}{?toString}", {}), "x");
  });

  it("knows a variable that stands twice in one expression with different prefixes", () => {
    assert.equal(expand("{+v:1,v}", { v: "ab" }), "a,ab");
    assert.equal(expand("{/v:1,v}", { v: "ab" }), "/a/ab");
  });

  it("refuses values that no URI can carry", () => {
    assert.throws(() => expand("{v}", { v: "\ud800" }), UsageError);
    assert.throws(() => expand("{v:1}", { v: ["a"] }), UsageError);
    assert.throws(() => expand("{v}", { v: [{}] as unknown as string[] }), /"v" got object/);
    assert.throws(() => expand("{v}", { v: (() => 1) as unknown as string }), /"v" got function/);
  });
});
