import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Check, type CheckOf, findMismatch } from "./check.ts";

describe("findMismatch", () => {
  it("says where, what was expected and what came", () => {
    const check: Check = { required: { items: { each: { required: { name: "string" } } } } };
    assert.equal(
      findMismatch(check, { items: [{ name: "a" }, { name: 5 }] }, "params"),
      "params.items[1].name: expected a string, got 5",
    );
    assert.equal(findMismatch(check, {}, "params"), "params.items: expected an array, got nothing");
    assert.equal(findMismatch(check, [], "params"), "params: expected an object, got an array");
  });

  it("knows the plain kinds", () => {
    const fitting: [Check, unknown][] = [
      ["string", ""],
      ["number", 0.5],
      ["integer", -3],
      ["boolean", false],
      ["object", {}],
      ["token", "t"],
      ["token", 7],
      ["any", null],
    ];
    for (const [check, value] of fitting) {
      assert.equal(findMismatch(check, value, "v"), undefined);
    }
    const unfit: [Check, unknown][] = [
      ["string", null],
      ["number", "1"],
      ["number", Number.NaN],
      ["integer", 1.5],
      ["boolean", 0],
      ["object", []],
      ["object", null],
      ["token", 1.5],
      ["token", {}],
      ["any", undefined],
    ];
    for (const [check, value] of unfit) {
      assert.match(findMismatch(check, value, "v") ?? "", /^v: expected .+, got .+$/);
    }
  });

  it("tolerates members it does not name and optional ones that are absent [BASE-021]", () => {
    const check: Check = { required: { a: "string" }, optional: { b: "number" } };
    assert.equal(findMismatch(check, { a: "", x: 1 }, "v"), undefined);
    assert.equal(findMismatch(check, { a: "", b: "1" }, "v"), 'v.b: expected a number, got "1"');
    assert.equal(findMismatch(check, { a: "", b: null }, "v"), "v.b: expected a number, got null");
  });

  it("lists the choices of a choice", () => {
    const check: Check = { choices: ["auto", "required", "none"] };
    assert.equal(findMismatch(check, "none", "mode"), undefined);
    assert.equal(findMismatch(check, "any", "mode"), 'mode: expected "auto", "required" or "none", got "any"');
  });

  it("tells variants apart by one member and never by inherited names", () => {
    const check: Check = {
      by: "mode",
      absent: "form",
      variants: { form: { required: { a: "string" } }, url: "object" },
    };
    assert.equal(findMismatch(check, { a: "" }, "v"), undefined);
    assert.equal(findMismatch(check, { mode: "url" }, "v"), undefined);
    assert.equal(findMismatch(check, { mode: "form" }, "v"), "v.a: expected a string, got nothing");
    for (const mode of ["constructor", "__proto__", null, 3]) {
      assert.match(findMismatch(check, { mode }, "v") ?? "", /^v\.mode: expected "form" or "url", got /);
    }
  });

  it("checks maps, ranges, null and one-or-many", () => {
    assert.equal(
      findMismatch({ values: "string" }, { a: "", "b c": 1 }, "map"),
      'map["b c"]: expected a string, got 1',
    );
    assert.equal(findMismatch({ from: 0, to: 1 }, 1, "p"), undefined);
    assert.equal(findMismatch({ from: 0, to: 1 }, 1.5, "p"), "p: expected a number from 0 to 1, got 1.5");
    assert.equal(findMismatch({ nullable: "integer" }, null, "ttl"), undefined);
    assert.equal(findMismatch({ nullable: "integer" }, undefined, "ttl"), "ttl: expected an integer, got nothing");
    assert.equal(findMismatch({ oneOrMany: "string" }, ["a"], "c"), undefined);
    assert.equal(findMismatch({ oneOrMany: "string" }, "a", "c"), undefined);
    assert.equal(findMismatch({ oneOrMany: "string" }, ["a", 1], "c"), "c[1]: expected a string, got 1");
  });

  it("applies a rule over several members after each of them passed", () => {
    const check: Check = { required: { low: "number", high: "number" }, also: () => ": expected low below high" };
    assert.equal(findMismatch(check, { low: 1, high: 0 }, "v"), "v: expected low below high");
    assert.equal(findMismatch(check, { low: 1 }, "v"), "v.high: expected a number, got nothing");
  });

  it("quotes only the beginning of a long value", () => {
    const message = findMismatch("number", "x".repeat(10_000), "v") ?? "";
    assert.ok(message.length < 120, message);
  });
});

describe("CheckOf", () => {
  it("does not compile with a misspelt member", () => {
    // @ts-expect-error nmae is no member
    const check: CheckOf<{ name: string }> = { required: { nmae: "string" } };
    assert.ok(check);
  });
});
