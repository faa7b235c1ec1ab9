import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StreamNodes, type StreamNodesOptions, settle } from "../../../test/fixtures/http/stream-nodes.ts";

const toolsChanged = "notifications/tools/list_changed";

function start(options: StreamNodesOptions = {}) {
  const nodes = new StreamNodes({ resumability: false, ...options });
  nodes.audience.lists.add("tools");
  nodes.audience.uris.add("file:///a");
  return { a: nodes.start(), b: nodes.start() };
}

describe("LiveStanding", () => {
  it("is replaced by a newer connection here, and by one elsewhere when it is told of it [PP-007]", async () => {
    const { a, b } = start();
    const first = await a.listen();
    const second = await a.listen();
    assert.deepEqual([first.isOpen, second.isOpen, a.claims], [false, true, 2]);
    await a.notify("1");
    const third = await b.listen();
    a.streams.releaseStanding();
    await settle();
    assert.deepEqual([second.names, second.isOpen, b.claims], [["1"], false, 1]);
    await b.change({ list: "tools" });
    await a.change({ uri: "file:///a" });
    await a.notify("lost");
    await settle();
    assert.deepEqual([third.names, a.codes], [[toolsChanged, { uri: "file:///a" }], ["MCP_D_NOTIFICATION_UNSENT"]]);
    assert.ok(third.events.every(({ id }) => id === undefined));
  });

  it("makes whoever sends wait for a slow client, and cuts one that takes nothing while more is sent", async () => {
    const { a } = start({ maxBufferedBytes: 200 });
    const client = await a.listen(undefined, 10);
    let isSent = false;
    const sending = a.notify("1").then(() => {
      isSent = true;
    });
    await settle();
    assert.equal(isSent, false);
    client.drain();
    await sending;
    for (let step = 0; step < 20; step += 1) {
      void a.notify(`more ${step}`);
    }
    await settle();
    assert.deepEqual([client.isCut, a.streams.standing.isConnected], [true, false]);
    assert.ok(a.codes.includes("MCP_D_STREAM_CUT"));
  });
});
