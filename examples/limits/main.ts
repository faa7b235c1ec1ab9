// Everything is bounded by default; here the bounds are tightened until they show.

import assert from "node:assert/strict";
import { connect } from "parley-mcp/connect";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, perCaller, tool } from "parley-mcp/server";
import { z } from "zod";

// #region server
const app = defineServer({
  name: "bounded",
  version: "1.0.0",
  pageSize: 2,
  limits: { tools: perCaller({ burst: 3, perSecond: 0.001 }), maxConcurrentCalls: 10, maxSubscriptions: 5 },
  tools: {
    echo: tool({ input: z.object({ words: z.string().max(1_000) }) }, ({ words }) => words),
    length: tool({ input: z.object({ words: z.string() }) }, ({ words }) => String(words.length)),
    nothing: tool({}, () => "nothing"),
  },
});

const web = createHttpHandler(app, {
  allowedHosts: ["mcp.example.com"],
  maxBodyBytes: 2_000,
  maxJsonDepth: 20,
  sessions: { maxSessions: 2, idleTimeoutMs: 60_000 },
  resumability: { maxEventsPerStream: 100, maxBytesPerStream: 100_000 },
});
// #endregion

const url = "https://mcp.example.com/mcp";
const http = {
  fetch: (address: string, init: RequestInit) => web.fetch(new Request(address, init)),
  retry: false,
} as const;
// Callers are told apart by their sessions here, which clients of older revisions have; in the newest one, by who they are.
const older = { http, revision: "2025-11-25" };
const client = await connect<typeof app>(url, older);

const pages: number[] = [];
for await (const page of client.listTools().pages()) {
  pages.push(page.length);
}
assert.deepEqual(pages, [2, 1]);

// A message that is too large is refused; the session goes on.
await assert.rejects(client.tools.length({ words: "x".repeat(3_000) }), /at most 2000 bytes/);

// More calls than a caller may make are refused, with a word on when to come back.
for (const words of ["one", "two", "three"]) {
  assert.deepEqual(await client.tools.echo({ words }), [{ type: "text", text: words }]);
}
await assert.rejects(client.tools.echo({ words: "four" }));

// More sessions than there may be are refused.
const second = await connect(url, older);
await assert.rejects(connect(url, older), /session/);

await second.close();
await client.close();
web.close();
