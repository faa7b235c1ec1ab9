import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../test/fixtures/raw-client.ts";
import { turn } from "../../test/fixtures/turn.ts";
import { RpcError } from "../jsonrpc/error.ts";
import { defineServer } from "./define.ts";
import { text } from "./features/content.ts";
import { tool } from "./features/tool.ts";
import type { Middleware } from "./middleware.ts";

const identity = { name: "demo", version: "1.0.0" };
const echo = tool({ input: { type: "object", properties: { say: { type: "string" } } } }, ({ say }) => say ?? "");

describe("middleware", () => {
  it("runs in order around handlers and sees requests, results, errors and notifications [PP-068]", async () => {
    const seen: string[] = [];
    const layer =
      (name: string): Middleware =>
      (next) =>
      async (message, ctx) => {
        seen.push(`${name} > ${message.kind} ${message.method}`);
        try {
          const result = await next(message, ctx);
          seen.push(`${name} < ${result === undefined ? "nothing" : "result"}`);
          return result;
        } catch (error) {
          seen.push(`${name} ! ${(error as RpcError).rpcCode}`);
          throw error;
        }
      };
    const client = await RawClient.connect(
      defineServer({ ...identity, middleware: [layer("a"), layer("b")], tools: { echo } }),
    );
    seen.length = 0;
    await client.call("echo", { say: "hi" });
    assert.deepEqual(seen, ["a > request tools/call", "b > request tools/call", "b < result", "a < result"]);
    seen.length = 0;
    assert.equal((await client.call("none")).error?.code, -32602);
    assert.deepEqual(seen.slice(2), ["b ! -32602", "a ! -32602"]);
    seen.length = 0;
    client.notify("notifications/roots/list_changed");
    await turn();
    assert.deepEqual(seen, [
      "a > notification notifications/roots/list_changed",
      "b > notification notifications/roots/list_changed",
      "b < nothing",
      "a < nothing",
    ]);
  });

  it("may rewrite a request, answer by itself, change a result, or refuse [PP-068]", async () => {
    const layer: Middleware = (next) => async (message, ctx) => {
      if (message.method !== "tools/call") {
        return next(message, ctx);
      }
      switch (message.params.name) {
        case "alias":
          return next({ ...message, params: { ...message.params, name: "echo" } }, ctx);
        case "cached":
          return { content: [text("from the cache")] };
        case "refused":
          throw new RpcError(-31996, "not today");
        default: {
          const result = await next(message, ctx);
          return { ...result, _meta: { "com.example/seen": true } };
        }
      }
    };
    const client = await RawClient.connect(defineServer({ ...identity, middleware: [layer], tools: { echo } }));
    assert.deepEqual((await client.call("alias", { say: "hi" })).result?.content, [text("hi")]);
    assert.deepEqual((await client.call("cached")).result?.content, [text("from the cache")]);
    assert.equal((await client.call("refused")).error?.code, -31996);
    assert.deepEqual((await client.call("echo", { say: "a" })).result?._meta, { "com.example/seen": true });
  });

  it("may answer methods that nothing else knows", async () => {
    const layer: Middleware = (next) => (message, ctx) =>
      (message.method as string) === "x/magic" ? { magic: true } : next(message, ctx);
    const client = await RawClient.connect(defineServer({ ...identity, middleware: [layer] }));
    assert.deepEqual((await client.request("x/magic")).result, { magic: true });
    assert.equal((await client.request("x/other")).error?.code, -32601);
  });
});
