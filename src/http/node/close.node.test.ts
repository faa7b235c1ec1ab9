import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { ScriptedServer } from "../../../test/fixtures/http/scripted-server.ts";
import { listen } from "./handler.node.ts";

describe("closing a listener", () => {
  it("takes no time where clients hold connections that they never used, or use no more", async () => {
    const listener = await listen(new ScriptedServer());
    const used = await fetch(listener.url, { method: "POST" });
    await used.text();
    const accepted = once(listener.server, "connection");
    const spare = connect(listener.port, "127.0.0.1");
    const ended = once(spare, "close");
    await accepted;
    const before = performance.now();
    await listener.close();
    await ended;
    assert.ok(performance.now() - before < 500, "closing waited for a connection that nobody uses");
  });
});
