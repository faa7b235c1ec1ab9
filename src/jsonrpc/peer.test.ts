import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { scriptPeer, turn } from "../../test/fixtures/scripted-peer.ts";
import { createDeferred } from "../base/deferred.ts";
import { ClosedError, PeerError } from "../base/error.ts";
import { RpcError } from "./error.ts";
import type { Exchange } from "./link.ts";
import { classifyMessage, type JsonRpcRequest } from "./message.ts";
import { MessageTooLargeError } from "./too-large.ts";

describe("Peer", () => {
  it("answers with the very id of the request, type included [BASE-007]", async () => {
    const { sent, inject } = await scriptPeer();
    await inject({ jsonrpc: "2.0", id: "7", method: "ping" });
    await inject({ jsonrpc: "2.0", id: 7, method: "ping" });
    await inject({ jsonrpc: "2.0", id: 0, method: "ping" });
    assert.deepEqual(
      sent.map((message) => "id" in message && message.id),
      ["7", 7, 0],
    );
  });

  it("keeps the ids of the two directions apart [BASE-006]", async () => {
    const { peer, sent, inject } = await scriptPeer(() => ({ from: "us" }));
    const call = peer.request({ method: "tools/list" });
    const { id } = sent[0] as JsonRpcRequest;
    await inject({ jsonrpc: "2.0", id, method: "ping" });
    await inject({ jsonrpc: "2.0", id, result: { from: "them" } });
    assert.deepEqual(await call, { from: "them" });
    assert.deepEqual(sent[1], { jsonrpc: "2.0", id, result: { from: "us" } });
  });

  it("answers no notification, whatever is wrong with it [BASE-012]", async () => {
    const { sent, diagnostics, inject } = await scriptPeer();
    await inject({ jsonrpc: "2.0", method: "no/such" });
    await inject({ jsonrpc: "2.0", method: "notifications/x", params: [] });
    await inject({ jsonrpc: "1.0", method: "notifications/x" });
    await inject({ jsonrpc: "2.0", method: 5 });
    assert.deepEqual(sent, []);
    assert.equal(diagnostics.length, 3);
    await inject({ jsonrpc: "2.0", id: 1, method: "ping" });
    assert.equal(sent.length, 1);
  });

  it("answers what is no message with an error, without an id where none was readable, and goes on [BASE-010] [BASE-015]", async () => {
    const { sent, receiver, inject } = await scriptPeer();
    await inject({});
    await inject({ jsonrpc: "2.0", id: 3, method: "ping", params: [] });
    receiver.malformed({ error: { code: -32700, message: "expected JSON" } });
    assert.deepEqual(
      sent.map((message) => ["id" in message ? message.id : "none", "error" in message && message.error.code]),
      [
        ["none", -32600],
        [3, -32600],
        ["none", -32700],
      ],
    );
    await inject({ jsonrpc: "2.0", id: 4, method: "ping" });
    assert.equal(sent.length, 4);
  });

  it("hands an error to the caller with code, message and data as sent [BASE-009] [PP-065]", async () => {
    const { peer, inject } = await scriptPeer();
    const call = peer.request({ method: "tools/call" });
    const rejected = assert.rejects(call, (error) => {
      assert.ok(error instanceof RpcError);
      assert.deepEqual(
        [error.rpcCode, error.message, error.data, error.remote],
        [-32042, "visit first", { a: [1] }, true],
      );
      return true;
    });
    await inject({ jsonrpc: "2.0", id: 0, error: { code: -32042, message: "visit first", data: { a: [1] } } });
    await rejected;
  });

  it("drops answers that nothing waits for and errors without an id, and reports them [BASE-010] [BASE-023]", async () => {
    const { peer, diagnostics, inject } = await scriptPeer();
    await inject({ jsonrpc: "2.0", id: 9_999, result: {} });
    await inject({ jsonrpc: "2.0", error: { code: -32700, message: "what?" } });
    await inject({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "what?" } });
    assert.deepEqual(
      diagnostics.map((diagnostic) => diagnostic.code),
      ["MCP_D_UNKNOWN_RESPONSE", "MCP_D_ERROR_WITHOUT_ID", "MCP_D_ERROR_WITHOUT_ID"],
    );
    const call = peer.request({ method: "ping" });
    await inject({ jsonrpc: "2.0", id: 0, result: {} });
    assert.deepEqual(await call, {});
  });

  it("fails the call whose answer is malformed or too large, and only that one", async () => {
    const { peer, receiver, inject } = await scriptPeer();
    const calls = [
      peer.request({ method: "a" }),
      peer.request({ method: "b" }),
      peer.request({ method: "c" }),
    ] as const;
    const settled = Promise.allSettled(calls);
    await inject({ jsonrpc: "2.0", id: 0, result: "text" });
    receiver.malformed({ error: { code: -32600, message: "message too large" }, id: 1, isResponse: true });
    await inject({ jsonrpc: "2.0", id: 2, result: { fine: true } });
    const [first, second, third] = await settled;
    assert.ok(first.status === "rejected" && first.reason instanceof PeerError);
    assert.ok(second.status === "rejected" && /too large/.test(second.reason.message));
    assert.deepEqual(third, { status: "fulfilled", value: { fine: true } });
  });

  it("sends nothing for a request after its answer [PROG-006]", async () => {
    let kept: Exchange | undefined;
    const { sent, inject } = await scriptPeer((_request, exchange) => {
      kept = exchange;
      return {};
    });
    await inject({ jsonrpc: "2.0", id: 1, method: "tools/call" });
    await kept?.notify({ method: "notifications/progress" });
    assert.equal(sent.length, 1);
  });

  it("refuses a request id that is in use and a request too many, and goes on", async () => {
    const gate = createDeferred<object>();
    const { sent, inject } = await scriptPeer(() => gate.promise, Number.POSITIVE_INFINITY, 2);
    await inject({ jsonrpc: "2.0", id: 1, method: "slow" });
    await inject({ jsonrpc: "2.0", id: 1, method: "slow" });
    await inject({ jsonrpc: "2.0", id: 2, method: "slow" });
    await inject({ jsonrpc: "2.0", id: 3, method: "slow" });
    assert.deepEqual(
      sent.map((message) => "error" in message && [message.id, message.error.code]),
      [
        [1, -32600],
        [3, -32603],
      ],
    );
    gate.resolve({});
    await turn();
    assert.deepEqual(
      sent.slice(2).map((message) => "id" in message && message.id),
      [1, 2],
    );
  });

  it("answers with an error where the result is over the channel's limit [PP-026]", async () => {
    const { sent, inject } = await scriptPeer(() => ({ text: "x".repeat(1_000) }), 500);
    await inject({ jsonrpc: "2.0", id: 1, method: "tools/call" });
    const answer = sent[0];
    assert.ok(answer && "error" in answer);
    assert.match(answer.error.message, /too large: expected at most 500 bytes, got 10\d\d/);
  });

  it("rejects an outgoing request that is over the channel's limit", async () => {
    const { peer } = await scriptPeer(() => ({}), 100);
    await assert.rejects(peer.request({ method: "x", params: { text: "x".repeat(200) } }), MessageTooLargeError);
    assert.deepEqual(peer.openRequests, { inbound: 0, outbound: 0 });
  });

  it("fails what waits and aborts what runs when the channel ends, naming the fault [LIFE-021] [PP-019]", async () => {
    const reasons: unknown[] = [];
    const { peer, receiver, inject } = await scriptPeer(async (_request, { signal }) => {
      signal.addEventListener("abort", () => reasons.push(signal.reason));
      return new Promise(() => {});
    });
    await inject({ jsonrpc: "2.0", id: 1, method: "tools/call" });
    const call = peer.request({ method: "ping" });
    receiver.closed(new PeerError("exit code 3"));
    await assert.rejects(call, (error) => error instanceof ClosedError && /exit code 3/.test(error.message));
    assert.ok(reasons[0] instanceof ClosedError);
    assert.equal((await peer.closed)?.message, "exit code 3");
    await assert.rejects(peer.request({ method: "ping" }), ClosedError);
    await assert.rejects(peer.notify({ method: "x" }), ClosedError);
    assert.deepEqual(peer.openRequests, { inbound: 0, outbound: 0 });
  });

  it("closes in order and can be closed twice", async () => {
    const { peer } = await scriptPeer();
    const call = peer.request({ method: "ping" });
    await Promise.all([peer.close(), peer.close(), assert.rejects(call, ClosedError)]);
    assert.equal(await peer.closed, undefined);
  });

  it("answers every request exactly once and survives anything injected", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            fc.jsonValue(),
            fc.record({
              jsonrpc: fc.constant("2.0"),
              id: fc.oneof(fc.jsonValue(), fc.string(), fc.integer(), fc.constantFrom(0, "0", 1, "1", "")),
              method: fc.string(),
            }),
          ),
        ),
        async (values) => {
          const { sent, inject, receiver } = await scriptPeer(() => ({}), undefined, 1_000);
          for (const value of values) {
            receiver.message(value);
          }
          await turn();
          const requests = values.map(classifyMessage).filter((classified) => classified.kind === "request");
          const ids = requests.map(({ message }) => message.id);
          const results = sent.flatMap((message) => ("result" in message ? [message.id] : []));
          assert.deepEqual(new Set(results), new Set(ids), "each id is answered, type included");
          assert.equal(results.length, new Set(ids).size, "none is answered twice");
          const refusals = sent.flatMap((message) => ("error" in message ? [message.id] : []));
          for (const id of ids) {
            const repeats = ids.filter((other) => other === id).length - 1;
            assert.equal(refusals.filter((other) => other === id).length, repeats, "an id in use is refused each time");
          }
          const before = sent.length;
          await inject({ jsonrpc: "2.0", id: "last", method: "ping" });
          assert.deepEqual(sent.slice(before), [{ jsonrpc: "2.0", id: "last", result: {} }]);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("takes an array message by message where batches are spoken, and refuses it elsewhere [O0326-005] [O0326-008]", async () => {
    let spoken = true;
    const { sent, inject } = await scriptPeer(
      () => ({}),
      undefined,
      undefined,
      () => spoken,
    );
    const ping = (id: unknown): object => ({ jsonrpc: "2.0", id, method: "ping" });
    await inject([ping(1), {}, ping("b"), { jsonrpc: "2.0", method: "notifications/x" }, []]);
    assert.deepEqual(
      sent.map((message) => ("id" in message ? message.id : "none")),
      ["none", "none", 1, "b"],
    );
    await inject([]);
    spoken = false;
    await inject([ping(2)]);
    assert.deepEqual(
      sent.slice(4).map((message) => "error" in message && message.error.code),
      [-32600, -32600],
    );
  });
});
