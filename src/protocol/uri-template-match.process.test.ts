import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";

import { maxUriLength } from "./resource-uri.ts";
import { expandUriTemplate, parseUriTemplate, type UriTemplateInput } from "./uri-template.ts";
import { createUriTemplateMatcher, type UriTemplateMatch, type UriTemplateMatcher } from "./uri-template-match.ts";

function matcher(text: string): UriTemplateMatcher {
  const parsed = parseUriTemplate(text);
  const result = parsed.ok ? createUriTemplateMatcher(parsed.template) : parsed;
  assert.ok(result.ok, result.ok ? "" : result.problem);
  return result.match;
}

function expand(text: string, values: Record<string, UriTemplateInput>): string {
  const parsed = parseUriTemplate(text);
  assert.ok(parsed.ok);
  return expandUriTemplate(parsed.template, values);
}

function values(text: string, uri: string): Record<string, unknown> | string {
  const match = matcher(text)(uri);
  return match.ok ? match.values : match.reason;
}

function ambiguity(text: string): string {
  const parsed = parseUriTemplate(text);
  const result = parsed.ok ? createUriTemplateMatcher(parsed.template) : undefined;
  assert.equal(result?.ok, false, text);
  return result?.ok === false ? result.problem : "";
}

const anyText = fc.string({ unit: "binary", minLength: 1, maxLength: 12 });
const reservedText = fc
  .array(fc.constantFrom(..."%/?#[]@!$&'()*+,;=:é漢😀 .~-_\"<>\\^`{|}a0"), { minLength: 1, maxLength: 12 })
  .map((letters) => letters.join(""));
const value = fc.oneof(anyText, reservedText);
const possiblyEmpty = fc.oneof(value, fc.constant(""));
const list = fc.array(possiblyEmpty, { minLength: 1, maxLength: 4 });
/** `{+x}` keeps escapes that are in the value, so only values without any can come back as they were. */
const withoutEscape = value.filter((text) => !/%[0-9A-Fa-f]{2}/.test(text));
/** A dot is never escaped, so a value behind `{.x}` must not hold one to be told from its neighbour. */
const withoutDot = possiblyEmpty.filter((text) => !text.includes("."));

function roundTrip(text: string, model: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]): void {
  const match = matcher(text);
  fc.assert(
    fc.property(fc.record(model, { requiredKeys }), (input) => {
      const expected = Object.fromEntries(Object.entries(input));
      const uri = expand(text, expected as Record<string, UriTemplateInput>);
      assert.deepEqual(match(uri), { ok: true, values: expected }, uri);
    }),
    { numRuns: 200 },
  );
}

describe("createUriTemplateMatcher: what was expanded comes back", () => {
  it("at level 1, for values of any characters [PP-077]", () => {
    roundTrip("note://{folder}/{id}", { folder: value, id: value }, ["folder", "id"]);
    roundTrip("x:{a}:{b},{c}", { a: value, b: value, c: value }, ["a", "b", "c"]);
  });

  it("at level 2, for reserved and fragment expressions [PP-077]", () => {
    roundTrip("file:///{+path}", { path: withoutEscape }, ["path"]);
    roundTrip("file:///{+path}/end", { path: withoutEscape }, ["path"]);
    roundTrip("x:{id}{#part}", { id: value, part: withoutEscape }, ["id"]);
  });

  it("at level 3, for several variables and every sign, absent ones included [PP-077]", () => {
    roundTrip("x:{a,b,c}", { a: value, b: possiblyEmpty, c: possiblyEmpty }, ["a", "b", "c"]);
    roundTrip("x{/a,b}/end", { a: possiblyEmpty, b: possiblyEmpty }, ["a", "b"]);
    roundTrip("x{.a,b}", { a: withoutDot, b: withoutDot }, ["a", "b"]);
    roundTrip("x{;a,b}", { a: possiblyEmpty, b: possiblyEmpty }, []);
    roundTrip("x{?a,b}", { a: possiblyEmpty, b: possiblyEmpty }, []);
    roundTrip("x?y=1{&a,b}", { a: possiblyEmpty, b: possiblyEmpty }, []);
    roundTrip("x{?a}{&b}{#c}", { a: possiblyEmpty, b: possiblyEmpty, c: withoutEscape }, []);
    roundTrip("x{/a}{;b}{?c}", { a: possiblyEmpty, b: possiblyEmpty, c: possiblyEmpty }, []);
  });

  it("at level 4, for lists under * [PP-077]", () => {
    roundTrip("x:{a*}/end", { a: fc.array(value, { minLength: 1, maxLength: 4 }) }, ["a"]);
    roundTrip("x{/a*}{?b*,c}", { a: list, b: list, c: possiblyEmpty }, []);
    roundTrip("x{;a*,b}", { a: list, b: possiblyEmpty }, []);
  });
});

describe("createUriTemplateMatcher", () => {
  it("does not let a simple value cross a slash, a query or a fragment", () => {
    const match = matcher("note://{id}");
    for (const uri of ["note://a/b", "note://a?b", "note://a#b", "note://", "note:/a", "other://a"]) {
      const result = match(uri);
      assert.equal(result.ok, false, uri);
      assert.match(result.ok ? "" : result.problem, /does not match "note:\/\/\{id\}"/);
    }
    assert.deepEqual(values("note://{id}", "note://a%2Fb"), { id: "a/b" });
  });

  it("decodes after cutting, so that escaped separators separate nothing [PP-077]", () => {
    assert.deepEqual(values("x:{a,b}", "x:1%2C2,3"), { a: "1,2", b: "3" });
    assert.deepEqual(values("x{?a,b}", "x?a=1%26b%3D2"), { a: "1&b=2" });
    assert.deepEqual(values("x{/a*}", "x/p%2Fq/r"), { a: ["p/q", "r"] });
    assert.deepEqual(values("x:{a}2{b}", "x:%202y"), { a: " ", b: "y" });
  });

  it("takes query variables in any order, absent or bare, and refuses unknown and repeated ones", () => {
    assert.deepEqual(values("x{?a,b}", "x?b=2&a=1"), { a: "1", b: "2" });
    assert.deepEqual(values("x{?a,b}", "x?b=2"), { b: "2" });
    assert.deepEqual(values("x{?a,b}", "x"), {});
    assert.deepEqual(values("x{?a,b}", "x?a"), { a: "" });
    assert.deepEqual(values("x{?a}{&b}", "x?b=2&a=1"), { a: "1", b: "2" });
    assert.equal(values("x{?a,b}", "x?c=3"), "no-match");
    assert.equal(values("x{?a,b}", "x?a=1&a=2"), "no-match");
    assert.equal(values("x{?a}", "x?"), "no-match");
  });

  it("gives the longer text to the earlier value before a literal, the shorter before a sign", () => {
    assert.deepEqual(values("f:{name}.{ext}", "f:a.tar.gz"), { name: "a.tar", ext: "gz" });
    assert.deepEqual(values("f:{+dir}/{name}", "f:a/b/c"), { dir: "a/b", name: "c" });
    assert.deepEqual(values("f:{name}{.ext}", "f:a.tar.gz"), { name: "a", ext: "tar.gz" });
    assert.deepEqual(values("f:{+path}{?q}", "f:a/b?q=1"), { path: "a/b", q: "1" });
    assert.deepEqual(values("f{/a}/x/{+rest}", "f/p/x/x/q"), { a: "p", rest: "x/q" });
    assert.deepEqual(values("f:{a*,b}", "f:1,2,3"), { a: ["1", "2"], b: "3" });
  });

  it("treats spellings that RFC 3986 and 3987 call equivalent alike", () => {
    assert.deepEqual(values("x://ü/{id}", "x://%c3%bc/%c3%a9"), { id: "é" });
    assert.deepEqual(values("x://ü/{id}", "x://ü/é"), { id: "é" });
    assert.deepEqual(values("x{?Stra%c3%9fe}", "x?Straße=1"), { "Stra%c3%9fe": "1" });
  });

  it("holds a value to its :n and a repeated variable to one value", () => {
    assert.deepEqual(values("u{/id:1,id}", "u/f/foo"), { id: "foo" });
    assert.equal(values("u{/id:1,id}", "u/x/foo"), "no-match");
    assert.equal(values("u/{id:2}", "u/abc"), "no-match");
    assert.deepEqual(values("u/{id:2}", "u/😀é"), { id: "😀é" });
    assert.deepEqual(values("u/{a}/{a}", "u/x/x"), { a: "x" });
    assert.equal(values("u/{a}/{a}", "u/x/y"), "no-match");
  });

  it("reports an escape that is no UTF-8 by the name of its variable [PP-077]", () => {
    for (const uri of ["n://%zz", "n://%", "n://%ff", "n://%C3", "n://%ED%A0%80", "n://\ud800"]) {
      const match = matcher("n://{id}")(uri);
      assert.equal(match.ok ? "" : match.reason, "malformed-escape", uri);
      assert.match(match.ok ? "" : match.problem, /"id"/);
    }
    assert.equal(values("n://{id}", "other://%zz"), "no-match");
  });

  it("gives own properties even for names that objects inherit", () => {
    const match = matcher("x:{__proto__}/{constructor}")("x:a/b");
    assert.deepEqual(match.ok ? Object.entries(match.values) : [], [
      ["__proto__", "a"],
      ["constructor", "b"],
    ]);
  });

  it("refuses templates that a URI can be read by in several ways", () => {
    assert.match(ambiguity("x:{a}{b}"), /Nothing separates \{b\}/);
    assert.match(ambiguity("x{/a}{+b}"), /Nothing separates \{\+b\}/);
    assert.match(ambiguity("x:{a*,b*}"), /\{a,b\} has two lists/);
  });
});

describe("createUriTemplateMatcher under attack", () => {
  const size = maxUriLength - 2;
  const fill = (unit: string): string => `x:${unit.repeat(Math.ceil(size / unit.length)).slice(0, size)}`;
  const hostile: readonly [template: string, uri: string][] = [
    ["x:{+a,b,c,d,e}", fill(",")],
    ["x:{+a,b,c,d,e}!", fill(",")],
    [`x:${Array.from({ length: 11 }, (_, i) => `{+v${i}}-`).join("")}{+w}`, fill("-")],
    [`x:${Array.from({ length: 11 }, (_, i) => `{+v${i}}a`).join("")}{w}b`, fill("a")],
    [`x:${Array.from({ length: 12 }, (_, i) => `{/v${i}}`).join("")}`, fill("/")],
    [`x:${Array.from({ length: 12 }, (_, i) => `{.v${i}}`).join("")}z`, fill(".")],
    [`x:{+a}${"a".repeat(2000)}b{+c}`, fill("a")],
    [`x:{+a}${"ab".repeat(1000)}c{d}`, fill("ab")],
    ["x{?a*}", `x?${"a=1&".repeat(16_000)}a=1`],
    ["x{?a,b}", fill("a=1&")],
    ["x:{a}", fill("%e2%82%ac")],
    ["x:{a}", fill("€")],
    ["x:{a}", fill("%")],
    ["x:{/a*}", fill("/%")],
  ];

  it("needs under 10 ms for each 64 KiB URI [PP-080]", () => {
    for (const [template, uri] of hostile) {
      const match = matcher(template);
      // Time on the processor, in the best of many tries: what else the machine does lengthens the others.
      const times: number[] = [];
      while (times.length < 100 && (times.at(-1) ?? Number.POSITIVE_INFINITY) >= 10) {
        const start = process.cpuUsage();
        match(uri);
        times.push(process.cpuUsage(start).user / 1_000);
      }
      assert.ok((times.at(-1) ?? 0) < 10, `${template.slice(0, 40)}: at best ${Math.min(...times).toFixed(1)} ms`);
    }
  });

  it("refuses longer URIs at once, and names the limit [PP-080]", () => {
    const match = matcher("x:{a}")(`x:${"a".repeat(10_000_000)}`);
    assert.equal(match.ok ? "" : match.reason, "too-long");
    assert.match(match.ok ? "" : match.problem, /65536/);
    assert.equal(values("x:{a}", fill("€")), "too-long");
  });

  it("answers any template and any URI without throwing, and only with values that expand to the URI [PP-080]", () => {
    const piece = fc.constantFrom(
      "{a}",
      "{+b}",
      "{#c}",
      "{.d}",
      "{/e*}",
      "{;f}",
      "{?g,h*}",
      "{&i}",
      "{j:2}",
      "/",
      ".",
      "-",
      "a",
      "%20",
    );
    const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    const uri = fc
      .array(fc.constantFrom(..."/.-a?#&;=,%2é", "%20", "g=", "e"), { maxLength: 30 })
      .map((all) => all.join(""));
    fc.assert(
      fc.property(text, uri, (template, candidate) => {
        const parsed = parseUriTemplate(template);
        assert.ok(parsed.ok);
        const result = createUriTemplateMatcher(parsed.template);
        const match: UriTemplateMatch | undefined = result.ok ? result.match(candidate) : undefined;
        if (match?.ok) {
          const again = expandUriTemplate(parsed.template, match.values);
          assert.deepEqual(result.ok && result.match(again), match, again);
        }
      }),
      { numRuns: 3000 },
    );
  });
});
