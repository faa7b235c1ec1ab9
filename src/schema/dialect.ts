// The dialects of JSON Schema that are understood, and how a schema's `$schema` selects one.
// Specification: Basic > JSON Schema Usage. An unknown dialect is an error the caller decides about.

import { SchemaError } from "./error.ts";
import type { JsonSchema } from "./json-schema.ts";
import { isRecord, own } from "./json-schema.ts";
import type { Shape, Vocabulary } from "./keywords.ts";
import { vocabularies7, vocabularies2019, vocabularies2020 } from "./keywords.ts";

/** A dialect: its keywords, and the few traits in which dialects differ beyond them. */
export interface Dialect {
  /** The URI of its metaschema, without an empty fragment. */
  readonly uri: string;
  /** Every keyword it knows; others are ignored. */
  readonly keywords: ReadonlyMap<string, Shape>;
  /** Whether keywords beside `$ref` count. */
  readonly refAllowsSiblings: boolean;
  /** Whether `$id: "#name"` is an anchor. */
  readonly idMayBeAnchor: boolean;
  /** Whether items matched by `contains` count as evaluated. */
  readonly containsEvaluates: boolean;
}

/** The URI of JSON Schema 2020-12, which a schema without `$schema` is read as. */
export const defaultDialect = "https://json-schema.org/draft/2020-12/schema";
/** The URI of JSON Schema 2019-09. */
export const dialect2019 = "https://json-schema.org/draft/2019-09/schema";
/** The URI of JSON Schema draft 7. */
export const dialect7 = "http://json-schema.org/draft-07/schema";

/**
 * The dialects that can be declared with `$schema`.
 *
 * @example
 * ```ts
 * import { supportedDialects } from "parley-mcp/schema";
 *
 * supportedDialects.includes("http://json-schema.org/draft-07/schema"); // true
 * ```
 */
export const supportedDialects: readonly string[] = [defaultDialect, dialect2019, dialect7];

const newer = { refAllowsSiblings: true, idMayBeAnchor: false } as const;
const older = { refAllowsSiblings: false, idMayBeAnchor: true, containsEvaluates: false } as const;

const cache: Map<string, Dialect> = /* @__PURE__ */ new Map();

/** The built-in dialect of a URI, or `undefined`. An empty fragment at its end is ignored. */
export function builtInDialect(uri: string): Dialect | undefined {
  const key = withoutEmptyFragment(uri);
  const known = cache.get(key);
  if (known !== undefined) return known;
  const made = buildDialect(key);
  if (made !== undefined) cache.set(key, made);
  return made;
}

function buildDialect(uri: string): Dialect | undefined {
  switch (uri) {
    case defaultDialect:
      return { uri, keywords: gather(Object.values(vocabularies2020)), ...newer, containsEvaluates: true };
    case dialect2019:
      return { uri, keywords: gather(Object.values(vocabularies2019)), ...newer, containsEvaluates: false };
    case dialect7:
    case dialect7.replace("http:", "https:"):
      return { uri: dialect7, keywords: gather(Object.values(vocabularies7)), ...older };
    default:
      return undefined;
  }
}

/**
 * The dialect of a schema resource by its `$schema`, or the inherited one when it declares none.
 * A custom metaschema is accepted when `find` yields it and its `$vocabulary` lists vocabularies
 * that are known.
 */
export function dialectOf(
  schema: JsonSchema,
  inherited: Dialect,
  pointer: string,
  find: (uri: string) => JsonSchema | undefined,
): Dialect {
  if (!isRecord(schema)) return inherited;
  const declared = own(schema, "$schema");
  if (declared === undefined) return inherited;
  const place = `${pointer}/$schema`;
  if (typeof declared !== "string") throw new SchemaError("invalid", place, "must be the URI of a dialect");
  const builtIn = builtInDialect(declared);
  if (builtIn !== undefined) return builtIn;
  const metaschema = find(withoutEmptyFragment(declared));
  const custom = metaschema === undefined ? undefined : customDialect(declared, metaschema);
  if (custom !== undefined) return custom;
  const names = supportedDialects.map((uri) => `"${uri}"`).join(", ");
  throw new SchemaError("dialect", place, `unsupported dialect "${declared}"; supported are ${names}`);
}

function customDialect(uri: string, metaschema: JsonSchema): Dialect | undefined {
  if (!isRecord(metaschema)) return undefined;
  const base = builtInDialect(String(own(metaschema, "$schema") ?? defaultDialect));
  const wanted = own(metaschema, "$vocabulary");
  if (base === undefined) return undefined;
  if (!isRecord(wanted)) return { ...base, uri };
  const is2020 = base.uri === defaultDialect;
  const root = (is2020 ? defaultDialect : dialect2019).replace(/schema$/u, "vocab/");
  const known = is2020 ? vocabularies2020 : vocabularies2019;
  const chosen: Vocabulary[] = [];
  for (const [name, required] of Object.entries(wanted)) {
    const vocabulary = name.startsWith(root) ? known[name.slice(root.length)] : undefined;
    if (vocabulary !== undefined) chosen.push(vocabulary);
    else if (required === true) return undefined;
  }
  return { ...base, uri, keywords: gather([...chosen, known.legacy ?? {}]) };
}

function gather(groups: readonly Vocabulary[]): ReadonlyMap<string, Shape> {
  return new Map(groups.flatMap((group) => Object.entries(group)));
}

function withoutEmptyFragment(uri: string): string {
  return uri.endsWith("#") ? uri.slice(0, -1) : uri;
}
