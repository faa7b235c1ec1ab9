import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClosedError, isMcpError, PeerError, TimeoutError, toMcpError, UsageError } from "./error.ts";

describe("isMcpError", () => {
  it("knows errors by their brand, so that another copy of the package counts too [PP-065]", () => {
    const foreign = Object.defineProperty(new Error("from another copy"), Symbol.for("parley-mcp.error"), {
      value: true,
    });
    assert.equal(isMcpError(new UsageError("wrong")), true);
    assert.equal(isMcpError(foreign), true);
    assert.equal(isMcpError(new Error("plain")), false);
    assert.equal(isMcpError(undefined), false);
  });
});

describe("McpError", () => {
  it("is named for its class, carries a stable code, and adds nothing to the message [PP-065]", () => {
    const error = new PeerError("expected an object, got 5");
    assert.equal(error.name, "PeerError");
    assert.equal(error.code, "MCP_PEER");
    assert.equal(error.message, "expected an object, got 5");
    assert.equal("cause" in error, false);
  });
});

describe("toMcpError", () => {
  it("keeps an error that is already ours as the same object", () => {
    const error = new TimeoutError("late", { limit: "idle", timeoutMs: 1 });
    assert.equal(toMcpError(error), error);
  });

  it("wraps anything else and keeps it as the cause", () => {
    const cause = new Error("socket hang up");
    const wrapped = toMcpError(cause, (message, options) => new PeerError(message, options));
    assert.equal(wrapped.code, "MCP_PEER");
    assert.equal(wrapped.cause, cause);
    assert.ok(toMcpError("text") instanceof ClosedError);
  });
});
