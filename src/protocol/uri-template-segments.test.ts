import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { parseUriTemplate } from "./uri-template.ts";
import { type Segment, toSegments } from "./uri-template-segments.ts";

function segmentsOf(text: string): readonly Segment[] {
  const parsed = parseUriTemplate(text);
  assert.ok(parsed.ok);
  return toSegments(parsed.template);
}

/** A segment as a text: a literal as it is, a field as its operators, with `?` where it may be absent and `<` where lazy. */
function outline(segment: Segment): string {
  return "text" in segment
    ? segment.text
    : `{${segment.expressions.map(({ operator }) => operator).join("")}}${segment.optional ? "?" : ""}${segment.lazy ? "<" : ""}`;
}

describe("toSegments", () => {
  it("keeps literals and expressions in order, and notes which may be absent and which end early", () => {
    assert.deepEqual(segmentsOf("x:{a}/{+b}{/c}{#d}").map(outline), ["x:", "{}", "/", "{+}<", "{/}?<", "{#}?"]);
  });

  it("makes one field of a query and what continues it", () => {
    assert.deepEqual(segmentsOf("x{?a}{&b}{&c}{#d}").map(outline), ["x", "{?&&}?<", "{#}?"]);
    assert.deepEqual(segmentsOf("x{&a}{;b}").map(outline), ["x", "{&}?<", "{;}?"]);
  });

  it("bounds slashes only where they separate a known number of values", () => {
    const slashes = ["{/a,b}", "{/a*}", "{+a}"]
      .map((text) => segmentsOf(text)[0])
      .map((field) => field && "slashes" in field && field.slashes);
    assert.deepEqual(slashes, [2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]);
  });

  it("prepares literals for a search that looks at each character once", () => {
    const [literal] = segmentsOf("ababac");
    assert.deepEqual(literal && "borders" in literal ? [...literal.borders] : [], [0, 0, 1, 2, 3, 0]);
  });
});
