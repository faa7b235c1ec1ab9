/**
 * Which arguments of a tool are mirrored as HTTP headers, as the `x-mcp-header` annotations in its `inputSchema` say.
 *
 * The rules are those of the definition; what a call makes of them is param-headers.ts in `http/`. The schema is read
 * as text is: nothing is resolved, fetched or compiled.
 * Specification: Server > Tools > x-mcp-header; Basic > Transports > Streamable HTTP > Schema extension.
 */
import { isObject } from "../base/json.ts";
import { expected, memberPath } from "./check.ts";

/** The keyword that asks for a header. */
const keyword = "x-mcp-header";

/** An argument that is mirrored as a header. */
export interface HeaderAnnotation {
  /** What stands behind `Mcp-Param-`, as the author wrote it. */
  readonly name: string;
  /** Names of the members that lead from the arguments to the value; at least one. */
  readonly path: readonly string[];
  /** What the value is; it may also be null or absent, and then has no header. */
  readonly type: HeaderType;
}

/** Types that a header can carry. */
export type HeaderType = "string" | "integer" | "boolean";

/** The annotations of a tool in the order of their depth, or what is wrong with one. */
export type HeaderAnnotations =
  | { readonly ok: true; readonly annotations: readonly HeaderAnnotation[] }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the annotations out of an `inputSchema`. One that breaks a rule makes the whole tool invalid: a server refuses
 * to register it, a client on HTTP leaves it out [M-HDR-012] [M-HDR-013] [M-HDR-014].
 *
 * @param inputSchema - the JSON Schema of a tool's arguments, a tree as JSON is
 * @returns a problem that names the place, what was expected and what came
 *
 * @example
 * ```ts
 * readHeaderAnnotations({
 *   type: "object",
 *   properties: { region: { type: "string", "x-mcp-header": "Region" } },
 * }); // { ok: true, annotations: [{ name: "Region", path: ["region"], type: "string" }] }
 * ```
 */
export function readHeaderAnnotations(inputSchema: unknown): HeaderAnnotations {
  const found: HeaderAnnotation[] = [];
  const places = new Map<string, string>();
  const queue: Subschema[] = [{ value: inputSchema, at: "inputSchema", path: [] }];
  // The queue grows while it is walked, so that no depth of nesting can exhaust the stack.
  for (const subschema of queue) {
    const { value, at } = subschema;
    if (!isObject(value)) {
      continue;
    }
    if (Object.hasOwn(value, keyword)) {
      const result = readAnnotation(subschema, value);
      if (!result.ok) {
        return result;
      }
      const { name } = result.annotation;
      const other = places.get(name.toLowerCase());
      if (other !== undefined) {
        const fault = expected("a name of its own, whatever its case", name);
        return { ok: false, problem: `${at}${memberPath(keyword)}${fault}, which ${other} has too` };
      }
      places.set(name.toLowerCase(), at);
      found.push(result.annotation);
    }
    for (const child of toSubschemas(subschema, value)) {
      queue.push(child);
    }
  }
  return { ok: true, annotations: found };
}

/** A part of the schema that may carry an annotation. */
interface Subschema {
  readonly value: unknown;
  /** Where it stands, for messages. */
  readonly at: string;
  /** The path of the argument it describes; nothing where something else than `properties` led here. */
  readonly path: readonly string[] | undefined;
}

/** Keywords whose members are names of the author's choice, each with a schema. */
const schemaMaps: readonly string[] = [
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
];

/** Keywords that hold values rather than schemas, in which the annotation's name means nothing. */
const valueKeywords: readonly string[] = ["const", "enum", "default", "examples", keyword];

/** Every other keyword counts as holding schemas, unknown ones too: a reference may lead there. */
function toSubschemas({ at, path }: Subschema, schema: { readonly [name: string]: unknown }): Subschema[] {
  return Object.entries(schema).flatMap(([name, value]): Subschema[] => {
    const place = at + memberPath(name);
    if (valueKeywords.includes(name)) {
      return [];
    }
    if (Array.isArray(value)) {
      return value.map((each, index) => ({ value: each, at: `${place}[${index}]`, path: undefined }));
    }
    if (!schemaMaps.includes(name)) {
      return [{ value, at: place, path: undefined }];
    }
    return Object.entries(isObject(value) ? value : {}).map(([member, each]) => ({
      value: each,
      at: place + memberPath(member),
      path: name === "properties" && path !== undefined ? [...path, member] : undefined,
    }));
  });
}

type AnnotationResult =
  | { readonly ok: true; readonly annotation: HeaderAnnotation }
  | { readonly ok: false; readonly problem: string };

function readAnnotation({ at, path }: Subschema, schema: { readonly [name: string]: unknown }): AnnotationResult {
  const name = schema[keyword];
  const place = at + memberPath(keyword);
  // RFC 9110, section 5.6.2: the characters of a token.
  if (typeof name !== "string" || !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
    return { ok: false, problem: place + expected("letters, digits and !#$%&'*+-.^_`|~, at least one", name) };
  }
  if (path === undefined || path.length === 0) {
    const problem = `${place}: expected only on a property that "properties" alone leads to, got it elsewhere`;
    return { ok: false, problem: `${problem}; move the annotation there` };
  }
  const type = readHeaderType(schema.type);
  if (type === undefined) {
    const wanted = `"string", "integer" or "boolean", or one of these with "null", because ${keyword} is beside it`;
    return { ok: false, problem: at + memberPath("type") + expected(wanted, schema.type) };
  }
  return { ok: true, annotation: { name, path, type } };
}

/** The one primitive type beside an optional null; nothing for any other union, and where no type is said. */
function readHeaderType(type: unknown): HeaderType | undefined {
  const [single, ...others] = Array.isArray(type) ? type.filter((each) => each !== "null") : [type];
  return others.length === 0 && (single === "string" || single === "integer" || single === "boolean")
    ? single
    : undefined;
}
