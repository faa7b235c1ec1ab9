// Which keywords each vocabulary of each dialect has, and what shape their values take. Three things
// read this table: the index (where subschemas are), the validity check, and the metaschemas.
// What a keyword means stands in the evaluate files, not here.

/** What a keyword's value looks like. */
export type Shape =
  | "schema"
  | "schemas"
  | "schema-or-schemas"
  | "schema-map"
  | "pattern-map"
  | "schema-or-strings-map"
  | "strings-map"
  | "strings"
  | "types"
  | "count"
  | "number"
  | "positive"
  | "boolean"
  | "string"
  | "pattern"
  | "list"
  | "choices"
  | "any"
  | "uri"
  | "uri-reference"
  | "id"
  | "anchor"
  | "vocabularies";

/** A named group of keywords. */
export type Vocabulary = Readonly<Record<string, Shape>>;

const logic = {
  if: "schema",
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; this object is never awaited
  then: "schema",
  else: "schema",
  allOf: "schemas",
  anyOf: "schemas",
  oneOf: "schemas",
  not: "schema",
} as const;

const objects = {
  properties: "schema-map",
  patternProperties: "pattern-map",
  additionalProperties: "schema",
  propertyNames: "schema",
} as const;

const unevaluated = { unevaluatedItems: "schema", unevaluatedProperties: "schema" } as const;

const limits = {
  multipleOf: "positive",
  maximum: "number",
  exclusiveMaximum: "number",
  minimum: "number",
  exclusiveMinimum: "number",
  maxLength: "count",
  minLength: "count",
  pattern: "pattern",
  maxItems: "count",
  minItems: "count",
  uniqueItems: "boolean",
  maxProperties: "count",
  minProperties: "count",
  required: "strings",
  const: "any",
  type: "types",
} as const;

const newerLimits = {
  ...limits,
  enum: "list",
  maxContains: "count",
  minContains: "count",
  dependentRequired: "strings-map",
} as const;

const annotations = {
  title: "string",
  description: "string",
  default: "any",
  readOnly: "boolean",
  examples: "list",
} as const;

const newerAnnotations = { ...annotations, deprecated: "boolean", writeOnly: "boolean" } as const;
const content = { contentMediaType: "string", contentEncoding: "string" } as const;
const newerContent = { ...content, contentSchema: "schema" } as const;
const format = { format: "string" } as const;
const identity = { $id: "id", $schema: "uri", $ref: "uri-reference", $anchor: "anchor" } as const;
const naming = { $vocabulary: "vocabularies", $comment: "string", $defs: "schema-map" } as const;
const legacy = { definitions: "schema-map", dependencies: "schema-or-strings-map" } as const;

/** The vocabularies of 2020-12 by their short names; `legacy` is what the dialect keeps for older schemas. */
export const vocabularies2020: Readonly<Record<string, Vocabulary>> = {
  core: { ...identity, $dynamicRef: "uri-reference", $dynamicAnchor: "anchor", ...naming },
  applicator: {
    prefixItems: "schemas",
    items: "schema",
    contains: "schema",
    ...objects,
    dependentSchemas: "schema-map",
    ...logic,
  },
  unevaluated,
  validation: newerLimits,
  "meta-data": newerAnnotations,
  "format-annotation": format,
  content: newerContent,
  legacy: { ...legacy, $recursiveAnchor: "anchor", $recursiveRef: "uri-reference" },
};

/** The vocabularies of 2019-09. */
export const vocabularies2019: Readonly<Record<string, Vocabulary>> = {
  core: { ...identity, $recursiveRef: "uri-reference", $recursiveAnchor: "boolean", ...naming },
  applicator: {
    additionalItems: "schema",
    items: "schema-or-schemas",
    contains: "schema",
    ...objects,
    ...unevaluated,
    dependentSchemas: "schema-map",
    ...logic,
  },
  validation: newerLimits,
  "meta-data": newerAnnotations,
  format,
  content: newerContent,
  legacy,
};

/** Draft 7 has no vocabularies: one group holds everything. */
export const vocabularies7: Readonly<Record<string, Vocabulary>> = {
  all: {
    $id: "uri-reference",
    $schema: "uri",
    $ref: "uri-reference",
    $comment: "string",
    ...limits,
    enum: "choices",
    additionalItems: "schema",
    items: "schema-or-schemas",
    contains: "schema",
    ...objects,
    ...legacy,
    ...logic,
    ...annotations,
    ...content,
    ...format,
  },
};
