import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ChannelReceiver } from "../jsonrpc/link.ts";
import { createMemoryPair } from "../memory/pair.ts";
import { RefusingChannel } from "./refusing-channel.ts";

async function open() {
  const [near, far] = createMemoryPair();
  const channel = new RefusingChannel(near);
  const [received, answered]: [unknown[], unknown[]] = [[], []];
  let ends = 0;
  const collect = (list: unknown[]): ChannelReceiver => ({
    message: (value) => list.push(value),
    malformed: () => undefined,
    closed: () => {
      ends += 1;
    },
  });
  await channel.open(collect(received));
  await far.open(collect(answered));
  return { channel, far, received, answered, ends: () => ends };
}

const request = { jsonrpc: "2.0", id: 7, method: "tools/list" } as const;
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("RefusingChannel", () => {
  it("passes everything until it is told to refuse", async () => {
    const { far, received, answered } = await open();
    far.send(request);
    await turn();
    assert.deepEqual([received, answered], [[request], []]);
  });

  it("answers requests itself from then on, and passes pings, answers and notifications", async () => {
    const { channel, far, received, answered } = await open();
    channel.refuse();
    const passing = [
      { jsonrpc: "2.0", id: 8, method: "ping" },
      { jsonrpc: "2.0", id: 1, result: { action: "accept" } },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } },
    ] as const;
    for (const message of [request, ...passing]) {
      far.send(message);
    }
    await turn();
    assert.deepEqual(received, passing);
    const error = { code: -32603, message: "this server is shutting down; try again later" };
    assert.deepEqual(answered, [{ jsonrpc: "2.0", id: 7, error }]);
  });

  it("refuses in silence where the client is gone, and ends with the channel below", async () => {
    const { channel, far, received, ends } = await open();
    channel.refuse();
    far.send(request);
    await channel.close();
    await turn();
    assert.deepEqual(received, []);
    assert.equal(ends(), 2);
    assert.throws(() => channel.send(request), /has ended/);
  });
});
