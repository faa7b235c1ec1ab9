/**
 * What discovery finds out about a server's authorization: contracts only, discover.ts does it.
 *
 * Specification: Basic > Authorization > Authorization Server Discovery; RFC 9728, RFC 8414.
 */
import type { AuthorizationServer } from "oauth4webapi";

/** Protected resource metadata, as far as it is read. RFC 9728 section 2. */
export interface ResourceMetadata {
  /** Byte for byte as published. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  /** Whether tokens must be bound to a key (`dpop_bound_access_tokens_required`). */
  readonly requiresDpop: boolean;
}

/** Authorization server metadata, checked: https endpoints, the issuer it was fetched for, S256 where codes are used. */
export type ServerMetadata = AuthorizationServer & { readonly token_endpoint: string };

/** Where a server's tokens come from, and what they are for. */
export interface Discovery {
  /** What goes out as `resource`: as published, or the canonical endpoint where nothing is published. */
  readonly resource: string;
  /** `undefined` where the server has none and something else is known. */
  readonly resourceMetadata: ResourceMetadata | undefined;
  /** Byte for byte as the resource metadata, or the options, name it. */
  readonly issuer: string;
  readonly server: ServerMetadata;
}
