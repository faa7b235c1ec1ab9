// What a caller is told when the HTTP endpoint refuses a message before the server sees it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { HttpError, RpcError } from "parley-mcp";
import type { ClientSession } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { createHttpHandler, type HttpHandler, type HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";

const app = defineServer({
  name: "demo",
  version: "1.0.0",
  tools: {
    echo: tool({ input: z.object({ text: z.string() }) }, ({ text }) => text),
    hang: tool({}, (_args, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject))),
  },
});

type Joined = { readonly client: ClientSession<typeof app>; readonly handler: HttpHandler };

/** A client of a handler of its own, which sends nothing twice. */
async function join(options: HttpServerOptions = {}, revision?: string): Promise<Joined> {
  const handler = createHttpHandler(app, options);
  const client = await connect<typeof app>("http://localhost/mcp", {
    revision,
    http: { fetch: (url, init) => handler.fetch(new Request(url, init)), retry: false },
  });
  return { client, handler };
}

/** The refusal of a call, with the JSON-RPC error that came along. */
async function refusalOf(call: Promise<unknown>): Promise<{ error: HttpError; rpcError: RpcError }> {
  const error = await call.then(
    () => assert.fail("the call was taken"),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof HttpError && error.cause instanceof RpcError, String(error));
  assert.ok(error.message.endsWith(error.cause.message));
  return { error, rpcError: error.cause };
}

describe("HTTP refusals", () => {
  it("say that a message is too large, and the session goes on", async () => {
    const { client, handler } = await join({ maxBodyBytes: 2_000 });
    const { error, rpcError } = await refusalOf(client.tools.echo({ text: "x".repeat(3_000) }));
    assert.deepEqual([error.status, rpcError.rpcCode, rpcError.remote], [413, -32600, true]);
    assert.match(error.message, /expected at most 2000 bytes/);
    assert.equal((await client.callTool("echo", { text: "short" })).isError, undefined);
    await client.close();
    handler.close();
  });

  it("say that there are too many requests, and when to come again [PP-041]", async () => {
    const { client, handler } = await join({ sessions: { maxConcurrentRequestsPerSession: 1 } }, "2025-11-25");
    const controller = new AbortController();
    const hanging = client.callTool("hang", {}, { signal: controller.signal });
    const { error, rpcError } = await refusalOf(client.tools.echo({ text: "" }));
    assert.deepEqual([error.status, error.retryAfterMs, rpcError.rpcCode], [429, 1_000, -32600]);
    controller.abort("enough");
    await assert.rejects(hanging, (reason) => reason === "enough");
    await client.close();
    handler.close();
  });

  it("say that the server stops, which is not the client's mistake [PP-041]", async () => {
    const { client, handler } = await join({ sessions: false });
    handler.close();
    const { error, rpcError } = await refusalOf(client.tools.echo({ text: "" }));
    assert.deepEqual([error.status, error.retryAfterMs, rpcError.rpcCode], [503, 1_000, -32603]);
    await client.close();
  });
});
