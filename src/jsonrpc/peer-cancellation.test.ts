import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { scriptPeer } from "../../test/fixtures/scripted-peer.ts";
import { createDeferred } from "../base/deferred.ts";

describe("Peer", () => {
  it("gives a request up with the caller's reason and tells the peer, id 0 included [CANCEL-001] [CANCEL-007] [PP-040]", async () => {
    const { peer, sent, diagnostics, inject } = await scriptPeer();
    const controller = new AbortController();
    const reason = new Error("user closed the tab");
    const call = peer.request({ method: "tools/call" }, { signal: controller.signal });
    controller.abort(reason);
    controller.abort("again");
    await assert.rejects(call, (error) => error === reason);
    assert.deepEqual(sent[1], {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 0, reason: "user closed the tab" },
    });
    await inject({ jsonrpc: "2.0", id: 0, result: {} });
    assert.equal(sent.length, 2);
    assert.deepEqual(
      diagnostics.map((diagnostic) => diagnostic.code),
      ["MCP_D_LATE_RESPONSE"],
    );
  });

  it("sends nothing for a signal that is already aborted or aborts after the answer [CANCEL-002] [PP-038]", async () => {
    const { peer, sent, inject } = await scriptPeer();
    await assert.rejects(
      peer.request({ method: "ping" }, { signal: AbortSignal.abort("before") }),
      (error) => error === "before",
    );
    assert.equal(sent.length, 0);
    const controller = new AbortController();
    const call = peer.request({ method: "ping" }, { signal: controller.signal });
    await inject({ jsonrpc: "2.0", id: 0, result: {} });
    await call;
    controller.abort("after");
    assert.equal(sent.length, 1);
  });

  it("never cancels initialize on the wire [CANCEL-003]", async () => {
    const { peer, sent } = await scriptPeer();
    const controller = new AbortController();
    const call = peer.request({ method: "initialize" }, { signal: controller.signal });
    controller.abort("too slow");
    await assert.rejects(call, (error) => error === "too slow");
    assert.equal(sent.length, 1);
  });

  it("aborts the handler on cancellation and sends no answer [CANCEL-005] [CANCEL-009]", async () => {
    const reasons: unknown[] = [];
    const { sent, inject } = await scriptPeer(async (_request, { signal }) => {
      const aborted = createDeferred();
      signal.addEventListener("abort", () => aborted.resolve());
      await aborted.promise;
      reasons.push((signal.reason as Error).message);
      return {};
    });
    await inject({ jsonrpc: "2.0", id: "x", method: "tools/call" });
    await inject({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: "x", reason: "no longer needed" },
    });
    assert.deepEqual(reasons, ["no longer needed"]);
    assert.deepEqual(sent, []);
  });

  it("ignores cancellations of unknown ids and malformed ones [CANCEL-006]", async () => {
    const { sent, inject } = await scriptPeer();
    for (const params of [{ requestId: 9_999 }, {}, { requestId: null }, undefined]) {
      await inject({ jsonrpc: "2.0", method: "notifications/cancelled", ...(params && { params }) });
    }
    await inject({ jsonrpc: "2.0", id: 1, method: "ping" });
    assert.deepEqual(sent, [{ jsonrpc: "2.0", id: 1, result: {} }]);
  });

  it("answers at most once when cancellation and completion race [CANCEL-008]", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), async (scheduler) => {
        const { sent, inject } = await scriptPeer(() => scheduler.schedule(Promise.resolve({})));
        const request = inject({ jsonrpc: "2.0", id: 1, method: "tools/call" });
        const cancel = scheduler
          .schedule(Promise.resolve())
          .then(() => inject({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }));
        await scheduler.waitAll();
        await Promise.all([request, cancel]);
        assert.ok(sent.length <= 1);
      }),
      { numRuns: 200 },
    );
  });
});
