import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { parseUriTemplate } from "./uri-template.ts";
import { cutUri } from "./uri-template-cut.ts";
import { toSegments } from "./uri-template-segments.ts";

function cut(template: string, uri: string): readonly string[] | undefined {
  const parsed = parseUriTemplate(template);
  assert.ok(parsed.ok);
  return cutUri(toSegments(parsed.template), uri)?.map(({ text }) => text);
}

describe("cutUri", () => {
  it("gives a piece for each field with its sign, empty where it is absent", () => {
    assert.deepEqual(cut("x:{a}{/b}{?c}", "x:1/2?c=3"), ["1", "/2", "?c=3"]);
    assert.deepEqual(cut("x:{a}{/b}{?c}", "x:1"), ["1", "", ""]);
    assert.deepEqual(cut("x:", "x:"), []);
  });

  it("finds the one way to cut, however far back it has to be chosen", () => {
    assert.deepEqual(cut("{+a}/{b}/c{+d}", "p/q/r/c/c"), ["p/q", "r", "/c"]);
    assert.equal(cut("{+a}/{b}/c{+d}", "p/q/r/d"), undefined);
    assert.equal(cut("{+a}/{b}", "p/"), undefined);
  });

  it("never cuts inside an escape", () => {
    assert.equal(cut("{a}2{b}", "%20"), undefined);
    assert.equal(cut("{a}0", "%20"), undefined);
    assert.deepEqual(cut("{a}%20{b}", "x%20y"), ["x", "y"]);
  });

  it("finds literals that overlap themselves", () => {
    assert.deepEqual(cut("{a}aab{b}", "aaabaab-"), ["aaab", "-"]);
    assert.deepEqual(cut("{a}abab{b}", "xababab"), ["x", "ab"]);
  });

  it("refuses another beginning or end", () => {
    assert.equal(cut("x:{a}", "y:1"), undefined);
    assert.equal(cut("{a}.md", "1.txt"), undefined);
    assert.equal(cut("x", "xy"), undefined);
    assert.equal(cut("", "x"), undefined);
  });
});
