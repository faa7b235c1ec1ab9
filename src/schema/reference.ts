// Turns a reference into the subschema it names. Pointers may lead through places that no keyword
// declares to be schemas; what they find there is indexed on the spot.

import { unresolved } from "./error.ts";
import type { SchemaIndex } from "./index-schema.ts";
import { isJsonSchema, unescapePointer } from "./json-schema.ts";
import type { SchemaNode } from "./node.ts";
import { resolveUri, splitFragment } from "./uri.ts";

/** What a reference leads to. */
export interface ReferenceTarget {
  readonly node: SchemaNode;
  /** The plain name it was found by, if it was found by one. */
  readonly anchor: string | undefined;
}

/** Resolves a reference as seen from a subschema. */
export function resolveReference(
  index: SchemaIndex,
  from: SchemaNode,
  keyword: string,
  reference: string,
): ReferenceTarget {
  const place = `${from.pointer}/${keyword}`;
  const [path, fragment] = splitFragment(reference);
  const uri = path === "" ? from.resource.uri : resolveUri(path, from.resource.uri);
  const resource = path === "" ? from.resource : uri === undefined ? undefined : index.resourceAt(uri);
  if (resource === undefined) throw unresolved(place, reference);
  if (fragment === "") return { node: resource.root, anchor: undefined };
  const isPointer = fragment.startsWith("/");
  const node = isPointer ? followPointer(index, resource.root, fragment) : resource.anchors.get(fragment);
  if (node === undefined) throw unresolved(place, reference);
  return { node, anchor: isPointer ? undefined : fragment };
}

function followPointer(index: SchemaIndex, root: SchemaNode, pointer: string): SchemaNode | undefined {
  const tokens = pointer.slice(1).split("/");
  let node = root;
  let position = 0;
  while (position < tokens.length) {
    const one = tokens[position] ?? "";
    const single = node.children.get(one);
    const double = single ?? node.children.get(`${one}/${tokens[position + 1] ?? ""}`);
    if (double === undefined) return adoptAt(index, node, tokens.slice(position));
    position += single === undefined ? 2 : 1;
    node = double;
  }
  return node;
}

function adoptAt(index: SchemaIndex, node: SchemaNode, tokens: readonly string[]): SchemaNode | undefined {
  let value: unknown = node.schema;
  for (const token of tokens) {
    if (typeof value !== "object" || value === null) return undefined;
    const key = unescapePointer(token);
    if (!Object.hasOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return isJsonSchema(value) ? index.adopt(value, node, tokens.join("/")) : undefined;
}
