import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeAuthorization } from "../../../test/fixtures/auth/fake-authorization-server.ts";
import { createFakeClock } from "../../test/clock.ts";
import { createLogin } from "./login.node.ts";

describe("createLogin", () => {
  it("logs in by browser and loopback when a server wants it, and sends the token", async () => {
    const clock = createFakeClock(1_800_000_000_000);
    const fake = createFakeAuthorization({ clock });
    const pages: string[] = [];
    const login = createLogin({
      clientName: `login ${process.pid}`,
      storage: "memory",
      port: 0,
      clock,
      fetch: fake.fetch,
      print: () => assert.fail("printed"),
      openBrowser: async (url) => {
        pages.push(url);
        const { headers } = await fake.fetch(url);
        await (await fetch(headers.get("location") ?? "")).text();
      },
    });
    const call = login.fetchFor(fake.endpoint, fake.fetch);
    const { signal } = new AbortController();
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    const response = await call(fake.endpoint, { method: "POST", headers: {}, body, redirect: "manual", signal });
    assert.deepEqual([response.status, pages.length], [200, 1]);
    assert.equal(fake.log.at(-1)?.headers.authorization, "Bearer access-1");
  });

  it("refuses a missing name and unknown storage at once", () => {
    assert.throws(() => createLogin({ clientName: " " }), { code: "MCP_USAGE" });
    const storage = JSON.parse('"disk"');
    assert.throws(() => createLogin({ clientName: "t", storage }), { code: "MCP_USAGE", message: /disk/ });
  });
});
