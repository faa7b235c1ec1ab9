// The two things a schema document consists of once it is indexed: subschemas at their places, and
// the resources they belong to.

import type { Dialect } from "./dialect.ts";
import type { JsonSchema } from "./json-schema.ts";

/** One subschema at one place. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  readonly resource: Resource;
  /** JSON Pointer from the document's root, for messages. */
  readonly pointer: string;
  /** How many subschemas it lies inside of. */
  readonly depth: number;
  /** Direct subschemas by relative pointer: `not`, `properties/a`, `allOf/0`. */
  readonly children: Map<string, SchemaNode>;
}

/** A schema with an identity of its own: a document's root, or a part that has an `$id`. */
export class Resource {
  /** Absolute, without a fragment. */
  readonly uri: string;
  readonly dialect: Dialect;
  readonly root: SchemaNode;
  readonly anchors: Map<string, SchemaNode> = new Map();
  /** Anchors that a dynamic reference may be redirected to; `""` is the `$recursiveAnchor` of 2019-09. */
  readonly dynamicAnchors: Map<string, SchemaNode> = new Map();

  constructor(uri: string, dialect: Dialect, root: Omit<SchemaNode, "resource">) {
    this.uri = uri;
    this.dialect = dialect;
    this.root = { ...root, resource: this };
  }
}
