import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createValidator } from "./compile.ts";
import { defaultDialect, dialect7, dialect2019 } from "./dialect.ts";
import { SchemaError } from "./error.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { CompileOptions } from "./validator.ts";

const validator = createValidator();

function check(schema: JsonSchema, value: unknown, options?: CompileOptions): boolean {
  return validator.compile(schema, options).check(value);
}

function refusal(schema: JsonSchema, options?: CompileOptions): SchemaError {
  try {
    validator.compile(schema, options);
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  return assert.fail("compiled");
}

describe("createValidator", () => {
  it("reads a schema without $schema as 2020-12 [JSCH-001]", () => {
    const schema = { prefixItems: [{ $ref: "#/$defs/name" }], $defs: { name: { type: "string" } } };
    assert.equal(check(schema, ["a", 1]), true);
    assert.equal(check(schema, [1]), false);
  });

  it("follows the declared dialect rather than a fixed one [JSCH-003] [PP-053]", () => {
    const tuple = { items: [{ type: "string" }], additionalItems: false };
    for (const $schema of [`${dialect7}#`, dialect7, dialect2019]) {
      assert.equal(check({ $schema, ...tuple }, ["a"]), true);
      assert.equal(check({ $schema, ...tuple }, ["a", "b"]), false);
    }
    assert.match(refusal({ $schema: defaultDialect, ...tuple }).message, /prefixItems/u);
    assert.equal(check({ $schema: dialect7, prefixItems: [{ type: "string" }] }, [1]), true);
    assert.equal(
      check({ $schema: dialect7, $ref: "#/definitions/a", type: "string", definitions: { a: true } }, 1),
      true,
    );
    assert.equal(check({ $schema: dialect2019, $ref: "#/$defs/a", type: "string", $defs: { a: true } }, 1), false);
  });

  it("says that a dialect is unsupported and which are not [JSCH-004]", () => {
    const error = refusal({ $schema: "https://example.com/x" });
    assert.equal(error.reason, "dialect");
    assert.match(error.message, /unsupported dialect "https:\/\/example.com\/x".*2020-12/u);
  });

  it("refuses a schema that is invalid in its dialect, naming place and remedy [JSCH-005]", () => {
    const error = refusal({ properties: { a: { type: "objekt" } } });
    assert.equal(error.pointer, "/properties/a/type");
    assert.match(error.message, /got "objekt".*did you mean "object"/u);
    for (const schema of [
      { required: "a" },
      { minimum: "1" },
      { properties: [] },
      { anyOf: [] },
      { maxLength: -1 },
      { items: 5 },
      { enum: 1 },
    ]) {
      assert.equal(refusal(schema as unknown as JsonSchema).reason, "invalid", JSON.stringify(schema));
    }
  });

  it("keeps two schemas with one $id apart, in either order [PP-016]", () => {
    const $id = "https://example.com/same";
    const first = { $id, type: "object", properties: { a: { $ref: "#/$defs/x" } }, $defs: { x: { type: "string" } } };
    const second = {
      $id,
      type: "object",
      properties: { a: { $ref: `${$id}#/$defs/x` } },
      $defs: { x: { type: "number" } },
    };
    for (const order of [
      [first, second],
      [second, first],
    ]) {
      const compiled = new Map(order.map((schema) => [schema, validator.compile(schema)]));
      assert.equal(compiled.get(first)?.check({ a: "x" }), true);
      assert.equal(compiled.get(first)?.check({ a: 1 }), false);
      assert.equal(compiled.get(second)?.check({ a: 1 }), true);
      assert.equal(compiled.get(second)?.check({ a: "x" }), false);
    }
  });

  it("never fetches: a reference outside the document is refused when compiling", (context) => {
    const fetched = context.mock.method(globalThis, "fetch", () => assert.fail("fetched"));
    assert.equal(
      refusal({ properties: { a: { $ref: "https://example.com/other.json" } } }).pointer,
      "/properties/a/$ref",
    );
    assert.equal(fetched.mock.callCount(), 0);
  });

  it("compiles and checks where generating code is forbidden [PP-061]", (context) => {
    context.mock.method(globalThis, "eval", () => assert.fail("eval"));
    context.mock.method(globalThis, "Function", () => assert.fail("Function"));
    assert.equal(check({ type: "object", required: ["a"] }, { a: 1 }), true);
  });

  it("looks at own members only", () => {
    assert.equal(check({ required: ["toString"] }, {}), false);
    assert.equal(check({ properties: { __proto__: false } as never, required: ["constructor"] }, {}), false);
    assert.equal(
      check({ properties: JSON.parse('{"__proto__":{"type":"string"}}') }, JSON.parse('{"__proto__":1}')),
      false,
    );
    assert.equal(check({ properties: JSON.parse('{"__proto__":{"type":"string"}}') }, {}), true);
  });

  it("treats a member that is undefined as absent, as it is when sent", () => {
    assert.equal(check({ additionalProperties: false }, { a: undefined }), true);
    assert.equal(check({ required: ["a"] }, { a: undefined }), false);
  });

  it("computes multiples in decimal", () => {
    assert.equal(check({ multipleOf: 0.1 }, 0.3), true);
    assert.equal(check({ multipleOf: 0.01 }, 19.99), true);
    assert.equal(check({ multipleOf: 0.01 }, 19.999), false);
  });

  it("annotates formats by default and asserts those listed", () => {
    assert.equal(check({ format: "email" }, "x"), true);
    assert.equal(check({ format: "email" }, "x", { assertFormats: ["email"] }), false);
    assert.equal(check({ format: "uuid" }, "x", { assertFormats: ["email"] }), true);
    assert.equal(check({ format: "not-a-format" }, "x", { assertFormats: true }), true);
  });
});

describe("bounds of createValidator", () => {
  it("refuses a schema that is too deep, too large or cyclic", () => {
    let deep: JsonSchema = {};
    for (let level = 0; level < 200; level += 1) deep = { not: deep };
    assert.equal(refusal(deep).reason, "bounds");
    const cyclic: Record<string, JsonSchema> = {};
    cyclic.not = cyclic;
    assert.equal(refusal(cyclic).reason, "bounds");
    const wide = { allOf: Array.from({ length: 6_000 }, () => ({})) };
    assert.equal(refusal(wide, { untrusted: true }).reason, "bounds");
    assert.equal(check(wide, 1), true);
  });

  it("refuses a value whose check would not end", () => {
    const compiled = validator.compile({ $ref: "#" });
    assert.equal(compiled.check(1), false);
    assert.equal(compiled.explain(1)[0]?.keyword, "bounds");
  });

  it("gives up on references that double at each level", () => {
    const $defs: Record<string, JsonSchema> = { d40: true };
    for (let level = 0; level < 40; level += 1)
      $defs[`d${level}`] = { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] };
    const compiled = validator.compile({ $ref: "#/$defs/d0", $defs }, { untrusted: true });
    assert.equal(compiled.check(1), false);
    assert.match(compiled.explain(1)[0]?.message ?? "", /more than 1000000 steps/u);
  });

  it("does not overflow the stack on deep values", () => {
    let value: unknown = {};
    for (let level = 0; level < 100_000; level += 1) value = { next: value };
    const list = validator.compile({ properties: { next: { allOf: [{ $ref: "#" }] } }, unevaluatedProperties: false });
    assert.equal(list.check(value), false);
    assert.equal(list.explain(value)[0]?.keyword, "bounds");
    assert.equal(validator.compile({ uniqueItems: true }).check([value, structuredCloneDeep(100_000)]), false);
    assert.equal(list.check({ next: { next: {} } }), true);
  });

  it("works again after a value that exceeded the bounds", () => {
    const compiled = validator.compile({ type: "array", items: { type: "number" } }, { bounds: { maxSteps: 5 } });
    assert.equal(compiled.check([1, 2, 3, 4, 5, 6]), false);
    assert.equal(compiled.check([1, 2, 3]), true);
  });
});

function structuredCloneDeep(levels: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < levels; level += 1) value = { next: value };
  return value;
}

describe("applyDefaults of a compiled schema", () => {
  const schema = {
    type: "object",
    properties: {
      limit: { type: "integer", default: 10 },
      sort: { type: "object", properties: { by: { default: "name" } } },
      tags: { type: "array", items: { type: "object", properties: { weight: { default: 1 } } } },
      list: { default: [] },
    },
  };

  it("fills in absent members, at every depth, without touching the value", () => {
    const value = { sort: {}, tags: [{}, { weight: 2 }] };
    assert.deepEqual(validator.compile(schema).applyDefaults?.(value), {
      sort: { by: "name" },
      tags: [{ weight: 1 }, { weight: 2 }],
      limit: 10,
      list: [],
    });
    assert.deepEqual(value, { sort: {}, tags: [{}, { weight: 2 }] });
  });

  it("gives each value its own copy of a default", () => {
    const compiled = validator.compile(schema);
    const [a, b] = [compiled.applyDefaults?.({}), compiled.applyDefaults?.({})] as { list: unknown[] }[];
    assert.notEqual(a?.list, b?.list);
    assert.notEqual(a?.list, schema.properties.list.default);
  });

  it("returns the same value when nothing is missing", () => {
    const value = { limit: 1, sort: { by: "x" }, tags: [], list: [] };
    assert.equal(validator.compile(schema).applyDefaults?.(value), value);
  });

  it("follows references and the branch that fits", () => {
    const compiled = validator.compile({
      oneOf: [
        { properties: { k: { const: "a" }, x: { default: 1 } }, required: ["k"] },
        { properties: { k: { const: "b" }, next: { $ref: "#" }, y: { default: 2 } }, required: ["k"] },
      ],
    });
    assert.deepEqual(compiled.applyDefaults?.({ k: "b", next: { k: "a" } }), { k: "b", next: { k: "a", x: 1 }, y: 2 });
  });
});
