import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../../../test/clock.ts";
import { showPage } from "./login-page.ts";
import type { Redirection } from "./user-agent.ts";

const redirection: Redirection = {
  redirectUri: "http://127.0.0.1:4000/callback",
  authorize: () => assert.fail("shown"),
  close: async () => undefined,
};

describe("showPage", () => {
  it("shows no page that a browser must not be sent to, whoever made its address [SEC-024] [SEC-025] [SEC-027]", async () => {
    const wait = { signal: new AbortController().signal, hold: () => assert.fail("held"), clock: createFakeClock() };
    for (const url of [
      "javascript:alert(1)",
      "foo:bar",
      "http://as.example/authorize",
      "https://me:hush@as.example/authorize",
      "https://as.example/\nauthorize",
    ]) {
      const page = { url, state: "s", issuer: "https://as.example", isOpened: false, timeoutMs: 1_000 };
      await assert.rejects(showPage(redirection, page, wait), (error) => {
        assert.ok(error instanceof Error && /nobody was sent to log in/.test(error.message), url);
        return !error.message.includes("hush");
      });
    }
    assert.equal(wait.clock.pendingTimers, 0);
  });
});
