import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { withBatches } from "../../../test/fixtures/http/scripted-server.ts";
import { classifyMessage } from "../../jsonrpc/message.ts";
import { findHandshake, latestHandshake } from "../../revision/registry.ts";
import { readEntries } from "./entries.ts";

const batching = findHandshake(withBatches) ?? latestHandshake;
const request = { jsonrpc: "2.0", id: 1, method: "x" };

describe("readEntries", () => {
  it("takes one message as it is on every revision", () => {
    const single = classifyMessage(request);
    assert.deepEqual(readEntries(request, single, latestHandshake), {
      kind: "entries",
      entries: [single],
      isBatch: false,
    });
  });

  it("takes arrays only where the revision has batches, good entries beside bad ones [BASE-019] [O0326-001] [O0326-005]", () => {
    assert.equal(readEntries([request], undefined, latestHandshake).kind, "refused");
    const read = readEntries([request, 1], undefined, batching);
    assert.ok(read.kind === "entries" && read.isBatch);
    assert.deepEqual(
      read.entries.map(({ kind }) => kind),
      ["request", "invalid"],
    );
  });

  it("refuses an array with nothing in it, nothing good, both directions or a handshake [O0326-004]", () => {
    const response = { jsonrpc: "2.0", id: 1, result: {} };
    for (const body of [[], [1], [request, response], [{ ...request, method: "initialize" }]]) {
      assert.equal(readEntries(body, undefined, batching).kind, "refused", JSON.stringify(body));
    }
  });
});
