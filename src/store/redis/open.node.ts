/** Entry "./store/redis": the store for many processes and machines, in Redis or Valkey. */
import { UsageError } from "../../base/error.ts";
import type { Store } from "../contracts.ts";
import type { IoRedisHandle, NodeRedisHandle } from "./handle.ts";
import { connectIoRedis } from "./ioredis.ts";
import { openUrl } from "./load-client.node.ts";
import { connectNodeRedis } from "./node-redis.ts";
import { placeOfHandle, readUrl } from "./place.ts";
import { RedisStore, type RedisStoreOptions } from "./store.ts";

/** A client that talks to one Redis or Valkey server: of `@redis/client` (`createClient`) or of `ioredis` (`Redis`). */
export type RedisHandle = NodeRedisHandle | IoRedisHandle;

/** Options of {@link redis}: what names begin with, and how long to wait. */
export type RedisOptions = RedisStoreOptions;

/**
 * Opens a store in Redis 7.0 or newer, or in Valkey. All processes that open it with the same prefix share it.
 *
 * Nothing is connected before the first operation. A connection that is lost is made again for as long as the store is
 * open; meanwhile operations wait, at most `timeoutMs`, and then reject with `StoreError`. Whatever resolves is in Redis,
 * and as durable as Redis is configured to be: let it keep an append-only file, and never let it evict (`noeviction`).
 *
 * The connections keep the process alive until `close()`, which ends those that the store opened: both of a URL, and the
 * one for listening beside a client that was given.
 *
 * @param target - `redis://`, `rediss://` (TLS) or their `valkey` forms, with user, password and database as needed, which
 *   needs the package `@redis/client`; or a client of `@redis/client` or `ioredis`, which stays its owner's
 * @throws UsageError at once for a URL of another kind, a client of a cluster, or one with a key prefix of its own
 * @throws StoreError from operations: `unavailable` (no connection within the limit, an older server, a refusal), `full`
 *   (Redis has no memory left)
 *
 * @example
 * ```ts
 * import { redis } from "parley-mcp/store/redis";
 *
 * const store = redis("redis://localhost:6379", { prefix: "my-app:" });
 * try {
 *   await store.set("greeting", "hello", { ttlMs: 60_000 });
 * } finally {
 *   await store.close();
 * }
 * ```
 */
export function redis(target: string | RedisHandle, options: RedisOptions = {}): Store {
  if (typeof target === "string") {
    const { url, place } = readUrl(target);
    return new RedisStore(() => openUrl(url), place, options);
  }
  assertUsable(target);
  const connection = isIoRedis(target) ? connectIoRedis(target) : connectNodeRedis(target, false);
  return new RedisStore(async () => connection, placeOfHandle(target.options), options);
}

function isIoRedis(handle: RedisHandle): handle is IoRedisHandle {
  return "call" in handle;
}

function assertUsable(handle: RedisHandle): void {
  const { isCluster = false } = handle as Partial<IoRedisHandle>;
  if (isCluster || "masters" in handle) {
    throw new UsageError("target: expected a client of one Redis server, got one of a cluster");
  }
  const { keyPrefix } = (handle as Partial<NodeRedisHandle>).options ?? {};
  if (keyPrefix !== undefined && keyPrefix !== "") {
    throw new UsageError(
      "target: expected a client without a key prefix, got one; use the option `prefix` of the store",
    );
  }
}
