import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEmptyReply, toPath } from "./message.ts";

describe("toPath", () => {
  it("finds the path of relative, absolute and odd request targets", () => {
    const cases = {
      "/mcp": "/mcp",
      "/mcp?x=1#y": "/mcp",
      "http://other/mcp?x": "/mcp",
      "http://other": "/",
      "//host/mcp": "//host/mcp",
      "*": "*",
      "": "/",
      "?x": "/",
    };
    for (const [url, path] of Object.entries(cases)) {
      assert.equal(toPath(url), path, url);
    }
  });
});

describe("createEmptyReply", () => {
  it("has no body", () => {
    assert.deepEqual(createEmptyReply(204), { kind: "text", status: 204, headers: {}, body: "" });
  });
});
