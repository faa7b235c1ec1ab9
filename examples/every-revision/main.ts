// One definition for clients of every revision; a client that finds out what a server speaks, remembers it or insists on
// one; changes and kept results, which work the same over all of them.

import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { createMemoryCache, defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, resource, tool } from "parley-mcp/server";
import { z } from "zod";

// #region headers
const forecast = tool(
  {
    description: "A forecast",
    input: z.object({ region: z.string().meta({ "x-mcp-header": "Region" }), day: z.string() }),
  },
  ({ region, day }) => `${region}, ${day}: sun`,
);
// #endregion

// #region server
const app = defineServer({
  name: "clock",
  version: "1.0.0",
  tools: { revision: tool({ description: "Names the revision of the call" }, (_args, ctx) => ctx.revision), forecast },
  resources: { time: resource({ uri: "clock:///time" }, () => "noon") },
  cache: { "tools/list": { ttlMs: 60_000, scope: "public" } }, // every client may use the list again for a minute
});
// #endregion

const handler = createHttpHandler(app, { allowedHosts: ["clock.example.com"] });
const url = "https://clock.example.com/mcp";
let requests = 0;
let headers = new Headers();
const http = {
  fetch: (address: string | URL | Request, init?: RequestInit) => {
    const request = new Request(address, init);
    requests += 1;
    headers = request.headers;
    return handler.fetch(request); // instead of a network
  },
};

// #region pin
const known = new Map<string, string>(); // kept by the full URL; a file or a database in a real host
const session = await connect<typeof app>(url, {
  http,
  negotiated: known.get(url),
  onNegotiated: (revision) => known.set(url, revision),
});
assert.equal(known.get(url), "2026-07-28"); // the newest that both speak
await session.close();

const pinned = await connect<typeof app>(url, { http, revision: "2025-11-25" }); // this one or an error
assert.equal(pinned.server.revision, "2025-11-25");
await pinned.close();
// #endregion

for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"]) {
  const each = await connect<typeof app>(url, { http, revision });
  assert.deepEqual(await each.tools.revision(), [{ type: "text", text: revision }]);
  await each.close();
}

// #region revisions
const older = createHttpHandler(app, {
  allowedHosts: ["clock.example.com"],
  revisions: ["2025-11-25", "2025-06-18"], // no other is served here, over this transport
});
// #endregion

const shaken = await connect(url, { http: { fetch: (address, init) => older.fetch(new Request(address, init)) } });
assert.equal(shaken.server.revision, "2025-11-25");
await shaken.close();
older.close();

const listening = await connect<typeof app>(url, { http });

// #region cache
await listening.listTools().all();
const before = requests;
await listening.listTools().all(); // still fresh: nothing is sent
assert.equal(requests, before);
await listening.listTools({ reload: true }).all(); // fetched all the same
assert.equal(requests, before + 1);
// #endregion

await listening.tools.forecast({ region: "eu-north", day: "today" });
// #region sent-headers
assert.equal(headers.get("mcp-method"), "tools/call");
assert.equal(headers.get("mcp-name"), "forecast");
assert.equal(headers.get("mcp-param-region"), "eu-north");
// #endregion

// #region listen
const changes = new EventEmitter();
const subscription = await listening.listen(
  { toolsListChanged: true, resourceSubscriptions: ["clock:///time"] },
  {
    onChange: ({ method, params }) => changes.emit("change", method, params),
    onGap: () => changes.emit("missed"), // the stream was lost and is open again: fetch what matters
  },
);
assert.deepEqual(subscription.honoured, { toolsListChanged: true, resourceSubscriptions: ["clock:///time"] });
const change = once(changes, "change");
app.notifyResourceUpdated("clock:///time");
const [method] = await change;
assert.equal(method, "notifications/resources/updated");
await subscription.close();
// #endregion

await listening.close();

// #region keep
const host = defineClient({
  name: "host",
  version: "1.0.0",
  cache: { store: createMemoryCache(), maxStaleMs: 60_000 }, // may give outdated results while a server is down
});
const open = () => connect<typeof app>(url, { http, client: host, authorization: "ada's grant" }); // never the token
// #endregion

const first = await open();
await first.listTools().all();
await first.close();
const second = await open();
const sent = requests;
await second.listTools().all(); // kept from the session before
assert.equal(requests, sent);
await second.close();
handler.close();
