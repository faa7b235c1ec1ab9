import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkContentBlock } from "./content.ts";

describe("checkContentBlock", () => {
  it("refuses media without valid base64 or MIME type [PROMPT-006]", () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    assert.equal(checkContentBlock(image), undefined);
    assert.equal(checkContentBlock({ ...image, mimeType: "audio/wav; codecs=1" }), undefined);
    assert.match(checkContentBlock({ ...image, data: "AAA" }) ?? "", /^content\.data: expected base64/);
    assert.match(checkContentBlock({ ...image, data: "A\nAA" }) ?? "", /^content\.data: expected base64/);
    assert.match(checkContentBlock({ ...image, mimeType: "" }) ?? "", /^content\.mimeType: expected a MIME type/);
    assert.match(checkContentBlock({ ...image, mimeType: "png" }) ?? "", /^content\.mimeType: expected a MIME type/);
  });

  it("refuses an embedded resource without URI, or with both or neither of text and blob [PROMPT-007]", () => {
    const embed = (resource: object) => checkContentBlock({ type: "resource", resource });
    assert.equal(embed({ uri: "a:b", mimeType: "text/plain", text: "" }), undefined);
    assert.equal(embed({ uri: "a:b", mimeType: "image/png", blob: "AAAA" }), undefined);
    assert.equal(embed({ text: "" }), "content.resource.uri: expected a string, got nothing");
    assert.match(embed({ uri: "a b", text: "" }) ?? "", /^content\.resource\.uri: expected a URI/);
    assert.match(embed({ uri: "a:b" }) ?? "", /got neither$/);
    assert.match(embed({ uri: "a:b", text: "", blob: "" }) ?? "", /got both$/);
    assert.match(embed({ uri: "a:b", blob: "?" }) ?? "", /^content\.resource\.blob: expected base64/);
  });

  it("refuses unknown kinds [TOOL-009]", () => {
    assert.match(checkContentBlock({ type: "video" }, "content[3]") ?? "", /^content\[3\]\.type: expected "text"/);
    assert.match(checkContentBlock({ type: "resource_link", uri: "a:b" }) ?? "", /^content\.name: expected a string/);
  });

  it("refuses annotations out of range [RES-012]", () => {
    const text = { type: "text", text: "" };
    assert.match(
      checkContentBlock({ ...text, annotations: { priority: 2 } }) ?? "",
      /^content\.annotations\.priority: expected a number from 0 to 1, got 2$/,
    );
  });
});
