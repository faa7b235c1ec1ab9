import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { start } from "../../../test/fixtures/http/scripted-server.ts";

const headerValue = fc.oneof(
  fc.string().map((text) => text.replaceAll(/[^\x20-\x7e]/g, "").trim()),
  fc.constantFrom(
    "*/*",
    "null",
    "application/json",
    "text/event-stream;q=0",
    "2025-11-25",
    "2026-07-28",
    "echo",
    "a.0.1",
    "x".repeat(2_000),
  ),
);

const headers = fc.dictionary(
  fc.constantFrom(
    "accept",
    "content-type",
    "content-encoding",
    "content-length",
    "host",
    "origin",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
    "access-control-request-method",
  ),
  headerValue,
  { maxKeys: 4 },
);

const enveloped = fc.record({
  _meta: fc.record(
    {
      "io.modelcontextprotocol/protocolVersion": fc.constantFrom("2026-07-28", "2025-11-25", 1),
      "io.modelcontextprotocol/clientCapabilities": fc.constantFrom({}, null),
    },
    { requiredKeys: [] },
  ),
});

const rpcLike = fc.record(
  {
    jsonrpc: fc.constantFrom("2.0", "1.0", 2),
    id: fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.double()),
    method: fc.oneof(
      fc.string(),
      fc.constantFrom("initialize", "echo", "subscriptions/listen", "notifications/cancelled"),
      fc.integer(),
    ),
    params: fc.oneof(
      fc.object(),
      fc.constant([]),
      fc.constant(null),
      fc.record({ requestId: fc.integer() }),
      enveloped,
    ),
    result: fc.oneof(fc.object(), fc.constant(1)),
    error: fc.oneof(fc.record({ code: fc.integer(), message: fc.string() }), fc.constant("no")),
  },
  { requiredKeys: [] },
);

const body = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.json(),
  rpcLike.map((value) => JSON.stringify(value)),
  fc.array(rpcLike, { maxLength: 4 }).map((value) => JSON.stringify(value)),
  fc.constantFrom("[".repeat(5_000), '{"a":'.repeat(5_000), '"\\ud800"', "{".padEnd(70_000)),
);

describe("createHttpHandler, whatever comes", () => {
  for (const options of [{}, { sessions: false }, { revisions: ["2026-07-28"] }] as const) {
    it(`answers every request with a sound status and leaves nothing open, with ${JSON.stringify(options)} [PP-020]`, async () => {
      const { client, handler, codes } = await start({}, { ...options, maxBodyBytes: 65_536, response: "json" });
      const method = fc.constantFrom("POST", "POST", "POST", "GET", "DELETE", "OPTIONS", "PUT");
      await fc.assert(
        fc.asyncProperty(method, headers, body, fc.boolean(), async (name, given, text, isPlain) => {
          if (client.sessionId === undefined) {
            await client.initialize();
          }
          const plain = isPlain
            ? { accept: "application/json, text/event-stream", "content-type": "application/json" }
            : {};
          const canPost = name === "POST" || name === "PUT";
          const response = await client.send(name, { ...plain, ...given }, canPost ? text : undefined);
          assert.ok(
            [200, 202, 204, 400, 403, 404, 405, 406, 410, 413, 415].includes(response.status),
            String(response.status),
          );
          if (name === "GET") {
            await response.body?.cancel();
          } else {
            await response.text();
          }
          if (name === "DELETE" && response.status === 204) {
            client.sessionId = undefined;
          }
        }),
        { numRuns: 1_500 },
      );
      assert.deepEqual([handler.stats().streams, handler.stats().exchanges], [0, 0]);
      assert.ok(!codes().includes("MCP_D_HANDLER_FAULT"), "nothing failed inside");
    });
  }
});
