// The shape in which a schema is advertised: an object at its root unless it may be anything, unions intact,
// closed unless the author says otherwise, with the dialect marker that the author wrote.
// Specification: Server Features > Tools > Data Types; Basic > JSON Schema Usage.

import { builtInDialect } from "./dialect.ts";
import { SchemaError } from "./error.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import { isRecord, own } from "./json-schema.ts";

/** How a root is published. */
export interface PublishOptions {
  /** Whether members the schema does not mention are refused unless it says otherwise. */
  readonly closed: boolean;
  /** Whether the root may describe something else than an object, as that of a result may. Default false. */
  readonly anyRoot?: boolean | undefined;
}

const openers = ["additionalProperties", "unevaluatedProperties"] as const;
const objectKeywords = ["properties", "required", "patternProperties", "propertyNames", ...openers] as const;
const combinators = [
  "$ref",
  "$dynamicRef",
  "$recursiveRef",
  "allOf",
  "anyOf",
  "oneOf",
  "if",
  "dependentSchemas",
  "dependencies",
] as const;

/** The root to publish. Throws a SchemaError when it cannot describe an object. */
export function publishRoot(schema: JsonSchemaObject, { closed, anyRoot }: PublishOptions): JsonSchemaObject {
  if (anyRoot === true && !describesObject(schema)) {
    return schema;
  }
  const { $schema, type, ...rest } = schema;
  const dialect = typeof $schema === "string" ? builtInDialect($schema) : undefined;
  const marker = $schema === undefined ? {} : { $schema };
  if (type !== undefined && type !== "object") {
    throw new SchemaError("invalid", "/type", `the root must be of type "object" (got ${JSON.stringify(type)})`);
  }
  refuseOtherRoots(schema);
  const root: JsonSchemaObject = { ...marker, type: "object", ...rest };
  const saysItself = openers.some((keyword) => own(schema, keyword) !== undefined);
  return closed && !saysItself ? close(root, dialect?.refAllowsSiblings ?? true) : root;
}

/** Members that come from combinations are seen only by `unevaluatedProperties`, which draft 7 lacks. */
function close(root: JsonSchemaObject, canSeeCombined: boolean): JsonSchemaObject {
  if (!combinators.some((keyword) => own(root, keyword) !== undefined)) return { ...root, additionalProperties: false };
  return canSeeCombined ? { ...root, unevaluatedProperties: false } : root;
}

/** Whether a schema is about objects: it says so, or its keywords are those of objects and nothing speaks against it. */
function describesObject(schema: JsonSchemaObject): boolean {
  const { type } = schema;
  if (type !== undefined) {
    return type === "object";
  }
  const isAbout = [...objectKeywords, ...combinators].some((keyword) => own(schema, keyword) !== undefined);
  const branches = [own(schema, "anyOf"), own(schema, "oneOf")].flatMap((list): unknown[] =>
    Array.isArray(list) ? list : [],
  );
  return isAbout && branches.every((branch) => isRecord(branch) && describesBranch(branch));
}

/** A branch may leave the type to others, as a reference does; a constant or a list of values is none of an object. */
function describesBranch(branch: Readonly<Record<string, unknown>>): boolean {
  const type = own(branch, "type");
  return type === undefined
    ? own(branch, "const") === undefined && own(branch, "enum") === undefined
    : type === "object";
}

function refuseOtherRoots(schema: JsonSchemaObject): void {
  for (const keyword of ["anyOf", "oneOf"]) {
    const branches = own(schema, keyword);
    if (!Array.isArray(branches)) continue;
    for (const [position, branch] of branches.entries()) {
      const type = isRecord(branch) ? own(branch, "type") : undefined;
      if (type === undefined || type === "object") continue;
      const place = `/${keyword}/${position}/type`;
      throw new SchemaError(
        "invalid",
        place,
        `every branch of the root must be of type "object" (got ${JSON.stringify(type)})`,
      );
    }
  }
}
