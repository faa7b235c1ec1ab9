import assert from "node:assert/strict";
import { createServer } from "node:http";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import { ProbedStore } from "../../test/fixtures/probed-store.ts";
import { createFolder } from "../../test/fixtures/programs.ts";
import { UsageError } from "../base/error.ts";
import { defineServer } from "../server/define.ts";
import type { Server } from "../server/server.ts";
import { type ServeOptions, serve } from "./serve.node.ts";

const define = (): Server => defineServer({ name: "demo", version: "1.0.0" });

const quietly = (app: Server, options: ServeOptions): ReturnType<typeof serve> =>
  serve(app, { ownsProcess: false, print: () => undefined, ...options });

describe("serve with a store", () => {
  it("opens the one at an address for the definition, and closes it at the end", async (context) => {
    const address = `sqlite:${join(createFolder(context, {}), "state.db")}`;
    const app = define();
    const served = await quietly(app, { http: { port: 0 }, store: address });
    await app.store.set("key", "value");
    await served.close();
    await served.closed;
    await assert.rejects(app.store.get("key"), { code: "MCP_STORE" });
    const again = define();
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const other = await quietly(again, { stdio: { stdin, stdout }, store: address });
    assert.equal((await again.store.get("key"))?.value, "value");
    stdin.end();
    await other.closed;
    await assert.rejects(again.store.get("key"), { code: "MCP_STORE" });
  });

  it("gives the definition the one it was handed, also as an option of HTTP, and leaves it open", async () => {
    for (const options of [{ store: new ProbedStore() }, { http: { port: 0, store: new ProbedStore() } }]) {
      const store = options.store ?? options.http?.store;
      const app = define();
      const served = await quietly(app, { http: { port: 0 }, ...options });
      await app.store.set("key", "value");
      assert.deepEqual(store?.written, ["key"]);
      await served.close();
      await served.closed;
      assert.equal(store?.isClosed, false);
    }
  });

  it("refuses a definition that has another, and an address that is none, without a word of what is in it", async () => {
    const app = defineServer({ name: "demo", version: "1.0.0", store: new ProbedStore() });
    await assert.rejects(quietly(app, { http: { port: 0 }, store: "memory:" }), (error) => {
      assert.ok(error instanceof UsageError);
      assert.match(error.message, /has a store already, from defineServer/);
      return true;
    });
    await assert.rejects(quietly(define(), { http: { port: 0 }, store: "mongo://user:secret@host" }), (error) => {
      assert.ok(error instanceof UsageError);
      assert.doesNotMatch(error.message, /secret/);
      return true;
    });
  });

  it("closes what it opened where the port cannot be had", async (context) => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    context.after(() => taken.close());
    const { port } = taken.address() as { port: number };
    const app = define();
    const store = `sqlite:${join(createFolder(context, {}), "state.db")}`;
    await assert.rejects(quietly(app, { http: { port }, store }), /is in use/);
    await assert.rejects(app.store.get("key"), { code: "MCP_STORE" });
  });

  it("prints that its store is out of reach", async () => {
    const [app, store, printed] = [define(), new ProbedStore(), [] as string[]];
    const served = await quietly(app, { http: { port: 0 }, store, print: (line) => printed.push(line) });
    store.isDown = true;
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "1" } };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params });
    const response = await fetch(served.url ?? "", { method: "POST", headers, body });
    assert.equal(response.status, 503);
    await response.text();
    assert.match(printed[1] ?? "", /^MCP_D_STORE_FAILED: .*out of reach/);
    await served.close();
    await served.closed;
  });
});
