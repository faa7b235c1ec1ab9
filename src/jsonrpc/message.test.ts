import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { classifyMessage, type InvalidMessage, isRequestId, toNotification, toRequest } from "./message.ts";

function refused(value: unknown): InvalidMessage {
  const classified = classifyMessage(value);
  assert.equal(classified.kind, "invalid", JSON.stringify(value));
  return classified as InvalidMessage;
}

describe("classifyMessage", () => {
  it("tells requests, notifications and responses apart", () => {
    const kinds = [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: "a", method: "ping", params: {} },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } },
      { jsonrpc: "2.0", error: { code: -32700, message: "no" } },
      { jsonrpc: "2.0", id: null, error: { code: -32700, message: "no" } },
    ].map((value) => classifyMessage(value).kind);
    assert.deepEqual(kinds, ["request", "request", "notification", "response", "response", "response", "response"]);
  });

  it("refuses a missing or wrong jsonrpc member with -32600 [BASE-002]", () => {
    for (const value of [
      { id: 1, method: "ping" },
      { jsonrpc: "1.0", id: 1, method: "ping" },
      { jsonrpc: 2, id: 1, method: "ping" },
    ]) {
      assert.equal(refused(value).error.code, -32600);
      assert.equal(refused(value).id, 1);
    }
  });

  it("takes strings and integers as request ids and nothing else [BASE-003] [BASE-004]", () => {
    for (const id of [1.5, true, {}, [], null]) {
      const problem = refused({ jsonrpc: "2.0", id, method: "ping" });
      assert.equal(problem.error.code, -32600);
      assert.equal(problem.meant, "request");
      assert.equal(problem.id, undefined);
    }
    assert.deepEqual([1, 0, -5, "", "a"].map(isRequestId), [true, true, true, true, true]);
  });

  it("refuses an integer that reading has rounded, as its answer would name another request [BASE-007]", () => {
    const problem = refused(JSON.parse('{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}'));
    assert.deepEqual([problem.error.code, problem.id], [-32600, undefined]);
    assert.match(problem.error.message, /an integer of at most 9007199254740991, got 9007199254740992$/);
    assert.equal(isRequestId(Number.MAX_SAFE_INTEGER), true);
  });

  it("refuses objects that are no message, batches and values that are no objects [BASE-015] [BASE-019]", () => {
    for (const value of [
      {},
      { jsonrpc: "2.0", id: 1 },
      [],
      [{ jsonrpc: "2.0", id: 1, method: "ping" }],
      5,
      null,
      "text",
    ]) {
      assert.equal(refused(value).error.code, -32600);
    }
  });

  it("refuses positional params and a method that is no string [BASE-020]", () => {
    assert.match(refused({ jsonrpc: "2.0", id: 1, method: "tools/list", params: [] }).error.message, /params.*object/);
    assert.equal(refused({ jsonrpc: "2.0", id: 1, method: "tools/list", params: null }).id, 1);
    assert.match(refused({ jsonrpc: "2.0", id: 1, method: 5 }).error.message, /method.*string/);
    assert.equal(refused({ jsonrpc: "2.0", method: "x", params: [] }).meant, "notification");
  });

  it("wants exactly one of result and error, an object as result, a code and a message as error [BASE-008] [BASE-009]", () => {
    for (const response of [
      { id: 1, result: {}, error: { code: 1, message: "" } },
      { id: 1, result: "text" },
      { id: 1, result: null },
      { id: 1, error: { code: "1", message: "" } },
      { id: 1, error: { code: 1.5, message: "" } },
      { id: 1, error: { code: 1 } },
      { result: {} },
    ]) {
      assert.equal(refused({ jsonrpc: "2.0", ...response }).meant, "response");
    }
  });

  it("says what was expected on a single line, whatever the value [BASE-011]", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const classified = classifyMessage(value);
        assert.ok(classified.kind !== "invalid" || /^expected [^\n]+$/.test(classified.error.message));
      }),
    );
  });
});

describe("toRequest and toNotification", () => {
  it("leave out params that are not there", () => {
    const said = { method: "a", params: undefined };
    assert.deepEqual(toRequest(1, said), { jsonrpc: "2.0", id: 1, method: "a" });
    assert.deepEqual(toNotification(said), { jsonrpc: "2.0", method: "a" });
    assert.deepEqual(toNotification({ method: "a", params: {} }), { jsonrpc: "2.0", method: "a", params: {} });
  });
});
