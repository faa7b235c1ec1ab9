import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClosedError } from "../base/error.ts";
import type { Channel } from "../jsonrpc/link.ts";
import { createMemoryPair } from "./pair.ts";

async function record(channel: Channel) {
  const received: unknown[] = [];
  await channel.open({
    message: (value) => received.push(value),
    malformed: (problem) => received.push(problem),
    closed: (fault) => received.push(["closed", fault]),
  });
  return received;
}

describe("createMemoryPair", () => {
  it("delivers in order, also what was sent before the other end was opened", async () => {
    const [client, server] = createMemoryPair();
    client.send({ jsonrpc: "2.0", method: "one" });
    const received = await record(server);
    client.send({ jsonrpc: "2.0", method: "two" });
    await new Promise(setImmediate);
    assert.deepEqual(received, [
      { jsonrpc: "2.0", method: "one" },
      { jsonrpc: "2.0", method: "two" },
    ]);
  });

  it("tells both ends once that it was closed, and takes nothing more", async () => {
    const [client, server] = createMemoryPair();
    const [atClient, atServer] = await Promise.all([record(client), record(server)]);
    await server.close();
    await client.close();
    assert.deepEqual([atClient, atServer], [[["closed", undefined]], [["closed", undefined]]]);
    assert.throws(() => client.send({ jsonrpc: "2.0", method: "late" }), ClosedError);
  });
});
