import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClient } from "@redis/client";
import { Redis } from "ioredis";
import { UsageError } from "../../base/error.ts";
import { StoreError } from "../error.ts";
import { openUrl } from "./load-client.node.ts";
import { redis } from "./open.node.ts";
import { placeOfHandle, readUrl } from "./place.ts";

describe("redis", () => {
  it("refuses what is no Redis URL, without repeating it", () => {
    for (const url of [
      "",
      "localhost:6379",
      "http://user:secret@host/",
      "redis://user:secret@host:port/",
      "redis://user:secret@host/user",
    ]) {
      assert.throws(
        () => redis(url),
        (error) => error instanceof UsageError && !/secret|user/.test(error.message),
        url,
      );
    }
  });

  it("refuses options and clients it could not work with", () => {
    assert.throws(() => redis("redis://localhost", { timeoutMs: 0 }), UsageError);
    assert.throws(() => redis("redis://localhost", { timeoutMs: Number.NaN }), UsageError);
    assert.throws(() => redis("redis://localhost", { timeoutMs: 60_000 }), /at most 30000/);
    assert.throws(() => redis(createClient({ keyPrefix: "mine:" })), /key prefix/);
    const client = new Redis({ keyPrefix: "mine:", lazyConnect: true });
    assert.throws(() => redis(client), /key prefix/);
    const cluster = new Redis.Cluster([{ host: "127.0.0.1", port: 1 }], { lazyConnect: true });
    assert.throws(() => redis(cluster), /cluster/);
  });

  it("connects to nothing before it is used", async () => {
    await redis("redis://127.0.0.1:1").close();
  });

  it("says what to install where the client package is missing", async () => {
    const missing = async (): Promise<never> => {
      throw new Error("Cannot find package '@redis/client'");
    };
    await assert.rejects(openUrl("redis://localhost", missing), (error) => {
      assert.ok(error instanceof StoreError && error.failure === "unavailable");
      assert.match(error.message, /npm install @redis\/client/);
      return true;
    });
  });
});

describe("places", () => {
  it("are host and port, without credentials", () => {
    assert.deepEqual(readUrl("valkeys://user:secret@cache.test:6380/2"), {
      url: "rediss://user:secret@cache.test:6380/2",
      place: "cache.test:6380",
    });
    assert.equal(readUrl("redis://cache.test").place, "cache.test:6379");
    assert.equal(placeOfHandle(createClient({ url: "redis://u:p@cache.test:1/3" }).options), "cache.test:1");
    assert.equal(placeOfHandle(new Redis(2, "cache.test", { lazyConnect: true }).options), "cache.test:2");
    assert.equal(placeOfHandle({ path: "/run/redis.sock" }), "/run/redis.sock");
    assert.equal(placeOfHandle(undefined), "localhost:6379");
  });
});
