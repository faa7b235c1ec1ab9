import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import {
  acceptsMediaType,
  eventStreamType,
  isMediaType,
  jsonType,
  listsMediaType,
  parseMediaType,
} from "./media-type.ts";

describe("parseMediaType", () => {
  it("reads type and parameters, whatever their case and quotes", () => {
    const type = parseMediaType(' Application/JSON ; Charset="utf\\-8;x" ; q=0.5');
    assert.equal(type?.essence, "application/json");
    assert.deepEqual(
      [...(type?.parameters ?? [])],
      [
        ["charset", "utf-8;x"],
        ["q", "0.5"],
      ],
    );
  });

  it("gives nothing for what is no media type", () => {
    for (const bad of [undefined, null, "", "json", "application/", "/json", "a/b/c", "a b/c"]) {
      assert.equal(parseMediaType(bad), undefined, String(bad));
    }
  });
});

describe("isMediaType", () => {
  it("ignores parameters and case", () => {
    assert.equal(isMediaType("application/json; charset=utf-8", jsonType), true);
    assert.equal(isMediaType("APPLICATION/JSON", jsonType), true);
    assert.equal(isMediaType("application/jsonp", jsonType), false);
    assert.equal(isMediaType(undefined, jsonType), false);
  });
});

describe("acceptsMediaType", () => {
  it("follows media ranges, quality and specificity, not spelling or order [PP-109]", () => {
    const cases: [string | undefined, boolean][] = [
      [undefined, true],
      ["", true],
      ["*/*", true],
      ["application/*", true],
      ["text/*", false],
      ["text/event-stream,application/json", true],
      ["APPLICATION/JSON;q=0.1", true],
      ["application/json;q=0", false],
      ["application/json;q=0, */*", false],
      ["*/*;q=0, application/json", true],
      ["application/*;q=0, */*;q=1", false],
      ['text/plain;x="a,application/json"', false],
      ["rubbish, application/json; version=1", true],
      ["application/json;q=high", true],
    ];
    for (const [accept, expected] of cases) {
      assert.equal(acceptsMediaType(accept, jsonType), expected, String(accept));
    }
  });

  it("answers for any text [PP-109]", () => {
    fc.assert(fc.property(fc.string(), (text) => typeof acceptsMediaType(text, eventStreamType) === "boolean"));
  });
});

describe("listsMediaType", () => {
  it("does not take wildcards for the type itself", () => {
    assert.equal(listsMediaType("*/*", jsonType), false);
    assert.equal(listsMediaType("text/plain, Application/Json;q=0.2", jsonType), true);
  });
});
