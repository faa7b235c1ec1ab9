import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { isRpcError } from "./rpc-error.ts";

describe("isRpcError", () => {
  it("knows errors of this copy and of another one, and nothing else [PP-065]", () => {
    const foreign = Object.assign(new Error("e"), { code: "MCP_RPC", rpcCode: 5 });
    Object.defineProperty(foreign, Symbol.for("parley-mcp.error"), { value: true });
    assert.ok(isRpcError(new RpcError(5, "e")));
    assert.ok(isRpcError(foreign));
    for (const value of [
      new UsageError("e"),
      Object.assign(new Error("e"), { rpcCode: 5 }),
      { rpcCode: 5 },
      undefined,
    ]) {
      assert.ok(!isRpcError(value));
    }
  });
});
