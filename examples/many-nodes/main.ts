// One server, two nodes, one store: every request goes to the next node, and a session lives on both. Here the nodes are
// in one process and the store is a file; between machines the address of the store is that of a Redis, and nothing else
// changes.

import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { type Served, serve } from "parley-mcp/serve";
import { defineServer, resource, tool } from "parley-mcp/server";
import { z } from "zod";

const folder = await mkdtemp(join(tmpdir(), "many-nodes-"));
const store = `sqlite:${join(folder, "parley.db")}`;

// #region define
/** The definition; every node has its own, and all of them have the same. */
const define = (node: string) => {
  const app = defineServer({
    name: "news",
    version: "1.0.0",
    resources: { front: resource({ uri: "news:///front" }, () => "All quiet") },
    tools: {
      where: tool({ description: "Names the node" }, () => node),
      publish: tool({ description: "Changes the front page" }, () => {
        app.notifyResourceUpdated("news:///front"); // whoever subscribed is told, at whichever node
        return "published";
      }),
      ask: tool({ description: "Asks the person" }, async (_args, ctx) => {
        const answer = await ctx.elicit("Print it?", z.object({ copies: z.number().int() }));
        return answer.action === "accept" ? `${answer.content.copies} copies from ${node}` : "not printed";
      }),
    },
  });
  return app;
};
// #endregion

const embedded = { ownsProcess: false, print: () => undefined }; // several are in this process
const start = (node: string) =>
  // #region serve
  serve(define(node), {
    store, // "redis://10.0.0.5:6379" where nodes are on several machines
    http: { port: 0 }, // any free one; in earnest the one that the balancer knows
    drainTimeoutMs: 10_000, // what SIGTERM leaves calls in progress
    ...embedded,
  });
// #endregion

// A balancer without affinity: each request goes to the next node that is up.
const nodes: Served[] = [await start("north"), await start("south")];
const sessions = new Set<string>();
const balanced = (_address: string, init: RequestInit) => {
  const node = nodes.shift();
  assert.ok(node?.url !== undefined, "no node is up");
  nodes.push(node);
  const session = new Headers(init.headers).get("mcp-session-id");
  if (session !== null) {
    sessions.add(session);
  }
  return fetch(node.url, init);
};

const host = defineClient({
  name: "host",
  version: "1.0.0",
  elicitation: { form: () => ({ action: "accept", content: { copies: 3 } }) },
});

// #region one-session
const client = await connect<ReturnType<typeof define>>("http://127.0.0.1/mcp", {
  client: host,
  http: { fetch: balanced },
  revision: "2025-11-25", // with sessions; newer clients have none and go anywhere by themselves
});
const served = new Set<string>();
for (let call = 0; call < 4; call += 1) {
  const [block] = await client.tools.where();
  served.add(block?.type === "text" ? block.text : "");
}
assert.deepEqual([...served].sort(), ["north", "south"]);

// Asked by one node, answered at the other.
const [copies] = await client.tools.ask();
assert.match(copies?.type === "text" ? copies.text : "", /^3 copies from (north|south)$/);
// #endregion

// #region changes
const heard = new EventTarget();
await client.subscribe("news:///front", () => heard.dispatchEvent(new Event("update")));
const update = once(heard, "update");
await client.tools.publish();
await update;
// #endregion

// #region restart
const leaving = nodes.shift(); // the balancer sends it nothing new
await leaving?.close(); // as SIGTERM does: calls in progress end, then it goes
assert.equal((await client.tools.where()).length, 1);
nodes.push(await start("east"));
const again = once(heard, "update");
await client.tools.publish();
await again; // the standing stream is at a node that is up, and nothing was missed
// #endregion
assert.equal(sessions.size, 1, "it was one session all the time");

await client.close();
await Promise.all(nodes.map((node) => node.close()));
await rm(folder, { recursive: true });
console.log("three nodes, one session");
