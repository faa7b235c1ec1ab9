import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { readHeaderAnnotations } from "./tool-headers.ts";

function problemOf(inputSchema: unknown): string {
  const result = readHeaderAnnotations(inputSchema);
  assert.equal(result.ok, false, JSON.stringify(inputSchema));
  return result.ok ? "" : result.problem;
}

function withProperties(properties: object): object {
  return { type: "object", properties };
}

const region = { type: "string", "x-mcp-header": "Region" };

describe("readHeaderAnnotations", () => {
  it("finds the annotated properties and no others [M-HDR-011]", () => {
    const schema = withProperties({
      region,
      limit: { type: "integer", "x-mcp-header": "Limit" },
      dry: { type: "boolean", "x-mcp-header": "Method" },
      query: { type: "string" },
      anything: true,
    });
    assert.deepEqual(readHeaderAnnotations(schema), {
      ok: true,
      annotations: [
        { name: "Region", path: ["region"], type: "string" },
        { name: "Limit", path: ["limit"], type: "integer" },
        { name: "Method", path: ["dry"], type: "boolean" },
      ],
    });
  });

  it("finds nothing in schemas without annotations", () => {
    for (const schema of [true, false, {}, { type: "object" }, undefined, { properties: [] }, { properties: null }]) {
      assert.deepEqual(readHeaderAnnotations(schema), { ok: true, annotations: [] });
    }
  });

  it("follows properties within properties [M-HDR-014]", () => {
    const schema = withProperties({ a: { properties: { properties: { properties: { b: region } } } } });
    assert.deepEqual(readHeaderAnnotations(schema), {
      ok: true,
      annotations: [{ name: "Region", path: ["a", "properties", "b"], type: "string" }],
    });
  });

  it("refuses an annotation that something else than properties leads to [M-HDR-014]", () => {
    for (const [place, schema] of Object.entries({
      "inputSchema.properties.list.items": withProperties({ list: { type: "array", items: region } }),
      "inputSchema.properties.list.prefixItems[1]": withProperties({ list: { prefixItems: [{}, region] } }),
      "inputSchema.oneOf[0].properties.a": { oneOf: [withProperties({ a: region })] },
      "inputSchema.anyOf[0].properties.a": { anyOf: [withProperties({ a: region })] },
      "inputSchema.allOf[0].properties.a": { allOf: [withProperties({ a: region })] },
      "inputSchema.not": { not: region },
      "inputSchema.if.properties.a": { if: withProperties({ a: region }) },
      "inputSchema.then.properties.a": JSON.parse(`{ "then": { "properties": { "a": ${JSON.stringify(region)} } } }`),
      "inputSchema.else.properties.a": { else: withProperties({ a: region }) },
      "inputSchema.$defs.a": { ...withProperties({ b: { $ref: "#/$defs/a" } }), $defs: { a: region } },
      "inputSchema.definitions.a": { definitions: { a: region } },
      "inputSchema.patternProperties.a": { patternProperties: { a: region } },
      "inputSchema.additionalProperties": { additionalProperties: region },
      "inputSchema.dependentSchemas.a.properties.b": { dependentSchemas: { a: withProperties({ b: region }) } },
      "inputSchema.components.a": { components: { a: region } },
      inputSchema: { ...withProperties({}), ...region },
    })) {
      assert.equal(
        problemOf(schema),
        `${place}["x-mcp-header"]: expected only on a property that "properties" alone leads to, got it elsewhere; ` +
          "move the annotation there",
      );
    }
  });

  it("does not take values and names for annotations", () => {
    const schema = withProperties({
      "x-mcp-header": { type: "number" },
      a: { const: region, enum: [region], default: region, examples: [region] },
    });
    assert.deepEqual(readHeaderAnnotations(schema), { ok: true, annotations: [] });
  });

  it("refuses names that are empty, no token or no text [M-HDR-012]", () => {
    for (const name of [
      "",
      "a b",
      "x:y",
      "A\n",
      "A\r\nX",
      "\tA",
      "Région",
      "a,b",
      "a(b)",
      '"a"',
      "a/b",
      5,
      null,
      {},
      ["a"],
    ]) {
      const problem = problemOf(withProperties({ a: { type: "string", "x-mcp-header": name } }));
      assert.match(problem, /^inputSchema\.properties\.a\["x-mcp-header"\]: expected letters, digits and/);
    }
    const odd = "!#$%&'*+-.^_`|~09azAZ";
    const taken = readHeaderAnnotations(withProperties({ a: { type: "string", "x-mcp-header": odd } }));
    assert.equal(taken.ok && taken.annotations[0]?.name, odd);
  });

  it("refuses two names that differ in case alone, wherever they stand [M-HDR-012]", () => {
    const twin = { type: "string", "x-mcp-header": "region" };
    for (const schema of [
      withProperties({ a: region, b: twin }),
      withProperties({ a: region, b: region }),
      withProperties({ a: withProperties({ b: twin }), c: region }),
    ]) {
      assert.match(problemOf(schema), /: expected a name of its own, whatever its case, got "[Rr]egion", which /);
    }
  });

  it("refuses types that no header carries, and properties that say none [M-HDR-013]", () => {
    for (const type of ["number", "object", "array", "null", undefined, "String", 5]) {
      const property = type === undefined ? { "x-mcp-header": "A" } : { type, "x-mcp-header": "A" };
      assert.match(problemOf(withProperties({ a: property })), /^inputSchema\.properties\.a\.type: expected "string"/);
    }
    const referring = { $ref: "#/$defs/text", "x-mcp-header": "A" };
    assert.match(
      problemOf({ ...withProperties({ a: referring }), $defs: { text: { type: "string" } } }),
      /got nothing$/,
    );
  });

  it("takes one primitive beside null, and no other union [M-HDR-013]", () => {
    for (const type of [["string", "null"], ["null", "integer"], ["boolean"]]) {
      const result = readHeaderAnnotations(withProperties({ a: { type, "x-mcp-header": "A" } }));
      assert.ok(result.ok);
      assert.equal(
        result.annotations[0]?.type,
        type.find((each) => each !== "null"),
      );
    }
    for (const type of [["string", "integer"], ["string", "number", "null"], ["number", "null"], ["null"], []]) {
      assert.match(
        problemOf(withProperties({ a: { type, "x-mcp-header": "A" } })),
        /because x-mcp-header is beside it, got an array$/,
      );
    }
  });

  it("reads schemas of any depth and width", () => {
    let deep: object = region;
    for (let depth = 0; depth < 3_000; depth += 1) {
      deep = withProperties({ a: deep });
    }
    const result = readHeaderAnnotations(deep);
    assert.equal(result.ok && result.annotations[0]?.path.length, 3_000);
    assert.equal(readHeaderAnnotations({ anyOf: new Array(150_000).fill({}) }).ok, true);
  });

  it("keeps a property named like a member of every object apart", () => {
    const schema = JSON.parse('{"properties": {"__proto__": {"type": "string", "x-mcp-header": "__proto__"}}}');
    assert.deepEqual(readHeaderAnnotations(schema), {
      ok: true,
      annotations: [{ name: "__proto__", path: ["__proto__"], type: "string" }],
    });
    assert.deepEqual(readHeaderAnnotations(Object.create({ properties: { a: region } })), {
      ok: true,
      annotations: [],
    });
  });

  it("answers any JSON without throwing, and every path it gives leads to its annotation [M-HDR-014]", () => {
    const word = fc.constantFrom("properties", "items", "x-mcp-header", "type", "string", "a", "b", "allOf");
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        word,
        fc.dictionary(word, tie("node"), { maxKeys: 4 }),
        fc.array(tie("node"), { maxLength: 2 }),
      ),
    }));
    fc.assert(
      fc.property(node, (schema) => {
        const result = readHeaderAnnotations(schema);
        for (const { name, path } of result.ok ? result.annotations : []) {
          const property = path.reduce((at: unknown, member) => {
            return (at as { properties: Record<string, unknown> }).properties[member];
          }, schema);
          assert.equal((property as Record<string, unknown>)["x-mcp-header"], name);
        }
      }),
    );
  });
});
