import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFolder, startProgram } from "../../../test/fixtures/programs.ts";
import { createPrefix, redisUrl, whyNoRedis } from "../../../test/fixtures/redis.ts";
import { within } from "../../../test/fixtures/within.ts";

const program = `
import { redis } from "parley-mcp/store/redis";
const [, , url, prefix] = process.argv;
const store = redis(url, { prefix });
await store.set("k", "v", { ttlMs: 1_000 });
await store.subscribe("t", { message: () => undefined, missed: () => undefined });
await store.close();
const unused = redis(url, { prefix });
const away = redis("redis://127.0.0.1:1", { timeoutMs: 100 });
await away.get("k").catch(({ failure }) => console.log(failure));
await away.close();
console.log("closed");
`;

describe("a process with a store in Redis", { skip: whyNoRedis() }, () => {
  it("ends by itself once the store is closed, whether or not Redis was there", async (context) => {
    const folder = createFolder(context, { "main.mjs": program });
    const loader = new URL("../../../node_modules/tsx/dist/loader.mjs", import.meta.url).href;
    const args = ["--conditions=parley-mcp", `--import=${loader}`, "main.mjs", redisUrl, createPrefix()];
    const started = startProgram(context, args, folder);
    assert.deepEqual(await within(started.ended, "the end of the process", 60_000), { code: 0, signal: null });
    assert.equal(started.stdout, "unavailable\nclosed\n");
  });
});
