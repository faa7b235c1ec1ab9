/**
 * What a resource is: its description, its template and its contents. The methods that list, read and
 * watch resources are in `resources.ts`.
 */
import type { Annotations, BaseMetadata, Icons, MetaObject } from "./metadata.ts";

/** Something a server can be asked to read, named by a URI. Specification: Server > Resources > Data Types. */
export interface Resource extends BaseMetadata, Icons {
  uri: string;
  description?: string;
  mimeType?: string;
  annotations?: Annotations;
  /** Bytes of the raw content, before any base64 encoding. */
  size?: number;
  _meta?: MetaObject;
}

/** A family of resources described by an RFC 6570 template. Specification: Server > Resources > Resource Templates. */
export interface ResourceTemplate extends BaseMetadata, Icons {
  uriTemplate: string;
  description?: string;
  /** Only set when every matching resource has this type. */
  mimeType?: string;
  annotations?: Annotations;
  _meta?: MetaObject;
}

/** What text and binary contents share. Specification: Server > Resources > Resource Contents. */
export interface ResourceContents {
  uri: string;
  mimeType?: string;
  _meta?: MetaObject;
}

/** Contents that are text. Specification: Server > Resources > Resource Contents. */
export interface TextResourceContents extends ResourceContents {
  text: string;
}

/** Contents that are binary, as base64. Specification: Server > Resources > Resource Contents. */
export interface BlobResourceContents extends ResourceContents {
  blob: string;
}
