/** A client for a URL, made by the optional package `@redis/client`. */
import type { createClient } from "@redis/client";
import { StoreError } from "../error.ts";
import type { CommandConnection } from "./connection.ts";
import { connectNodeRedis, nodeRedisSocket } from "./node-redis.ts";

/** The part of the package that is used. */
export interface RedisClientModule {
  readonly createClient: typeof createClient;
}

/**
 * Loads the package and makes a client, which is not connected yet.
 *
 * @param load - loads the package
 * @throws StoreError `unavailable` where it is not installed
 */
export async function openUrl(
  url: string,
  load: () => Promise<RedisClientModule> = importClient,
): Promise<CommandConnection> {
  const { createClient } = await load().catch((error: unknown) => {
    throw new StoreError(
      "unavailable",
      "expected the package @redis/client, which opens Redis by its URL, got none that can be loaded; install it with `npm install @redis/client`, or give redis() a client",
      { cause: error },
    );
  });
  // A copy, because what the URL says is written into it.
  return connectNodeRedis(createClient({ url, socket: { ...nodeRedisSocket } }), true);
}

async function importClient(): Promise<RedisClientModule> {
  return import("@redis/client");
}
