import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { createValidator } from "./compile.ts";
import { defaultDialect, dialect7 } from "./dialect.ts";
import { describeIssues } from "./issue.ts";
import type { SchemaResult } from "./parse.ts";
import { toArgumentSchema } from "./parse.ts";
import type { StandardSchema } from "./standard.ts";
import { withJsonSchema } from "./standard.ts";

function value<T>(result: SchemaResult<T> | Promise<SchemaResult<T>>): T {
  if (result instanceof Promise) return assert.fail("a promise");
  return result.ok ? result.value : assert.fail(describeIssues(result.issues));
}

function problem(result: SchemaResult<unknown> | Promise<SchemaResult<unknown>>): string {
  if (result instanceof Promise) return assert.fail("a promise");
  return result.ok ? assert.fail("accepted") : describeIssues(result.issues);
}

const libraries = {
  zod: z.object({ a: z.number(), b: z.string().default("q") }),
  valibot: toStandardJsonSchema(v.object({ a: v.number(), b: v.optional(v.string(), "q") })),
  arktype: type({ a: "number", b: "string = 'q'" }),
};

describe("toArgumentSchema", () => {
  for (const [name, schema] of Object.entries(libraries)) {
    it(`publishes a ${name} schema as a closed object without a dialect marker [PP-050] [PP-053] [PP-059]`, () => {
      const { jsonSchema } = toArgumentSchema(schema);
      assert.equal(jsonSchema.type, "object");
      assert.equal(jsonSchema.$schema, undefined);
      assert.equal(jsonSchema.additionalProperties, false);
      assert.deepEqual(jsonSchema.required, ["a"]);
    });

    it(`validates by ${name} itself, synchronously, with its defaults [PP-050]`, () => {
      const parsed = toArgumentSchema(schema);
      assert.deepEqual(value(parsed.parse({ a: 1 })), { a: 1, b: "q" });
      assert.equal(problem(parsed.parse({ a: "x", c: 1 })), 'a must be a number (got "x"); "c" is not known (a, b)');
    });

    it(`describes results by what ${name} yields [PP-056]`, () => {
      const parsed = toArgumentSchema(schema, { side: "output" });
      const sent = value(parsed.parse({ a: 1 }));
      assert.equal(
        createValidator()
          .compile(parsed.jsonSchema)
          .check(JSON.parse(JSON.stringify(sent))),
        true,
      );
    });
  }

  it("uses plain JSON Schema as it is and fills in its defaults", () => {
    const schema = { type: "object", properties: { days: { type: "integer", default: 3 } } } as const;
    const parsed = toArgumentSchema(schema);
    assert.deepEqual(value(parsed.parse({})), { days: 3 });
    assert.deepEqual(parsed.jsonSchema, { ...schema, additionalProperties: false });
  });

  it("keeps a root open when the schema or the option says so [PP-059]", () => {
    const open = { type: "object", additionalProperties: true } as const;
    assert.deepEqual(toArgumentSchema(open).jsonSchema, open);
    assert.deepEqual(value(toArgumentSchema({ type: "object" }, { open: true }).parse({ x: 1 })), { x: 1 });
    assert.deepEqual(value(toArgumentSchema(z.looseObject({})).parse({ x: 1 })), { x: 1 });
  });

  it("keeps the author's dialect marker and enforces by that dialect [JSCH-002] [JSCH-003]", () => {
    const $schema = `${dialect7}#`;
    const parsed = toArgumentSchema({ $schema, type: "object", properties: { a: { items: [{ type: "string" }] } } });
    assert.equal(parsed.jsonSchema.$schema, $schema);
    assert.equal(problem(parsed.parse({ a: [1] })), "a[0] must be a string (got 1)");
    assert.equal(toArgumentSchema({ $schema: defaultDialect, type: "object" }).jsonSchema.$schema, defaultDialect);
    assert.equal(toArgumentSchema(z.object({})).jsonSchema.$schema, undefined);
  });

  it("publishes a union root with its branches intact and tells branches apart [PP-052]", () => {
    const union = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("a"), x: z.number() }),
      z.object({ kind: z.literal("b"), y: z.string() }),
    ]);
    const parsed = toArgumentSchema(union);
    assert.equal(parsed.jsonSchema.type, "object");
    assert.equal((parsed.jsonSchema.oneOf as unknown[]).length, 2);
    const args = value(parsed.parse({ kind: "a", x: 1 }));
    assert.equal(args.kind === "a" ? args.x : undefined, 1);
    assert.equal(problem(parsed.parse({ kind: "b", x: 1 })), "y is missing");
    assert.equal(problem(parsed.parse({ kind: "b", y: "", z: 1 })), '"z" is not known (kind, x, y)');
  });

  it("refuses a root that is no object", () => {
    assert.throws(() => toArgumentSchema(z.string()), /root must be of type "object" \(got "string"\)/u);
    assert.throws(() => toArgumentSchema({ anyOf: [{ type: "string" }] }), { pointer: "/anyOf/0/type" });
  });

  const dated = {
    zod: z.object({ when: z.date() }),
    valibot: toStandardJsonSchema(v.object({ when: v.date() })),
    arktype: type({ when: "Date" }),
  };
  for (const [name, schema] of Object.entries(dated)) {
    it(`takes a ${name} date as text and sends it as text [PP-055]`, () => {
      const input = toArgumentSchema(schema);
      assert.deepEqual(input.jsonSchema.properties, { when: { type: "string", format: "date-time" } });
      assert.deepEqual(value(input.parse({ when: "2026-01-02T03:04:05Z" })), {
        when: new Date("2026-01-02T03:04:05Z"),
      });
      assert.notEqual(problem(input.parse({ when: "soon" })), "");
      const output = toArgumentSchema(schema, { side: "output" });
      assert.deepEqual(value(output.parse({ when: new Date(0) })), { when: "1970-01-01T00:00:00.000Z" });
    });
  }

  it("finds dates in lists, maps, unions and recursive schemas [PP-055]", () => {
    const node = z.object({
      at: z.date().nullable(),
      get children() {
        return z.array(node).optional();
      },
    });
    const schema = toArgumentSchema(z.object({ root: node, byName: z.record(z.string(), z.date()).optional() }));
    const text = "2026-01-02T03:04:05Z";
    const when = new Date(text);
    assert.deepEqual(value(schema.parse({ root: { at: null, children: [{ at: text }] }, byName: { x: text } })), {
      root: { at: null, children: [{ at: when }] },
      byName: { x: when },
    });
  });

  it("waits for a library only when it makes a promise", async () => {
    const schema = z.object({ a: z.string().refine(async (text) => text !== "no", "is taken") });
    const result = toArgumentSchema(schema).parse({ a: "no" });
    assert.ok(result instanceof Promise);
    assert.equal(describeIssues(Object(await result).issues), "a: is taken");
  });

  it("refuses a default that its own schema refuses", () => {
    assert.throws(
      () => toArgumentSchema({ type: "object", properties: { a: { type: "number", default: "x" } } }),
      /default at \/properties\/a must be a number \(got "x"\)/u,
    );
  });

  it("takes any validator in place of the built-in one", () => {
    const validator = {
      compile: () => ({
        schema: true,
        check: () => false,
        explain: () => [{ path: [], keyword: "no", message: "no" }],
      }),
    };
    assert.equal(problem(toArgumentSchema({ type: "object" }, { validator }).parse({})), "no");
  });

  it("takes a library that does not describe itself with a schema beside it [PP-050]", () => {
    const plain: StandardSchema<{ a: string }> = v.object({ a: v.string() });
    assert.throws(
      () => toArgumentSchema(plain as never),
      /valibot schema does not describe itself.*toStandardJsonSchema/u,
    );
    const described = withJsonSchema(plain, { type: "object", properties: { a: { type: "string" } }, required: ["a"] });
    assert.deepEqual(value(toArgumentSchema(described).parse({ a: "x" })), { a: "x" });
  });
});
