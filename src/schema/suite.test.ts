// The official JSON Schema test suite, read as data from beside the checkout. The required part must
// pass whole; of the optional part only what is named here may differ.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { createValidator } from "./compile.ts";
import { defaultDialect, dialect7, dialect2019 } from "./dialect.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { CompileOptions } from "./validator.ts";

interface Group {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[];
}

const root = "../shared/suites/json-schema";
const skip = existsSync(root) || process.env.CI !== undefined ? false : `${root} is not beside the checkout`;
const drafts = [
  { folder: "draft2020-12", dialect: defaultDialect },
  { folder: "draft2019-09", dialect: dialect2019 },
  { folder: "draft7", dialect: `${dialect7}#` },
];

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

/** The documents the suite expects at http://localhost:1234, each read by the dialect under test. */
function remotes(dialect: string): Record<string, JsonSchema> {
  const names = readdirSync(`${root}/remotes`, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".json"),
  );
  return Object.fromEntries(
    names.map((name) => {
      const schema = readJson(`${root}/remotes/${name}`) as JsonSchema;
      const declared =
        typeof schema === "object" && schema.$schema === undefined ? { $schema: dialect, ...schema } : schema;
      return [`http://localhost:1234/${name}`, declared];
    }),
  );
}

const known = new Map<string, Record<string, JsonSchema>>();

function failures(folder: string, dialect: string, path: string, options: CompileOptions): string[] {
  const documents = known.get(dialect) ?? remotes(dialect);
  known.set(dialect, documents);
  const validator = createValidator({ documents, ...options });
  const failed: string[] = [];
  for (const group of readJson(`${root}/${folder}/${path}`) as Group[]) {
    const declared =
      typeof group.schema === "object" && group.schema.$schema === undefined
        ? { $schema: dialect, ...group.schema }
        : group.schema;
    for (const test of group.tests) {
      const name = `${path}: ${group.description}: ${test.description}`;
      try {
        const compiled = validator.compile(declared);
        if (compiled.check(test.data) !== test.valid) failed.push(name);
        else if ((compiled.explain(test.data).length === 0) !== test.valid) failed.push(`${name} (explanation)`);
      } catch (error) {
        failed.push(`${name} (${String(error)})`);
      }
    }
  }
  return failed;
}

function files(folder: string, part: string): string[] {
  return readdirSync(`${root}/${folder}/${part}`)
    .filter((name) => name.endsWith(".json"))
    .map((name) => (part === "" ? name : `${part}/${name}`));
}

/** Optional parts that are not implemented, on purpose. */
const annotationsOnly = new Set([
  "content.json",
  "idn-email.json",
  "idn-hostname.json",
  "iri.json",
  "iri-reference.json",
  "uri-template.json",
]);

/** Names in their encoded form are checked for their characters, and not decoded; a metaschema cannot demand formats. */
function isKnown(failure: string): boolean {
  return failure.includes("A-label (punycode)") || failure.includes("format-assertion");
}

describe("createValidator on the official suite", { skip }, () => {
  for (const { folder, dialect } of drafts) {
    it(`gives the official verdict on every required test of ${folder} [JSCH-001] [JSCH-003] [PP-053]`, () => {
      const paths = files(folder, "");
      assert.ok(paths.length > 30, "the suite is incomplete");
      assert.deepEqual(
        paths.flatMap((path) => failures(folder, dialect, path, {})),
        [],
      );
    });

    it(`gives the official verdict on the optional tests of ${folder} it implements`, () => {
      const paths = files(folder, "optional").filter((path) => !annotationsOnly.has(path.split("/").at(-1) ?? ""));
      assert.deepEqual(
        paths.flatMap((path) => failures(folder, dialect, path, {})).filter((name) => !isKnown(name)),
        [],
      );
    });

    it(`asserts the formats of ${folder} when asked to`, () => {
      const paths = files(folder, "optional/format").filter(
        (path) => !annotationsOnly.has(path.split("/").at(-1) ?? ""),
      );
      assert.deepEqual(
        paths
          .flatMap((path) => failures(folder, dialect, path, { assertFormats: true }))
          .filter((name) => !isKnown(name)),
        [],
      );
    });
  }
});
