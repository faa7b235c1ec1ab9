import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { handshakeRevisions, latestStateless } from "../revision/registry.ts";
import { acceptedReply, createRefusal, refusals, toAnswerStatus } from "./status.ts";

describe("createRefusal", () => {
  it("has a JSON-RPC error as its body, with an id only where one is given [PP-106]", () => {
    const plain = createRefusal("forbidden", "no");
    assert.equal(plain.status, 403);
    assert.deepEqual(JSON.parse(plain.body), { jsonrpc: "2.0", error: { code: -32600, message: "no" } });
    const full = createRefusal("badRevision", "no", { id: 4, data: { supported: [] }, headers: { "x-a": "b" } });
    assert.deepEqual(JSON.parse(full.body), {
      jsonrpc: "2.0",
      id: 4,
      error: { code: -32600, message: "no", data: { supported: [] } },
    });
    assert.deepEqual(full.headers, { "content-type": "application/json", "x-a": "b" });
  });
});

describe("refusals", () => {
  it("say what the client did wrong or what the server cannot do, with no code of our own [M-ERR-003]", () => {
    for (const [name, { status, code }] of Object.entries(refusals)) {
      assert.ok(status >= 400 && status < 600);
      const mistaken = name === "parseError" ? -32700 : -32600;
      assert.equal(code, status < 500 ? mistaken : -32603, name);
    }
  });
});

describe("toAnswerStatus", () => {
  it("knows four errors, and those only where requests stand for themselves [M-ERR-008] [M-ERR-009] [M-ERR-010] [M-ERR-014]", () => {
    const statusOf = (code: number, revision = latestStateless): number =>
      toAnswerStatus({ jsonrpc: "2.0", id: 1, error: { code, message: "" } }, revision);
    assert.deepEqual(
      [-32020, -32021, -32022, -32601].map((code) => statusOf(code)),
      [400, 400, 400, 404],
    );
    assert.deepEqual(
      [-32602, -32603, -32002, -32000, 1].map((code) => statusOf(code)),
      [200, 200, 200, 200, 200],
    );
    for (const revision of handshakeRevisions) {
      assert.equal(statusOf(-32601, revision), 200);
    }
    assert.equal(toAnswerStatus({ jsonrpc: "2.0", id: 1, result: {} }, latestStateless), 200);
  });
});

describe("acceptedReply", () => {
  it("is 202 without a body [HTTP-010]", () => {
    assert.deepEqual([acceptedReply.status, acceptedReply.body], [202, ""]);
  });
});
