import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isBase64 } from "../../base/base64.ts";
import { UsageError } from "../../base/error.ts";
import { ToolError } from "../../protocol/errors.ts";
import { audio, embed, error, image, link, text } from "./content.ts";

describe("content makers", () => {
  it("make base64 of bytes of any length [TOOL-010] [RES-005]", () => {
    for (let length = 0; length < 8; length += 1) {
      const { data } = image(new Uint8Array(length).fill(255), "image/png");
      assert.ok(isBase64(data));
      assert.equal(Buffer.from(data, "base64").length, length);
    }
    const { resource } = embed({ uri: "note://a", bytes: new Uint8Array([0, 255]) });
    assert.deepEqual(resource, { uri: "note://a", blob: "AP8=" });
  });

  it("refuse what may not be sent [PROMPT-006] [PROMPT-007] [TOOL-009]", () => {
    const bad = [
      () => image("not base64!", "image/png"),
      () => image("AAAA", ""),
      () => audio("AAAA", "sound"),
      () => link({ uri: "no-scheme", name: "x" }),
      () => link({ uri: "note://a" } as never),
      () => embed({ uri: "", text: "x" }),
      () => image("AAAA", "image/png", { annotations: { priority: 2 } }),
      () => image("AAAA", "image/png", { annotations: { audience: ["x" as never] } }),
    ];
    for (const make of bad) {
      assert.throws(make, UsageError);
    }
  });

  it("carry annotations and metadata [TOOL-009]", () => {
    assert.deepEqual(text("a", { annotations: { priority: 1 }, meta: { "com.example/x": 1 } }), {
      type: "text",
      text: "a",
      annotations: { priority: 1 },
      _meta: { "com.example/x": 1 },
    });
  });

  it("make an error that can be returned or thrown, with more content after its message", () => {
    const failure = error("no", text("more"));
    assert.ok(failure instanceof ToolError);
    assert.deepEqual(failure.content, [text("no"), text("more")]);
    assert.deepEqual(error("no").content, [text("no")]);
  });
});
