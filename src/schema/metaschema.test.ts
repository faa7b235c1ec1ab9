// The built metaschemas against the published ones, which a development dependency carries.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { describe, it } from "node:test";
import { createValidator } from "./compile.ts";
import { defaultDialect, dialect7, dialect2019 } from "./dialect.ts";
import { metaschemaAt } from "./metaschema.ts";

const require = createRequire(import.meta.url);
const words = new Set(["title", "$comment", "description", "default", "deprecated", "$defs", "definitions"]);

/** A metaschema without prose and defaults, which do not affect validation. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, entry]) => (words.has(key) ? [] : [[key, bare(entry)]])),
  );
}

describe("metaschemaAt", () => {
  const published: readonly [string, string][] = [
    ["core", "2020-12"],
    ["applicator", "2020-12"],
    ["unevaluated", "2020-12"],
    ["validation", "2020-12"],
    ["content", "2020-12"],
    ["core", "2019-09"],
    ["applicator", "2019-09"],
    ["validation", "2019-09"],
    ["content", "2019-09"],
  ];

  for (const [name, edition] of published) {
    it(`builds the ${name} metaschema of ${edition} with the published keywords`, () => {
      const official = require(`ajv/dist/refs/json-schema-${edition}/meta/${name}.json`) as Record<string, object>;
      const built = metaschemaAt(`https://json-schema.org/draft/${edition}/meta/${name}`);
      assert.deepEqual(Object.keys(Object(built?.properties)).sort(), Object.keys(official.properties ?? {}).sort());
    });
  }

  it("builds draft 7 equal to the published one but for prose and defaults", () => {
    const official = bare(require("ajv/dist/refs/json-schema-draft-07.json")) as Record<string, unknown>;
    const built = bare(metaschemaAt(dialect7)) as Record<string, Record<string, unknown>>;
    const properties = Object(official.properties) as Record<string, unknown>;
    for (const name of Object.keys(properties)) {
      if (name === "minLength" || name === "minItems" || name === "minProperties") continue;
      const expected = name === "items" ? { anyOf: Object(properties.items).anyOf } : properties[name];
      assert.deepEqual(built.properties?.[name], expected, name);
    }
  });

  for (const uri of [defaultDialect, dialect2019, dialect7]) {
    it(`accepts itself and refuses a misspelt type in ${uri} [JSCH-005]`, () => {
      const compiled = createValidator().compile({ $ref: uri, $schema: uri });
      assert.equal(compiled.check(metaschemaAt(uri)), true);
      assert.equal(compiled.check({ properties: { a: { type: "objekt" } } }), false);
    });
  }
});
