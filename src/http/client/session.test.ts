import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answer, createRig, handshake, json } from "../../../test/fixtures/http/fake-endpoint.ts";
import { PeerError } from "../../base/error.ts";

const ask = { method: "tools/call", params: { name: "add" } };

describe("HttpSession", () => {
  it("sends no version header to a server of a revision that has none", async () => {
    const rig = await createRig();
    rig.endpoint.handlers.initialize = ({ message }) => json(answer(message, { protocolVersion: "2025-03-26" }));
    await handshake(rig);
    await rig.link.request(ask);
    assert.ok(rig.endpoint.received.every(({ headers }) => headers["mcp-protocol-version"] === undefined));
    assert.equal(rig.link.describe().revision, "2025-03-26");
  });

  it("refuses a session id that cannot be sent back", async () => {
    const rig = await createRig();
    rig.endpoint.sessionId = "a\u0001b";
    rig.endpoint.handlers.initialize = ({ message }) => {
      const response = json(answer(message, { protocolVersion: "2025-11-25" }));
      Object.defineProperty(response, "headers", {
        value: { get: (name: string) => (name === "mcp-session-id" ? "a\u0001b" : "application/json") },
      });
      return response;
    };
    await assert.rejects(rig.link.request({ method: "initialize" }), PeerError);
  });
});
