/**
 * Roots: the parts of a file system a client lets a server work in. Judging them is `protocol/roots.ts`.
 */
import type { FinalResult } from "./message.ts";
import type { MetaObject } from "./metadata.ts";

/** A folder or file, named by a `file://` URI. Specification: Client > Roots > Data Types. */
export interface Root {
  uri: string;
  name?: string;
  _meta?: MetaObject;
}

/** Result of `roots/list`. Specification: Client > Roots > Listing Roots. */
export interface ListRootsResult extends FinalResult {
  roots: Root[];
}
