import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isLoopbackHost, parseUrl } from "./url.ts";

describe("isLoopbackHost", () => {
  it("takes the names and addresses of this machine only", () => {
    const loopback = [
      "localhost",
      "LOCALHOST",
      "localhost.",
      "app.localhost",
      "127.0.0.1",
      "127.9.9.9",
      "[::1]",
      "::1",
    ];
    const others = ["localhost.evil.example", "evil-localhost", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", ""];
    assert.deepEqual(
      loopback.filter((host) => !isLoopbackHost(host)),
      [],
    );
    assert.deepEqual(others.filter(isLoopbackHost), []);
  });
});

describe("parseUrl", () => {
  it("gives a URL or nothing", () => {
    assert.equal(parseUrl("https://example.com/a")?.pathname, "/a");
    assert.equal(parseUrl("not a url"), undefined);
  });
});
