import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder } from "../../test/fixtures/programs.ts";
import { UsageError } from "../base/error.ts";
import { createFakeClock } from "../test/clock.ts";
import { StoreError } from "./error.ts";
import { openStore } from "./open.node.ts";

describe("openStore", () => {
  it("makes a store in memory, with the options of one", async () => {
    const clock = createFakeClock();
    const store = await openStore("memory:", { memory: { clock, maxEntries: 1 } });
    await store.set("k", "v", { ttlMs: 1_000 });
    await assert.rejects(store.set("l", "v"), StoreError);
    await clock.advance(1_000);
    assert.equal(await store.get("k"), undefined);
    await store.close();
  });

  for (const [what, toAddress] of Object.entries<(path: string) => string>({
    "sqlite: and a path": (path) => `sqlite:${path}`,
    "a path that says so": (path) => path,
  })) {
    it(`makes a store in a SQLite file by ${what}, which is not opened before it is used`, async (context: TestContext) => {
      for (const name of ["store.db", "store.sqlite", "store.sqlite3"]) {
        const path = join(createFolder(context, {}), name);
        const store = await openStore(toAddress(path));
        assert.equal(existsSync(path), false);
        await store.set("k", "v");
        assert.equal(existsSync(path), true);
        await store.close();
      }
    });
  }

  for (const scheme of ["redis", "valkey"]) {
    it(`makes a store in Redis by a ${scheme} URL, which is not connected before it is used`, async () => {
      const store = await openStore(`${scheme}://127.0.0.1:1`, { redis: { timeoutMs: 50 } });
      await assert.rejects(store.get("k"), (error) => error instanceof StoreError && error.failure === "unavailable");
      await store.close();
    });
  }

  it("refuses any other address, and does not repeat it", async () => {
    const secrets = ["postgres://me:secret@host/secret.db", "secret", "", "memory", "redis:secret", "https://secret"];
    for (const address of secrets) {
      await assert.rejects(openStore(address), (error) => {
        assert.ok(error instanceof UsageError);
        return /expected memory:/.test(error.message) && !error.message.includes("secret");
      });
    }
  });
});
