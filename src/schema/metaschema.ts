// The metaschemas of the supported dialects, built from the keyword table the first time somebody
// refers to one. They exist so that `$ref` to a metaschema works without a fetch; the SDK's own check
// of a schema is check-keyword.ts, whose messages are better.

import { defaultDialect, dialect7, dialect2019 } from "./dialect.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import type { Shape, Vocabulary } from "./keywords.ts";
import { vocabularies7, vocabularies2019, vocabularies2020 } from "./keywords.ts";

/** How one dialect's metaschemas refer to themselves and to their shared definitions. */
interface Style {
  readonly recurse: JsonSchemaObject;
  readonly anchor: JsonSchemaObject;
  readonly anchorPattern: string;
  /** Where a metaschema keeps its shared definitions. */
  readonly definitions: string;
}

const style7: Style = {
  recurse: { $ref: "#" },
  anchor: {},
  anchorPattern: "",
  definitions: "#/definitions/",
};

const style2019: Style = {
  recurse: { $recursiveRef: "#" },
  anchor: { $recursiveAnchor: true },
  anchorPattern: "^[A-Za-z][-A-Za-z0-9.:_]*$",
  definitions: "#/$defs/",
};

const style2020: Style = {
  recurse: { $dynamicRef: "#meta" },
  anchor: { $dynamicAnchor: "meta" },
  anchorPattern: "^[A-Za-z_][-A-Za-z0-9._]*$",
  definitions: "#/$defs/",
};

const type = ["object", "boolean"];

/** The metaschema document at a URI (no fragment), or `undefined` when it is not a bundled one. */
export function metaschemaAt(uri: string): JsonSchemaObject | undefined {
  if (uri === dialect7) return metaschema7();
  return (
    newer(uri, defaultDialect, vocabularies2020, style2020) ?? newer(uri, dialect2019, vocabularies2019, style2019)
  );
}

function metaschema7(): JsonSchemaObject {
  const properties = describe("all", vocabularies7.all ?? {}, style7);
  return { $schema: `${dialect7}#`, $id: `${dialect7}#`, definitions: sharedDefinitions(style7), type, properties };
}

function newer(
  uri: string,
  dialect: string,
  vocabularies: Readonly<Record<string, Vocabulary>>,
  style: Style,
): JsonSchemaObject | undefined {
  const folder = dialect.slice(0, -"schema".length);
  const names = Object.keys(vocabularies).filter((name) => name !== "legacy");
  if (uri === dialect) {
    const $vocabulary = Object.fromEntries(names.map((name) => [`${folder}vocab/${name}`, name !== "format"]));
    const allOf = names.map((name) => ({ $ref: `meta/${name}` }));
    const properties = describe("legacy", vocabularies.legacy ?? {}, style);
    return { $schema: dialect, $id: uri, $vocabulary, ...style.anchor, allOf, type, properties };
  }
  const prefix = `${folder}meta/`;
  const name = uri.startsWith(prefix) ? uri.slice(prefix.length) : "";
  const vocabulary = names.includes(name) ? vocabularies[name] : undefined;
  if (vocabulary === undefined) return undefined;
  const $vocabulary = { [`${folder}vocab/${name}`]: true };
  const $defs = sharedDefinitions(style);
  return {
    $schema: dialect,
    $id: uri,
    $vocabulary,
    ...style.anchor,
    type,
    properties: describe(name, vocabulary, style),
    $defs,
  };
}

function describe(name: string, vocabulary: Vocabulary, style: Style): JsonSchemaObject {
  return Object.fromEntries(
    Object.entries(vocabulary).map(([keyword, shape]) => [keyword, valueSchema(shape, name, style)]),
  );
}

function valueSchema(shape: Shape, vocabulary: string, style: Style): JsonSchemaObject | boolean {
  const { recurse } = style;
  const strings = { $ref: `${vocabulary === "legacy" ? "meta/validation" : ""}${style.definitions}stringArray` };
  const schemas = { $ref: `${style.definitions}schemaArray` };
  switch (shape) {
    case "schema":
      return recurse;
    case "schemas":
      return schemas;
    case "schema-or-schemas":
      return { anyOf: [recurse, schemas] };
    case "schema-map":
      return { type: "object", additionalProperties: recurse };
    case "pattern-map":
      return { type: "object", additionalProperties: recurse, propertyNames: { format: "regex" } };
    case "schema-or-strings-map":
      return { type: "object", additionalProperties: { anyOf: [recurse, strings] } };
    case "strings-map":
      return { type: "object", additionalProperties: strings };
    case "strings":
      return strings;
    case "types":
      return typesSchema({ $ref: `${style.definitions}simpleTypes` });
    case "count":
      return { $ref: `${style.definitions}nonNegativeInteger` };
    default:
      return plainValueSchema(shape, style);
  }
}

function plainValueSchema(shape: Shape, style: Style): JsonSchemaObject | boolean {
  switch (shape) {
    case "number":
    case "boolean":
    case "string":
      return { type: shape };
    case "positive":
      return { type: "number", exclusiveMinimum: 0 };
    case "pattern":
      return { type: "string", format: "regex" };
    case "list":
      return { type: "array", items: true };
    case "choices":
      return { type: "array", items: true, minItems: 1, uniqueItems: true };
    case "uri":
    case "uri-reference":
      return { type: "string", format: shape };
    case "id":
      return { type: "string", format: "uri-reference", pattern: "^[^#]*#?$" };
    case "anchor":
      return { type: "string", pattern: style.anchorPattern };
    case "vocabularies":
      return {
        type: "object",
        propertyNames: { type: "string", format: "uri" },
        additionalProperties: { type: "boolean" },
      };
    default:
      return true;
  }
}

function typesSchema(simple: JsonSchemaObject): JsonSchemaObject {
  return { anyOf: [simple, { type: "array", items: simple, minItems: 1, uniqueItems: true }] };
}

function sharedDefinitions(style: Style): JsonSchemaObject {
  return {
    schemaArray: { type: "array", minItems: 1, items: style.recurse },
    nonNegativeInteger: { type: "integer", minimum: 0 },
    nonNegativeIntegerDefault0: { allOf: [{ $ref: `${style.definitions}nonNegativeInteger` }, { default: 0 }] },
    simpleTypes: { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] },
    stringArray: { type: "array", items: { type: "string" }, uniqueItems: true },
  };
}
