import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { describeReason, mcpCancellation } from "./cancellation.ts";

describe("mcpCancellation", () => {
  it("names the request with its id's type and a reason, never initialize [CANCEL-001] [CANCEL-003]", () => {
    assert.deepEqual(mcpCancellation.toNotification("7", { method: "tools/call" }, "too slow"), {
      method: "notifications/cancelled",
      params: { requestId: "7", reason: "too slow" },
    });
    assert.equal(mcpCancellation.toNotification(0, { method: "initialize" }, "x"), undefined);
  });

  it("reads only well-formed cancellations [CANCEL-006]", () => {
    const parse = (params?: { [key: string]: unknown }) =>
      mcpCancellation.parse({ jsonrpc: "2.0", method: "notifications/cancelled", ...(params && { params }) });
    assert.deepEqual(parse({ requestId: 0, reason: "r" }), { id: 0, reason: "r" });
    assert.deepEqual(parse({ requestId: "a", reason: 5 }), { id: "a", reason: undefined });
    assert.deepEqual([parse({ requestId: 1.5 }), parse({}), parse()], [undefined, undefined, undefined]);
    assert.equal(
      mcpCancellation.parse({ jsonrpc: "2.0", method: "notifications/x", params: { requestId: 1 } }),
      undefined,
    );
  });
});

describe("describeReason", () => {
  it("says something for every reason", () => {
    assert.equal(describeReason("text"), "text");
    assert.equal(describeReason(new Error("why")), "why");
    assert.equal(describeReason(AbortSignal.abort().reason), "cancelled by the caller");
    assert.equal(describeReason({ any: 1 }), "cancelled by the caller");
  });
});
