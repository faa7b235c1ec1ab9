import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { describe, it } from "node:test";
import { MeddledStore } from "../../../test/fixtures/http/scripted-nodes.ts";
import { ScriptedServer, settle, TestClient } from "../../../test/fixtures/http/scripted-server.ts";
import { createDeferred } from "../../base/deferred.ts";
import { createMemoryStore } from "../../store/memory.ts";
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

  it("has ended when the store knows that this node has, so that the store may be closed then", async () => {
    const store = new MeddledStore(createMemoryStore());
    const listener = await listen(new ScriptedServer(), { store, response: "stream" });
    const client = new TestClient(listener.handler);
    await client.initialize();
    const stream = await client.listen();
    const [leaving, held] = [createDeferred(), createDeferred()];
    store.before = (operation, name) => {
      if (operation === "delete" && name.startsWith("node/")) {
        leaving.resolve();
        return held.promise;
      }
    };
    let isClosed = false;
    const closed = listener.close().then(() => {
      isClosed = true;
    });
    await leaving.promise;
    await stream.rest();
    await settle();
    assert.equal(isClosed, false);
    held.resolve();
    await closed;
  });
});
