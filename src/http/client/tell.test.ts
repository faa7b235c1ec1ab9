import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRig, handshake, settled } from "../../../test/fixtures/http/fake-endpoint.ts";

describe("tellCancelled", () => {
  it("reports a cancellation that the server does not accept in time", async () => {
    const rig = await createRig();
    await handshake(rig);
    rig.endpoint.handlers.slow = () => new Promise(() => undefined);
    rig.endpoint.handlers["notifications/cancelled"] = () => new Promise(() => undefined);
    const controller = new AbortController();
    const result = assert.rejects(rig.link.request({ method: "slow" }, { signal: controller.signal }));
    await settled();
    controller.abort();
    await result;
    await rig.clock.advance(9_999);
    assert.deepEqual(rig.diagnostics, []);
    await rig.clock.advance(1);
    assert.deepEqual(
      rig.diagnostics.map(({ code, message }) => [code, message]),
      [["MCP_D_CANCEL_UNSENT", "the cancellation of slow did not reach the server: not accepted within 10000 ms"]],
    );
    assert.equal(rig.clock.pendingTimers, 0);
  });
});
