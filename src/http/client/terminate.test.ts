import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRig, handshake } from "../../../test/fixtures/http/fake-endpoint.ts";

describe("terminateSession", () => {
  it("takes a 405 to DELETE as fine [HTTP-048]", async () => {
    const rig = await createRig();
    await handshake(rig);
    await rig.link.close();
    assert.equal(rig.endpoint.of("DELETE").length, 1);
    assert.deepEqual(rig.diagnostics, []);
  });

  it("waits for the DELETE only so long, and reports one that failed [PP-038]", async () => {
    const rig = await createRig({ terminateTimeoutMs: 200 });
    await handshake(rig);
    rig.endpoint.handlers.DELETE = () => new Promise<Response>(() => undefined);
    const closing = rig.link.close();
    await rig.clock.advance(200);
    await closing;
    assert.deepEqual(
      rig.diagnostics.map(({ code }) => code),
      ["MCP_D_SESSION_LEFT"],
    );
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("leaves the session to the server when told to", async () => {
    const rig = await createRig({ terminateOnClose: false });
    await handshake(rig);
    await rig.link.close();
    assert.equal(rig.endpoint.of("DELETE").length, 0);
  });
});
