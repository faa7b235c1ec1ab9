/**
 * Entry "./store/node": a store by its address, as a configuration has it. What is behind an address is loaded only when
 * it is asked for.
 */
import { UsageError } from "../base/error.ts";
import type { Store } from "./contracts.ts";
import { createMemoryStore, type MemoryStoreOptions } from "./memory.ts";
import type { RedisOptions } from "./redis/open.node.ts";
import type { SqliteOptions } from "./sqlite/open.node.ts";

/** Options of {@link openStore}: of each kind of address. Those of the kind that is opened are used. */
export interface OpenStoreOptions {
  memory?: MemoryStoreOptions | undefined;
  sqlite?: SqliteOptions | undefined;
  redis?: RedisOptions | undefined;
}

/**
 * Makes the store that an address names. Nothing is opened or connected before its first operation.
 *
 * @param address - `memory:`; `sqlite:` and the path of a file, or a path that ends in `.db`, `.sqlite` or `.sqlite3`;
 *   `redis://`, `rediss://` and their `valkey` forms
 * @throws UsageError for any other address, which is not repeated, because it may hold a password
 * @example
 * ```ts
 * import { openStore } from "parley-mcp/store/node";
 *
 * const store = await openStore(process.env.STORE ?? "memory:", { redis: { prefix: "my-app:" } });
 * ```
 */
export async function openStore(address: string, options: OpenStoreOptions = {}): Promise<Store> {
  if (address === "memory:") {
    return createMemoryStore(options.memory);
  }
  if (/^(redis|valkey)s?:\/\//.test(address)) {
    const { redis } = await import("./redis/open.node.ts");
    return redis(address, options.redis);
  }
  if (address.startsWith("sqlite:") || isPathOfDatabase(address)) {
    const { sqlite } = await import("./sqlite/open.node.ts");
    return sqlite(address.replace(/^sqlite:/, ""), options.sqlite);
  }
  throw new UsageError(
    "address: expected memory:, sqlite:<file>, a path that ends in .db, .sqlite or .sqlite3, or a redis:// or rediss:// URL",
  );
}

/** A single letter before the colon is a drive. */
function isPathOfDatabase(address: string): boolean {
  return /\.(db|sqlite3?)$/.test(address) && !/^[a-z][a-z\d+.-]+:/i.test(address);
}
