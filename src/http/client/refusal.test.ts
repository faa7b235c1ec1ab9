import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRig, handshake, json } from "../../../test/fixtures/http/fake-endpoint.ts";
import { HttpError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";

const ask = { method: "tools/call", params: { name: "add" } };

describe("readRefusal", () => {
  it("takes the answer to the request for what it is, whatever the status [M-ERR-013]", async () => {
    const rig = await createRig();
    for (const status of [200, 400, 404, 405, 422, 500]) {
      rig.endpoint.handlers["tools/call"] = ({ message }) =>
        json({ jsonrpc: "2.0", id: message?.id, error: { code: -32602, message: "no such tool", data: 7 } }, status);
      await assert.rejects(rig.link.request(ask), (error: unknown) => {
        assert.ok(error instanceof RpcError);
        assert.deepEqual([error.rpcCode, error.message, error.data, error.remote], [-32602, "no such tool", 7, true]);
        return true;
      });
    }
  });

  it("takes a 400 for what its body says, also where that names no request", async () => {
    const rig = await createRig();
    const error = { code: -32600, message: "Host: expected localhost" };
    for (const id of [undefined, null]) {
      rig.endpoint.handlers["tools/call"] = () => json({ jsonrpc: "2.0", id, error }, 400);
      await assert.rejects(rig.link.request(ask), { code: "MCP_RPC", rpcCode: -32600, message: error.message });
    }
  });

  it("keeps a status that says something itself, and the wait, beside the JSON-RPC error [PP-041]", async () => {
    const rig = await createRig({ retry: false });
    const data = { limitBytes: 4 };
    for (const status of [401, 403, 413, 429, 502, 503, 504]) {
      rig.endpoint.handlers["tools/call"] = ({ message }) =>
        json(
          { jsonrpc: "2.0", id: status < 429 ? message?.id : null, error: { code: -32600, message: "too much", data } },
          status,
          { "retry-after": "7" },
        );
      await assert.rejects(rig.link.request(ask), (error: unknown) => {
        assert.ok(error instanceof HttpError && error.cause instanceof RpcError);
        assert.deepEqual([error.status, error.retryAfterMs], [status, 7_000]);
        assert.deepEqual([error.cause.rpcCode, error.cause.message, error.cause.data], [-32600, "too much", data]);
        assert.match(error.message, new RegExp(`got ${status}, to be tried again after 7000 ms: too much$`));
        assert.match(error.excerpt, /^\{"jsonrpc"/);
        return true;
      });
    }
  });

  it("names the size of the message or of its headers where that is why it was refused [M-HDR-026]", async () => {
    const rig = await createRig();
    for (const [status, what] of [
      [413, /the message is too large for the server/],
      [431, /the headers are too large for the server/],
    ] as const) {
      rig.endpoint.handlers["tools/call"] = () => new Response(null, { status });
      await assert.rejects(rig.link.request(ask), { code: "MCP_HTTP", status, message: what });
    }
  });

  it("gives the status of a path where nothing is, and of a server that failed before it read the request", async () => {
    const rig = await createRig();
    for (const status of [404, 500]) {
      rig.endpoint.handlers["tools/call"] = () =>
        json({ jsonrpc: "2.0", error: { code: -32600, message: "the endpoint is elsewhere" } }, status);
      await assert.rejects(rig.link.request(ask), (error: unknown) => {
        assert.ok(error instanceof HttpError && error.cause instanceof RpcError);
        assert.equal(error.status, status);
        assert.match(error.message, /the endpoint is elsewhere$/);
        return true;
      });
    }
  });

  it("does not take the answer to another request for one", async () => {
    const rig = await createRig();
    rig.endpoint.handlers["tools/call"] = () =>
      json({ jsonrpc: "2.0", id: "other", error: { code: -32602, message: "no" } }, 400);
    await assert.rejects(rig.link.request(ask), (error: unknown) => {
      assert.ok(error instanceof HttpError);
      assert.deepEqual([error.status, error.cause], [400, undefined]);
      return true;
    });
  });

  it("says which status came, with the beginning of the body and without secrets [HTTP-042]", async () => {
    const rig = await createRig({ headers: { authorization: "Bearer secret-token-1" } });
    await handshake(rig);
    rig.endpoint.handlers["tools/call"] = () =>
      new Response(`session-1 with secret-token-1 failed ${"x".repeat(1_000)}`, { status: 500 });
    await assert.rejects(rig.link.request(ask), (error: Error & { status?: number; excerpt?: string }) => {
      assert.equal(error.status, 500);
      assert.match(
        error.message,
        /^POST of tools\/call to https:\/\/server\.test\/mcp: expected a status of 200 to 299, got 500/,
      );
      assert.match(error.message, /\[session id\] with \[authorization\] failed x+\.\.\.$/);
      assert.ok((error.excerpt ?? "").length < 400);
      assert.doesNotMatch(JSON.stringify(error) + error.message, /hidden|session-1|secret-token/);
      return true;
    });
  });
});
