import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientCommand, findUrl } from "./fixtures.ts";

describe("findUrl", () => {
  it("finds the URL in the line that names it", () => {
    assert.equal(findUrl("listening at http://127.0.0.1:3901/mcp\n"), "http://127.0.0.1:3901/mcp");
  });

  it("waits for a URL that has not come whole yet", () => {
    assert.equal(findUrl("listening at http://127.0.0.1:39"), undefined);
  });
});

describe("clientCommand", () => {
  it("runs the client fixture on the Node that runs this", () => {
    const command = clientCommand();
    assert.ok(command.replaceAll('"', "").startsWith(process.execPath));
    assert.ok(command.endsWith("conformance/everything-client.ts"));
  });
});
