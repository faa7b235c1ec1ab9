import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { answer, createRig, json, settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { HttpError } from "../../base/error.ts";
import { AuthorizationRequiredError } from "../../protocol/authorization-errors.ts";
import { createFakeClock } from "../../test/clock.ts";
import type { HttpClientOptions } from "./options.ts";

const ask = { method: "tools/call" };

function refusal(status: number, retryAfter?: string): Response {
  return new Response("busy", {
    status,
    ...(retryAfter === undefined ? undefined : { headers: { "retry-after": retryAfter } }),
  });
}

/** A link whose calls get these replies, then answers. */
async function createRefused(
  replies: Response[],
  options?: HttpClientOptions,
): Promise<Awaited<ReturnType<typeof createRig>>> {
  const rig = await createRig(options);
  rig.endpoint.handlers["tools/call"] = ({ message }) => replies.shift() ?? json(answer(message, { ok: true }));
  return rig;
}

describe("Endpoint", () => {
  it("sends a refused message again after the seconds or at the date the server names [PP-041]", async () => {
    const date = new Date(createFakeClock(1_000_000).now() + 10_000).toUTCString();
    const delayMs = Date.parse(date) - createFakeClock(1_000_000).now();
    const rig = await createRefused([refusal(429, "2"), refusal(503, date)]);
    const result = rig.link.request(ask);
    await settled();
    await rig.clock.advance(1_999);
    assert.equal(rig.endpoint.received.length, 1);
    await rig.clock.advance(1);
    assert.equal(rig.endpoint.received.length, 2);
    await rig.clock.advance(delayMs);
    assert.deepEqual(await result, { ok: true });
    assert.equal(rig.endpoint.received.length, 3);
    assert.equal(new Set(rig.endpoint.received.map(({ text }) => text)).size, 1);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("does not send again what the server may have worked on [PP-041]", async () => {
    for (const status of [500, 502, 503, 504]) {
      const rig = await createRefused([refusal(status)]);
      await assert.rejects(rig.link.request(ask), { code: "MCP_HTTP", status, retryAfterMs: undefined });
      assert.equal(rig.endpoint.received.length, 1);
    }
  });

  it("gives up with the delay when it is too long, or refused too often, or retries are off [PP-041]", async () => {
    const long = await createRefused([refusal(429, "31")]);
    await assert.rejects(long.link.request(ask), { code: "MCP_HTTP", status: 429, retryAfterMs: 31_000 });
    const off = await createRefused([refusal(429, "1")], { retry: false });
    await assert.rejects(off.link.request(ask), { code: "MCP_HTTP", retryAfterMs: 1_000 });
    const often = await createRefused([refusal(429, "1"), refusal(429, "1"), refusal(429, "4")], {
      retry: { maxRetries: 2 },
    });
    const result = assert.rejects(often.link.request(ask), { code: "MCP_HTTP", retryAfterMs: 4_000 });
    await settled();
    await often.clock.advance(2_000);
    await result;
    assert.equal(often.endpoint.received.length, 3);
  });

  it("keeps the delay where the refusal is also a JSON-RPC error [PP-041]", async () => {
    const error = { code: -32600, message: "rate limited" };
    const rig = await createRefused([json({ jsonrpc: "2.0", error }, 429, { "retry-after": "60" })]);
    await assert.rejects(rig.link.request(ask), (caught: unknown) => {
      assert.ok(caught instanceof HttpError);
      assert.equal(caught.retryAfterMs, 60_000);
      assert.equal((caught.cause as { rpcCode?: number }).rpcCode, -32_600);
      return true;
    });
  });

  it("can be given up while it waits, and cancels nothing that the server does not have [PP-041]", async () => {
    const rig = await createRefused([refusal(429, "5")]);
    const controller = new AbortController();
    const reason = new Error("enough");
    const result = assert.rejects(rig.link.request(ask, { signal: controller.signal }), reason);
    await settled();
    controller.abort(reason);
    await result;
    await settled();
    assert.equal(rig.endpoint.received.length, 1);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("lets protocol headers precede configured ones, and takes headers in any form [PP-100]", async () => {
    const entries = [
      ["X-Tenant", "blue"],
      ["Accept", "text/plain"],
      ["MCP-Session-Id", "forged"],
    ] as const;
    for (const headers of [
      entries,
      Object.fromEntries(entries),
      new Headers(entries.map(([name, value]) => [name, value] as [string, string])),
    ]) {
      const rig = await createRig({ headers });
      await rig.link.request({ method: "initialize" });
      await rig.link.request(ask);
      const sent = rig.endpoint.received[1]?.headers;
      assert.equal(sent?.["x-tenant"], "blue");
      assert.equal(sent?.accept, "application/json, text/event-stream");
      assert.equal(sent?.["mcp-session-id"], "session-1");
    }
  });

  it("lets a wrapped fetch replace a configured token [PP-100]", async () => {
    const seen: (string | null)[] = [];
    const rig = await createRig({
      headers: { Authorization: "Bearer stale-token" },
      fetch: async (_url, init) => {
        const headers = new Headers(init.headers);
        headers.set("authorization", "Bearer fresh-token");
        seen.push(headers.get("authorization"));
        return json(answer(JSON.parse(init.body ?? "{}"), {}));
      },
    });
    await rig.link.request(ask);
    assert.deepEqual(seen, ["Bearer fresh-token"]);
  });

  it("says where no answer came from, without the query, keeps the cause, and stays usable", async () => {
    const rig = await createRig();
    const cause = new TypeError("fetch failed", {
      cause: Object.assign(new Error("refused"), { code: "ECONNREFUSED" }),
    });
    rig.endpoint.handlers["tools/call"] = () => Promise.reject(cause);
    await assert.rejects(rig.link.request(ask), {
      code: "MCP_CLOSED",
      message: "POST https://server.test/mcp: no answer came: fetch failed (ECONNREFUSED)",
      cause,
    });
    assert.deepEqual(await rig.link.request({ method: "ping" }), {});
  });

  it("passes on untouched what a wrapped fetch throws as an error of this library", async () => {
    const rig = await createRig();
    const required = new AuthorizationRequiredError("https://issuer.test", "log in first");
    rig.endpoint.handlers["tools/call"] = () => {
      throw required;
    };
    await assert.rejects(rig.link.request(ask), (error) => error === required);
  });

  it("looks the global fetch up at each request", async (context) => {
    const rig = await createRig({ fetch: undefined });
    const mock = context.mock.method(
      globalThis,
      "fetch",
      (url: string, init: Parameters<typeof rig.endpoint.fetch>[1]) => rig.endpoint.fetch(url, init),
    );
    assert.deepEqual(await rig.link.request(ask), {});
    assert.equal(mock.mock.callCount(), 1);
    assert.equal(rig.endpoint.received[0]?.url, "https://server.test/mcp?key=hidden");
  });
});
