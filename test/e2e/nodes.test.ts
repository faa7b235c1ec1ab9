// Several nodes over one store behind a balancer without affinity: sessions live on all of them, and outlive any of them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ClientSession } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { defineServer, resource, type Server, tool } from "parley-mcp/server";
import type { Store } from "parley-mcp/store";
import { Fleet, url } from "../fixtures/nodes.ts";
import { Arrivals } from "../fixtures/signals.ts";
import { within } from "../fixtures/within.ts";

const revisions = ["2025-03-26", "2025-06-18", "2025-11-25"];
const motd = "note:///motd";

/** What happened on all nodes of one test. */
interface Record {
  readonly started: Arrivals<AbortSignal>;
  readonly aborted: Arrivals<unknown>;
}

/** The definition, of which each node has its own. */
function define(store: Store, { started, aborted }: Record): Server {
  return defineServer({
    name: "fleet",
    version: "1.0.0",
    store,
    resources: { motd: resource({ uri: motd }, () => "Good morning") },
    tools: {
      echo: tool({ description: "Answers" }, () => "echo"),
      level: tool({ description: "Logs" }, (_, { log }) => {
        log.info("info");
        log.error("error");
        return "logged";
      }),
      wait: tool({ description: "Waits until it is cancelled" }, async (_, { signal }) => {
        const ended = new Promise((resolve) => signal.addEventListener("abort", resolve));
        started.take(signal);
        await ended;
        aborted.take(signal.reason);
        return "cancelled";
      }),
      ask: tool({ description: "Asks the model" }, async (_, ctx) => {
        const { content } = await ctx.sample({
          messages: [{ role: "user", content: { type: "text", text: "Capital of Norway?" } }],
          maxTokens: 20,
        });
        return JSON.stringify(content);
      }),
    },
  });
}

async function open(count: number, revision: string) {
  const record: Record = { started: new Arrivals(), aborted: new Arrivals() };
  const fleet = new Fleet(count, (store) => define(store, record), { retryMs: 1, leaseMs: 300 });
  const client = await connect(url, {
    revision,
    client: {
      name: "tester",
      version: "1.0.0",
      sampling: {
        createMessage: () => ({ role: "assistant", content: { type: "text", text: "Oslo" }, model: "test-1" }),
      },
    },
    http: { fetch: fleet.fetch },
  });
  return { fleet, client, record };
}

function until<T>(arrivals: Arrivals<T>, count: number): Promise<readonly T[]> {
  return within(arrivals.until(count), `arrival number ${count}`);
}

/** Calls as often as there are nodes, so that each of them has to answer. */
async function callEverywhere(client: ClientSession, fleet: Fleet): Promise<void> {
  for (const { isServing } of fleet.nodes) {
    if (isServing) {
      assert.deepEqual((await client.callTool("echo", {})).content, [{ type: "text", text: "echo" }]);
    }
  }
}

for (const count of [2, 3]) {
  for (const revision of revisions) {
    describe(`${count} nodes without affinity, ${revision}`, () => {
      it("list, call, ask and log together, as one server would [PP-004] [HTTP-043]", async () => {
        const { fleet, client } = await open(count, revision);
        assert.equal((await client.listTools().all()).length, 4);
        await callEverywhere(client, fleet);
        for (const _ of fleet.nodes) {
          assert.match(JSON.stringify((await client.callTool("ask", {})).content), /Oslo/);
        }
        await client.setLogLevel("error");
        const logged: unknown[] = [];
        client.onNotification("notifications/message", ({ data }) => logged.push(data));
        for (const _ of fleet.nodes) {
          await client.callTool("level", {});
        }
        assert.deepEqual(
          logged,
          fleet.nodes.map(() => "error"),
        );
        assert.equal(fleet.used, count);
        assert.deepEqual(new Set(fleet.nodes.map(({ handler }) => handler.stats().sessions)), new Set([1]));
        await client.close();
        await fleet.close();
      });

      it("cancel what another of them works on, and nothing else [PP-004] [PP-017]", async () => {
        const { fleet, client, record } = await open(count, revision);
        const controller = new AbortController();
        const other = client.callTool("wait", {}).catch((error: unknown) => error);
        await until(record.started, 1);
        const call = client.callTool("wait", {}, { signal: controller.signal });
        const rejected = assert.rejects(call);
        const [first, second] = await until(record.started, 2);
        controller.abort(new Error("enough"));
        await rejected;
        await until(record.aborted, 1);
        assert.deepEqual([first?.aborted, second?.aborted], [false, true]);
        await callEverywhere(client, fleet);
        await client.close();
        await other;
        await fleet.close();
      });

      it("tell a subscriber of changes that happened on any of them [PP-004] [RES-009]", async () => {
        const { fleet, client } = await open(count, revision);
        const updates = new Arrivals<string>();
        const changes = new Arrivals<string>();
        const subscription = await client.subscribe(motd, ({ uri }) => updates.take(uri));
        client.onNotification("notifications/tools/list_changed", () => changes.take("tools"));
        for (const [index, { app }] of fleet.nodes.entries()) {
          app.notifyResourceUpdated(motd);
          assert.equal((await until(updates, index + 1)).length, index + 1);
          app.tools.set(
            "more",
            tool({ description: "More" }, () => "more"),
          );
          assert.equal((await until(changes, index + 1)).length, index + 1);
        }
        await subscription.unsubscribe();
        for (const { app } of fleet.nodes) {
          app.notifyResourceUpdated(motd);
          app.tools.delete("more");
        }
        await until(changes, 2 * count);
        assert.equal(updates.all.length, count);
        await client.close();
        await fleet.close();
      });

      it("all end what a client ends [HTTP-045] [PP-019]", async () => {
        const { fleet, client, record } = await open(count, revision);
        await callEverywhere(client, fleet);
        const call = client.callTool("wait", {}).catch((error: unknown) => error);
        const [signal] = await until(record.started, 1);
        await client.close();
        await until(record.aborted, 1);
        assert.match(String(signal?.reason), /SessionExpiredError: the client ended the session/);
        await call;
        await new Promise((resolve) => setImmediate(resolve));
        for (const { handler } of fleet.nodes) {
          assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
        }
        await fleet.close();
      });

      it("survive one that dies between requests: the session, its level and its subscriptions go on [PP-004]", async () => {
        const { fleet, client } = await open(count, revision);
        const updates = new Arrivals<string>();
        await client.subscribe(motd, ({ uri }) => updates.take(uri));
        await client.setLogLevel("error");
        await callEverywhere(client, fleet);
        fleet.node(0).kill();
        await callEverywhere(client, fleet);
        fleet.node(1).app.notifyResourceUpdated(motd);
        assert.deepEqual(await until(updates, 1), [motd]);
        const logged: unknown[] = [];
        client.onNotification("notifications/message", ({ data }) => logged.push(data));
        await client.callTool("level", {});
        assert.deepEqual(logged, ["error"]);
        assert.equal(countHandshakes(fleet), 1);
        await client.close();
        await fleet.close();
      });

      it("are stopped one after the other without anybody noticing [PP-004]", async () => {
        const { fleet, client } = await open(count, revision);
        const updates = new Arrivals<string>();
        await client.subscribe(motd, ({ uri }) => updates.take(uri));
        await callEverywhere(client, fleet);
        const last = fleet.node(count - 1);
        for (let stopped = 0; stopped < count - 1; stopped += 1) {
          await fleet.node(stopped).stop();
          last.app.notifyResourceUpdated(motd);
          await callEverywhere(client, fleet);
          assert.equal((await until(updates, stopped + 1)).length, stopped + 1);
        }
        assert.equal(countHandshakes(fleet), 1);
        await client.close();
        assert.equal(last.handler.stats().sessions, 0);
        await fleet.close();
      });
    });
  }
}

/** How often the client had to begin a session. */
function countHandshakes({ log }: Fleet): number {
  return log.filter(({ what }) => what === "initialize").length;
}
