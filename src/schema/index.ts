// Entry "parley-mcp/schema": the schemas a definition accepts, the built-in JSON Schema validator, and
// the contract for putting another in its place.

export type { SchemaBounds } from "./bounds.ts";
export type { ValidatorOptions } from "./compile.ts";
export { createValidator } from "./compile.ts";
export { supportedDialects } from "./dialect.ts";
export type { SchemaErrorReason } from "./error.ts";
export { SchemaError } from "./error.ts";
export type { AssertFormats } from "./format.ts";
export type { FromJsonSchema, SchemaInput, SchemaOutput, ToJsonSchemaValue } from "./infer.ts";
export type { SchemaIssue } from "./issue.ts";
export { describeIssues } from "./issue.ts";
export type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";
export type { Represent, UnrepresentablePart } from "./library-options.ts";
export { nearest } from "./nearest.ts";
export type { ArgumentSchema, ArgumentSchemaOptions, SchemaResult } from "./parse.ts";
export { toArgumentSchema } from "./parse.ts";
export type { PatternMatcher, RegexEngine } from "./pattern.ts";
export type { AcceptedSchema, DescribedSchema, StandardSchema } from "./standard.ts";
export { isStandardSchema, withJsonSchema } from "./standard.ts";
export type { ConvertOptions } from "./to-json-schema.ts";
export { toJsonSchema } from "./to-json-schema.ts";
export type { CompiledSchema, CompileOptions, JsonSchemaValidator } from "./validator.ts";
