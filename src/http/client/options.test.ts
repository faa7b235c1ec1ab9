import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../base/error.ts";
import { resolveHttpOptions } from "./options.ts";

describe("resolveHttpOptions", () => {
  it("fills in the defaults and drops the fragment", () => {
    const options = resolveHttpOptions("https://server.test/mcp?a=1#part", {});
    assert.equal(options.url.href, "https://server.test/mcp?a=1");
    assert.equal(options.maxMessageBytes, 33_554_432);
    assert.equal(options.terminateOnClose, true);
    assert.equal(options.standingStream, true);
    assert.equal(options.retry.maxRetries, 3);
    assert.equal(options.reconnect.maxAttempts, 10);
  });

  it("takes no header from the caller that is the protocol's own", () => {
    const names = ["Mcp-Session-Id", "MCP-Protocol-Version", "Last-Event-ID", "Mcp-Method", "mcp-name", "X-Tenant"];
    const headers = Object.fromEntries(names.map((name) => [name, "forged"]));
    assert.deepEqual(resolveHttpOptions("https://server.test", { headers }).headers, { "x-tenant": "forged" });
  });

  it("leaves the caller's URL object alone", () => {
    const url = new URL("https://server.test/mcp#part");
    resolveHttpOptions(url, {});
    assert.equal(url.hash, "#part");
  });

  it("refuses what is no HTTP URL, and never repeats what may be a secret", () => {
    for (const url of ["server.test", "", "ftp://server.test", "ws://server.test", "https://user:secret@server.test"]) {
      assert.throws(
        () => resolveHttpOptions(url, {}),
        (error: unknown) => {
          assert.ok(error instanceof UsageError);
          assert.doesNotMatch(error.message, /secret/);
          return true;
        },
      );
    }
  });

  it("refuses numbers that make no sense", () => {
    assert.throws(() => resolveHttpOptions("https://server.test", { maxMessageBytes: 0 }), UsageError);
    assert.throws(() => resolveHttpOptions("https://server.test", { reconnect: { factor: 0.5 } }), /reconnect\.factor/);
    assert.throws(
      () => resolveHttpOptions("https://server.test", { reconnect: { maxAttempts: -1 } }),
      /reconnect\.maxAttempts/,
    );
  });
});
