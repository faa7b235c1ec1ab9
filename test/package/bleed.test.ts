// What an entry drags in: nobody who uses one role ships the other, and nothing portable reaches node's modules.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { bundle } from "../../scripts/bundle.ts";
import { readEntries } from "../../scripts/entries.ts";
import { rootEntryFolders } from "../../scripts/layers.ts";

/** Folders of `dist/` that an entry must not reach, by the first part of its subpath. */
const apart: Readonly<Record<string, RegExp>> = {
  server: /^dist\/(client|http|stdio|memory|auth|connect|bridge|cli|inspector)\//,
  client: /^dist\/(server|http|stdio|memory|auth|connect|bridge|cli|inspector)\//,
  http: /^dist\/(server|client|stdio|memory|auth|connect|bridge|cli|inspector)\//,
  stdio: /^dist\/(server|client|http|memory|auth|connect|bridge|cli|inspector)\//,
  memory: /^dist\/(server|client|http|stdio|auth|connect|bridge|cli|inspector)\//,
  schema: /^dist\/(server|client|http|stdio|memory|auth|connect|bridge|cli|inspector)\//,
  jsonrpc: /^dist\/(?!base\/|jsonrpc\/)/,
};

describe("built entries", () => {
  for (const { name, code, nodeOnly } of readEntries()) {
    it(`${name} reaches ${nodeOnly ? "only what it may" : "no module of node and only what it may"}`, async () => {
      const { inputs, builtins } = await bundle([code], { nodeOnly });
      if (!nodeOnly) {
        assert.deepEqual(builtins, []);
      }
      const forbidden = apart[name.split("/")[1] ?? ""];
      assert.deepEqual(
        inputs.filter((path) => forbidden?.test(path)),
        [],
      );
    });
  }

  it("the root entry reaches only types, errors and constants", async () => {
    const { inputs } = await bundle(["dist/index.js"], { nodeOnly: false });
    const allowed = new RegExp(`^dist/(index\\.js|(${rootEntryFolders.join("|")})/)`);
    assert.deepEqual(
      inputs.filter((path) => !allowed.test(path)),
      [],
    );
    const machinery = /\/(peer|codec|pending|inflight|uri-template)\.js$/;
    assert.deepEqual(
      inputs.filter((path) => machinery.test(path)),
      [],
    );
  });
});
