// Finds everything in a schema document before anything is evaluated: subschemas, ids, anchors,
// dialects. Checks each keyword's shape and the document's size on the way. References are resolved
// inside the document, the documents the caller supplied and the metaschemas; nothing is ever fetched.

import type { ResolvedBounds } from "./bounds.ts";
import { checkKeyword } from "./check-keyword.ts";
import type { Dialect } from "./dialect.ts";
import { builtInDialect, defaultDialect, dialectOf } from "./dialect.ts";
import { SchemaError, unresolved } from "./error.ts";
import type { JsonSchema, JsonSchemaObject } from "./json-schema.ts";
import { escapePointer, isJsonSchema, isRecord, own } from "./json-schema.ts";
import type { Shape } from "./keywords.ts";
import { metaschemaAt } from "./metaschema.ts";
import { Resource, type SchemaNode } from "./node.ts";
import { resolveUri, rootUri, splitFragment } from "./uri.ts";

/** Every part of a schema document by its address. */
export class SchemaIndex {
  readonly root: SchemaNode;
  readonly #bounds: ResolvedBounds;
  readonly #documents: Readonly<Record<string, JsonSchema>>;
  readonly #resources = new Map<string, Resource>();
  readonly #adopted = new Map<string, SchemaNode>();
  #count = 0;

  constructor(schema: JsonSchema, bounds: ResolvedBounds, documents: Readonly<Record<string, JsonSchema>> = {}) {
    this.#bounds = bounds;
    this.#documents = documents;
    this.root = this.#visitDocument(schema, rootUri, builtIn(defaultDialect));
  }

  /** The resource at an absolute URI without fragment: already indexed, supplied or bundled; or `undefined`. */
  resourceAt(uri: string): Resource | undefined {
    const known = this.#resources.get(uri);
    if (known !== undefined) return known;
    const document = this.#find(uri);
    if (document === undefined) return undefined;
    const resource = this.#visitDocument(document, uri, builtIn(defaultDialect)).resource;
    if (!this.#resources.has(uri)) this.#resources.set(uri, resource);
    return resource;
  }

  /** Every resource found so far. */
  resources(): Iterable<Resource> {
    return this.#resources.values();
  }

  /** Indexes a value no keyword declares to be a schema, because a reference points at it. */
  adopt(schema: JsonSchema, near: SchemaNode, path: string): SchemaNode {
    const pointer = `${near.pointer}/${path}`;
    const key = `${near.resource.uri}#${pointer}`;
    const known = this.#adopted.get(key);
    if (known !== undefined) return known;
    const node = this.#visit(schema, near.resource, pointer, near.depth + 1);
    this.#adopted.set(key, node);
    return node;
  }

  readonly #find = (uri: string): JsonSchema | undefined =>
    Object.hasOwn(this.#documents, uri) ? this.#documents[uri] : metaschemaAt(uri);

  #visitDocument(schema: JsonSchema, uri: string, dialect: Dialect): SchemaNode {
    return this.#visit(schema, { uri, dialect }, "", 0);
  }

  #visit(
    schema: unknown,
    parent: Resource | { uri: string; dialect: Dialect },
    pointer: string,
    depth: number,
  ): SchemaNode {
    this.#count += 1;
    const { maxSchemaDepth, maxSubschemas } = this.#bounds;
    if (depth > maxSchemaDepth) throw new SchemaError("bounds", pointer, `nests deeper than ${maxSchemaDepth} levels`);
    if (this.#count > maxSubschemas)
      throw new SchemaError("bounds", pointer, `has more than ${maxSubschemas} subschemas`);
    if (!isJsonSchema(schema)) throw new SchemaError("invalid", pointer, "must be a schema (an object, true or false)");
    const dialect = dialectOf(schema, parent.dialect, pointer, this.#find);
    const uri = identityOf(schema, dialect, parent.uri, pointer);
    const seed = { schema, pointer, depth, children: new Map<string, SchemaNode>() };
    const embedded = parent instanceof Resource;
    const node =
      uri === undefined && embedded
        ? { ...seed, resource: parent }
        : this.#open(new Resource(uri ?? parent.uri, dialect, seed), embedded);
    if (typeof schema === "object") {
      this.#name(schema, node);
      this.#visitChildren(schema, node);
    }
    return node;
  }

  #open(resource: Resource, embedded: boolean): SchemaNode {
    const { uri, root } = resource;
    const other = this.#resources.get(uri)?.root;
    if (other !== undefined && embedded && other.schema !== root.schema) {
      throw new SchemaError(
        "invalid",
        `${root.pointer}/$id`,
        `"${uri}" already identifies ${other.pointer || "the root"}`,
      );
    }
    this.#resources.set(uri, resource);
    return root;
  }

  #name(schema: JsonSchemaObject, node: SchemaNode): void {
    const { anchors, dynamicAnchors, dialect } = node.resource;
    const put = (names: Map<string, SchemaNode>, name: unknown): void => {
      if (typeof name !== "string") return;
      const other = names.get(name);
      if (other !== undefined && other.schema !== schema) {
        throw new SchemaError("invalid", node.pointer, `anchor "${name}" already names ${other.pointer || "the root"}`);
      }
      names.set(name, node);
    };
    if (dialect.keywords.has("$anchor")) put(anchors, own(schema, "$anchor"));
    if (dialect.keywords.has("$dynamicAnchor")) {
      put(anchors, own(schema, "$dynamicAnchor"));
      put(dynamicAnchors, own(schema, "$dynamicAnchor"));
    }
    if (own(schema, "$recursiveAnchor") === true && node.resource.root === node) dynamicAnchors.set("", node);
    const id = own(schema, "$id");
    if (dialect.idMayBeAnchor && typeof id === "string" && own(schema, "$ref") === undefined) {
      const [, fragment] = splitFragment(id);
      if (fragment !== "") put(anchors, fragment);
    }
  }

  #visitChildren(schema: JsonSchemaObject, node: SchemaNode): void {
    const { dialect } = node.resource;
    const refAlone = !dialect.refAllowsSiblings && own(schema, "$ref") !== undefined;
    for (const keyword of Object.keys(schema)) {
      const shape = dialect.keywords.get(keyword);
      const value = schema[keyword];
      if (shape === undefined || value === undefined) continue;
      if (refAlone && keyword !== "$ref" && keyword !== "definitions") continue;
      const fault = checkKeyword(shape, value);
      if (fault !== undefined)
        throw new SchemaError("invalid", `${node.pointer}/${escapePointer(keyword)}`, `${keyword} ${fault}`);
      for (const [key, child] of subschemas(shape, keyword, value)) {
        node.children.set(key, this.#visit(child, node.resource, `${node.pointer}/${key}`, node.depth + 1));
      }
    }
  }
}

function builtIn(uri: string): Dialect {
  const dialect = builtInDialect(uri);
  if (dialect === undefined) throw new SchemaError("dialect", "", `unsupported dialect "${uri}"`);
  return dialect;
}

/** The URI a schema gives itself, or `undefined` when it belongs to the resource around it. */
function identityOf(schema: JsonSchema, dialect: Dialect, base: string, pointer: string): string | undefined {
  if (typeof schema === "boolean" || !dialect.keywords.has("$id")) return undefined;
  const id = own(schema, "$id");
  if (typeof id !== "string" || (!dialect.refAllowsSiblings && own(schema, "$ref") !== undefined)) return undefined;
  const [uri, fragment] = splitFragment(id);
  if (uri === "") return undefined;
  const resolved = resolveUri(uri, base);
  if (resolved === undefined) throw unresolved(`${pointer}/$id`, id);
  return fragment !== "" && resolved === base ? undefined : resolved;
}

/** The schemas inside one keyword's value, with their relative pointers. */
function subschemas(shape: Shape, keyword: string, value: unknown): [string, unknown][] {
  switch (shape) {
    case "schema":
      return [[keyword, value]];
    case "schemas":
      return Array.isArray(value) ? value.map((entry, position) => [`${keyword}/${position}`, entry]) : [];
    case "schema-or-schemas":
      return Array.isArray(value) ? subschemas("schemas", keyword, value) : [[keyword, value]];
    case "schema-map":
    case "pattern-map":
    case "schema-or-strings-map":
      if (!isRecord(value)) return [];
      return Object.entries(value)
        .filter(([, entry]) => !Array.isArray(entry))
        .map(([name, entry]) => [`${keyword}/${escapePointer(name)}`, entry]);
    default:
      return [];
  }
}
