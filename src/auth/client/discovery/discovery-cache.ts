/**
 * Authorization server metadata that was read not long ago, by issuer, so that a process does not ask for it at every login.
 *
 * A document is only ever found under the issuer whose own host served it, so one server cannot speak for another here.
 */
import { Lru } from "../../../base/lru.ts";
import type { Clock } from "../../../base/timer.ts";
import type { ServerMetadata } from "./discovery.ts";

/** How much is kept, and how long. */
export interface DiscoveryCacheOptions {
  readonly clock: Clock;
  /** Most issuers. Default 100. */
  readonly maxEntries?: number | undefined;
  /** How long a document is good, in milliseconds. Default ten minutes. */
  readonly ttlMs?: number | undefined;
}

/** See the head of this file. */
export class DiscoveryCache {
  readonly #servers: Lru<ServerMetadata>;
  readonly #ttlMs: number;

  constructor({ clock, maxEntries = 100, ttlMs = 600_000 }: DiscoveryCacheOptions) {
    this.#servers = new Lru(maxEntries, () => clock.now());
    this.#ttlMs = ttlMs;
  }

  /** The document of an issuer. */
  find(issuer: string): ServerMetadata | undefined {
    return this.#servers.get(issuer);
  }

  /** Keeps a document that was read and checked. */
  keep(server: ServerMetadata): void {
    this.#servers.set(server.issuer, server, this.#ttlMs);
  }

  /** Forgets a document, as when what it says turned out wrong. */
  forget(issuer: string): void {
    this.#servers.delete(issuer);
  }
}
