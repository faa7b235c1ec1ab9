import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { z } from "zod";
import { SchemaError } from "./error.ts";
import { toArgumentSchema } from "./parse.ts";
import { toJsonSchema } from "./to-json-schema.ts";

function refusal(convert: () => unknown): SchemaError {
  try {
    convert();
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
  return assert.fail("converted");
}

describe("toJsonSchema", () => {
  const unrepresentable = {
    zod: z.object({ a: z.object({ b: z.bigint() }) }),
    valibot: toStandardJsonSchema(v.object({ a: v.object({ b: v.bigint() }) })),
    arktype: type({ a: { b: "bigint" } }),
  };
  for (const [vendor, schema] of Object.entries(unrepresentable)) {
    it(`names the place of what ${vendor} cannot express, never publishing it empty [PP-055]`, () => {
      const error = refusal(() => toJsonSchema(schema));
      assert.equal(error.reason, "unrepresentable");
      assert.equal(error.pointer, "/properties/a/properties/b");
      assert.match(error.message, new RegExp(vendor, "u"));
    });

    it(`publishes what the author says for it in ${vendor} [PP-055]`, () => {
      const converted = toJsonSchema(schema, { represent: () => ({ type: "string", pattern: "^\\d+$" }) });
      assert.deepEqual(Object(converted.properties).a.properties.b, { type: "string", pattern: "^\\d+$" });
    });
  }

  it("names every part that cannot be expressed", () => {
    const error = refusal(() => toJsonSchema(z.object({ a: z.map(z.string(), z.string()), b: z.symbol() })));
    assert.match(error.message, /\/properties\/a.*so are \/properties\/b/u);
  });

  it("leaves what may be anything open, as its author meant it", () => {
    assert.deepEqual(Object(toJsonSchema(z.object({ any: z.unknown() })).properties).any, {});
    assert.deepEqual(Object(toJsonSchema(type({ any: "unknown" })).properties).any, {});
  });

  const flagged = {
    zod: z.object({
      a: z
        .string()
        .min(2)
        .regex(/^[a-z]+$/i)
        .regex(/^\S/u),
      b: z.stringFormat("b", /^b$/i).optional(),
    }),
    valibot: toStandardJsonSchema(
      v.object({
        a: v.pipe(v.string(), v.minLength(2), v.regex(/^\S/u), v.regex(/^[a-z]+$/i)),
        b: v.optional(v.pipe(v.string(), v.regex(/^b$/i))),
      }),
    ),
    arktype: type({
      a: type("string >= 2")
        .and(/^\S/u)
        .and(/^[a-z]+$/i),
      "b?": /^b$/i,
    }),
  };
  for (const [vendor, schema] of Object.entries(flagged)) {
    it(`publishes no pattern of ${vendor} that means something else without its flags`, () => {
      const text = JSON.stringify(toJsonSchema(schema));
      assert.match(text, /"minLength":2/u);
      assert.doesNotMatch(text, /a-z|\^b\$/u);
    });

    it(`takes what ${vendor} takes by the flags of a pattern, and refuses what it refuses`, async () => {
      const { parse } = toArgumentSchema(schema);
      assert.deepEqual(await parse({ a: "ABC", b: "B" }), { ok: true, value: { a: "ABC", b: "B" } });
      assert.equal((await parse({ a: "A1" })).ok, false);
    });
  }

  it("describes the side that is asked for", () => {
    const schema = z.object({ n: z.string().pipe(z.coerce.number()) });
    assert.equal(Object(toJsonSchema(schema).properties).n.type, "string");
    assert.equal(Object(toJsonSchema(schema, { side: "output" }).properties).n.type, "number");
  });

  it("refuses the output of a transformation, whose type nobody knows", () => {
    assert.equal(
      refusal(() => toJsonSchema(z.object({ n: z.string().transform(Number) }), { side: "output" })).pointer,
      "/properties/n",
    );
  });

  it("refuses what is no schema", () => {
    assert.equal(refusal(() => toJsonSchema("string")).reason, "invalid");
    assert.equal(refusal(() => toJsonSchema(undefined)).reason, "invalid");
  });
});
