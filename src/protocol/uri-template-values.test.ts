import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { parseUriTemplate, type UriTemplateExpression } from "./uri-template.ts";
import { readUriTemplateValues } from "./uri-template-values.ts";

function read(...pieces: readonly [expression: string, text: string][]): unknown {
  return readUriTemplateValues(
    pieces.map(([expression, text]) => {
      const parsed = parseUriTemplate(expression);
      assert.ok(parsed.ok);
      return { expressions: parsed.template.parts as UriTemplateExpression[], text };
    }),
  );
}

describe("readUriTemplateValues", () => {
  it("decodes after splitting, by position or by name [PP-077]", () => {
    assert.deepEqual(read(["{a,b}", "1%2C2,3"]), { ok: true, values: { a: "1,2", b: "3" } });
    assert.deepEqual(read(["{;a,b}", ";b=1%3B2;a"]), { ok: true, values: { b: "1;2", a: "" } });
    assert.deepEqual(read(["{?a*,b}", "?a=1&b=2&a=3"]), { ok: true, values: { a: ["1", "3"], b: "2" } });
  });

  it("leaves absent variables out", () => {
    assert.deepEqual(read(["{/a,b}", "/1"], ["{?c}", ""]), { ok: true, values: { a: "1" } });
  });

  it("gives a list the members that the other variables leave over", () => {
    assert.deepEqual(read(["{/a,b*,c}", "/1/2/3/4"]), { ok: true, values: { a: "1", b: ["2", "3"], c: "4" } });
  });

  it("refuses too many members, unknown names, long starts and contradictions", () => {
    assert.equal(read(["{a,b}", "1,2,3"]), undefined);
    assert.equal(read(["{?a}", "?b=1"]), undefined);
    assert.equal(read(["{a:2}", "123"]), undefined);
    assert.equal(read(["{a}", "1"], ["{a}", "2"]), undefined);
    assert.equal(read(["{a*}", "1,2"], ["{/a*}", "/1/3"]), undefined);
  });

  it("lets a start give way to the whole value, in either order", () => {
    assert.deepEqual(read(["{a:1}", "x"], ["{a}", "xy"]), { ok: true, values: { a: "xy" } });
    assert.deepEqual(read(["{a}", "xy"], ["{a:1}", "x"]), { ok: true, values: { a: "xy" } });
  });

  it("names the variable whose escape is malformed [PP-077]", () => {
    assert.deepEqual(read(["{a,b}", "1,%ff"]), { ok: false, variable: "b" });
  });
});
