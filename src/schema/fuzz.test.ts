// Generated schemas and values: no crash, no hang, and the verdict of an independent implementation. Its
// own faults are left out: the unevaluated keywords, which the official suite covers, `not` and `contains` of
// schemas that are always or never true, members named toString, and contains beside prefixItems.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { createValidator } from "./compile.ts";
import { defaultDialect, dialect7, dialect2019 } from "./dialect.ts";
import { SchemaError } from "./error.ts";
import type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";
import { patternCost } from "./pattern-cost.ts";

const name = fc.constantFrom("a", "b", "c", "isPrototypeOf");
const scalar = fc.oneof(
  fc.integer({ min: -3, max: 5 }),
  fc.constantFrom("", "a", "ab", "\u{1F600}", "abc"),
  fc.boolean(),
  fc.constant(null),
  fc.constant(1.5),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthIdentifier: "value" },
    scalar,
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  ),
}));

const count = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");

const { schema } = fc.letrec<{ schema: JsonSchema; some: readonly JsonSchema[] }>((tie) => {
  const sub = tie("schema");
  const map = fc.dictionary(name, sub, { maxKeys: 3, noNullPrototype: true });
  return {
    some: fc.array(sub, { minLength: 1, maxLength: 3 }),
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: "schema", withCrossShrink: true },
      fc.boolean(),
      fc.record({ $ref: fc.constantFrom("#/$defs/a", "#/$defs/b") }),
      fc.record(
        {
          type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
          enum: fc.uniqueArray(scalar, { minLength: 1, maxLength: 3 }),
          const: value,
          minimum: count,
          exclusiveMaximum: count,
          multipleOf: fc.constantFrom(1, 2, 3),
          minLength: count,
          maxLength: count,
          pattern: fc.constantFrom("^a", "b$", "."),
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          properties: map,
          patternProperties: fc.dictionary(fc.constantFrom("^a", "b|c"), sub, { maxKeys: 2, noNullPrototype: true }),
          additionalProperties: sub,
          propertyNames: sub,
          required: fc.uniqueArray(name, { maxLength: 2 }),
          maxProperties: count,
          dependentSchemas: map,
        },
        { requiredKeys: [] },
      ),
      fc.record({ prefixItems: tie("some"), items: sub }, { requiredKeys: [] }),
      // The oracle takes `items` for the type of every entry, also of those before it, and then finds equal ones unique.
      fc.record({ items: sub, uniqueItems: fc.boolean() }, { requiredKeys: [] }),
      fc.record(
        {
          contains: sub.map((part) => part || { type: "string" }),
          minContains: count,
          maxContains: count,
        },
        { requiredKeys: [] },
      ),
      fc.record(
        {
          allOf: tie("some"),
          anyOf: tie("some"),
          oneOf: tie("some"),
          not: sub.map((part) =>
            typeof part === "boolean" || Object.keys(part).length === 0 ? { type: "string" } : part,
          ),
        },
        { requiredKeys: [] },
      ),
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; this object is never awaited
      fc.record({ if: sub, then: sub, else: sub, properties: map }, { requiredKeys: ["if"] }),
    ),
  };
});

/** A definition is one level around the root's parts, so that its references lead inwards and end. */
const document = fc.tuple(fc.oneof(schema, schema), schema, schema).map(
  ([root, a, b]): JsonSchemaObject => ({
    allOf: [root],
    $defs: { a: withoutReferences(a), b: withoutReferences(b) },
  }),
);

function withoutReferences(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(withoutReferences);
  if (typeof part !== "object" || part === null) return part;
  if ("$ref" in part) return { type: "string" };
  return Object.fromEntries(Object.entries(part).map(([key, entry]) => [key, withoutReferences(entry)]));
}

function plain<T>(input: T): T {
  return JSON.parse(JSON.stringify(input)) as T;
}

const numRuns = Number(process.env.FUZZ_RUNS ?? 400);

describe("createValidator on generated schemas", () => {
  it("gives the verdict of an independent implementation, and explains exactly what it refuses", () => {
    const ajv = new Ajv2020({
      strict: false,
      ownProperties: true,
      validateFormats: false,
      validateSchema: false,
      logger: false,
    });
    fc.assert(
      fc.property(document, fc.array(value, { minLength: 1, maxLength: 6 }), (generated, values) => {
        const given = plain(generated);
        const oracle = ajv.compile(given);
        const compiled = createValidator().compile(given);
        for (const candidate of values.map(plain)) {
          const verdict = compiled.check(candidate);
          assert.equal(verdict, oracle(candidate), `${JSON.stringify(given)} on ${JSON.stringify(candidate)}`);
          assert.equal(
            compiled.explain(candidate).length === 0,
            verdict,
            `explains ${JSON.stringify(given)} on ${JSON.stringify(candidate)}`,
          );
        }
        ajv.removeSchema();
      }),
      { numRuns },
    );
  });

  it("either compiles or throws a SchemaError, and never throws while checking, whatever it is given", () => {
    const keywords = [
      "$ref",
      "$id",
      "$anchor",
      "$dynamicRef",
      "$dynamicAnchor",
      "$defs",
      "items",
      "properties",
      "allOf",
      "type",
      "pattern",
      "not",
      "if",
      "then",
      "unevaluatedItems",
      "unevaluatedProperties",
    ];
    const keyword = fc.constantFrom(...keywords);
    const text = fc.oneof(
      fc.constantFrom("#", "#a", "#/$defs/a", "a", "urn:x", "string", "(", "%", "http://[", "__proto__"),
      fc.string(),
    );
    const { junk } = fc.letrec<{ junk: unknown }>((tie) => ({
      junk: fc.oneof(
        { maxDepth: 5 },
        text,
        scalar,
        fc.array(tie("junk"), { maxLength: 3 }),
        fc.dictionary(keyword, tie("junk"), { maxKeys: 4 }),
      ),
    }));
    const dialect = fc.constantFrom(defaultDialect, dialect2019, dialect7);
    fc.assert(
      fc.property(fc.dictionary(keyword, junk, { maxKeys: 5 }), dialect, value, (parts, $schema, candidate) => {
        try {
          const compiled = createValidator({ untrusted: true }).compile({ $schema, ...parts });
          assert.equal(compiled.explain(candidate).length === 0, compiled.check(candidate));
          compiled.applyDefaults?.(candidate);
        } catch (error) {
          assert.ok(error instanceof SchemaError, String(error));
        }
      }),
      { numRuns },
    );
  });

  it("tests every text a peer's pattern may see in bounded time", () => {
    const atom = fc.constantFrom(
      "a",
      "b",
      ".",
      "[ab]",
      "\\w",
      "a?",
      "a*",
      "b+",
      "[^a]*",
      "(?:a|b)",
      "(?:a|ab)",
      "a{0,3}",
    );
    const quantifier = fc.constantFrom("", "", "*", "+", "?", "{2,5}");
    const { part } = fc.letrec<{ part: string }>((tie) => ({
      part: fc.oneof(
        { maxDepth: 3 },
        atom,
        fc
          .tuple(fc.array(tie("part"), { minLength: 1, maxLength: 3 }), quantifier)
          .map(([parts, q]) => `(?:${parts.join("")})${q}`),
      ),
    }));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 3 }), (parts) => {
        const pattern = `^${parts.join("")}$`;
        if (patternCost(pattern).explosive) return;
        try {
          const compiled = createValidator({ untrusted: true }).compile({ pattern });
          const started = performance.now();
          for (const length of [28, 300, 4_000]) compiled.check(`${"a".repeat(length)}!`);
          assert.ok(performance.now() - started < 2_000, pattern);
        } catch (error) {
          assert.ok(error instanceof SchemaError, String(error));
        }
      }),
      { numRuns: Math.min(numRuns, 400) },
    );
  });
});
