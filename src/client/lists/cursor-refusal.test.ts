import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { TimeoutError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { isCursorRefusal } from "./cursor-refusal.ts";

describe("isCursorRefusal", () => {
  it("is the server's own word on the params, and nothing else", () => {
    assert.equal(isCursorRefusal(new RpcError(-32602, "unknown cursor", { remote: true })), true);
    assert.equal(isCursorRefusal(new RpcError(-32602, "not sent")), false);
    assert.equal(isCursorRefusal(new RpcError(-32603, "down", { remote: true })), false);
    assert.equal(isCursorRefusal(new TimeoutError("late", { limit: "idle", timeoutMs: 1 })), false);
  });
});
