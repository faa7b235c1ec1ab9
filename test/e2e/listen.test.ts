// Streams of changes in revisions without a handshake: who gets what on them, in which order, and how they end.

import assert from "node:assert/strict";
import type { JsonObject, SubscriptionFilter } from "parley-mcp";
import type { Change, ClientSession } from "parley-mcp/client";
import { defineServer, prompt, resource, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { Arrivals } from "../fixtures/signals.ts";
import type { Wire } from "../fixtures/wire.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };
const since = "2026-07-28";
const listenMethod = "subscriptions/listen";
const acknowledged = "notifications/subscriptions/acknowledged";
const nothing = tool({ description: "Does nothing" }, () => "nothing");
const greeting = prompt({ description: "Greets" }, () => "Hello");
const note = (name: string) => resource({ uri: `note:///${name}` }, () => name);

const full = () =>
  defineServer({
    ...identity,
    tools: {
      nothing,
      work: tool({ description: "Reports" }, (_, { progress, log }) => {
        progress(1);
        log.error("working");
        return "worked";
      }),
    },
    prompts: { greeting },
    resources: { motd: note("motd"), folder: note("folder") },
  });

/** A subscription, and what came of it. */
async function open(client: ClientSession, filter: SubscriptionFilter) {
  const changes = new Arrivals<Change>();
  const ends = new Arrivals<string>();
  const subscription = await client.listen(filter, {
    onChange: changes.take,
    onEnd: (reason) => ends.take(reason),
  });
  return { subscription, changes, ends, methods: () => changes.all.map(({ method }) => method) };
}

/** The id that a message names the subscription by. */
const idOf = ({ params, result }: { params?: JsonObject; result?: JsonObject }): unknown =>
  ((params?._meta ?? result?._meta ?? {}) as JsonObject)["io.modelcontextprotocol/subscriptionId"];

/** What the server sent on streams, by the id of the stream. */
function streamsOf(wire: Wire): Map<unknown, string[]> {
  const streams = new Map<unknown, string[]>();
  for (const message of wire.from("server").filter((each) => idOf(each) !== undefined)) {
    const id = idOf(message);
    streams.set(id, [...(streams.get(id) ?? []), message.method ?? "answer"]);
  }
  return streams;
}

verifies("streams of changes", [
  scenario({
    title:
      "begin with what the server agrees to, and carry what was asked for and nothing else, by the id of their request [M-SUB-001] [M-SUB-002] [M-SUB-003] [M-SUB-007] [M-SUB-010] [M-SUB-017]",
    since,
    needs: ["push"],
    app: full,
    run: async ({ client, wire, app }) => {
      const { subscription, changes } = await open(client, { toolsListChanged: true });
      assert.deepEqual(subscription.honoured, { toolsListChanged: true });
      app.prompts.set("more", greeting);
      app.resources.set("more", note("more"));
      app.notifyResourceUpdated("note:///motd");
      app.tools.set("more", nothing);
      await changes.until(1);
      app.tools.delete("more");
      await changes.until(2);
      const [request] = wire.sent("client", listenMethod);
      assert.deepEqual(request?.params?.notifications, { toolsListChanged: true });
      const changed = "notifications/tools/list_changed";
      assert.deepEqual([...streamsOf(wire)], [[request?.id, [acknowledged, changed, changed]]]);
    },
  }),
  scenario({
    title: "may be several at once: what fits two of them is told on each [M-SUB-004] [M-SUB-008] [M-STDIO-001]",
    since,
    needs: ["push"],
    app: full,
    run: async ({ client, wire, app }) => {
      const tools = await open(client, { toolsListChanged: true });
      const both = await open(client, { toolsListChanged: true, promptsListChanged: true });
      const watching = await open(client, { resourceSubscriptions: ["note:///folder"] });
      app.tools.set("more", nothing);
      await Promise.all([tools.changes.until(1), both.changes.until(1)]);
      app.prompts.set("more", greeting);
      await both.changes.until(2);
      app.notifyResourceUpdated("note:///motd");
      app.notifyResourceUpdated("note:///folder/inside", { within: "note:///folder" });
      const [update] = await watching.changes.until(1);
      assert.equal(update?.params?.uri, "note:///folder/inside");
      assert.deepEqual(tools.methods(), ["notifications/tools/list_changed"]);
      assert.deepEqual(both.methods(), ["notifications/tools/list_changed", "notifications/prompts/list_changed"]);
      assert.deepEqual(watching.methods(), ["notifications/resources/updated"]);
      assert.equal(streamsOf(wire).size, 3);
      assert.ok(
        [...streamsOf(wire).values()].every(([first]) => first === acknowledged),
        "not acknowledged first",
      );
    },
  }),
  scenario({
    title:
      "say what of the wish is honoured, which is no more than the server can do [M-SUB-005] [M-SUB-006] [M-RES-003]",
    since,
    needs: ["push"],
    app: () =>
      defineServer({
        ...identity,
        tools: { nothing },
        resources: { motd: note("motd") },
        resourceSubscriptions: false,
      }),
    run: async ({ client, wire }) => {
      const filter = { toolsListChanged: true, promptsListChanged: true, resourceSubscriptions: ["note:///motd"] };
      const { subscription } = await open(client, filter);
      assert.deepEqual(subscription.honoured, { toolsListChanged: true });
      assert.deepEqual(wire.onlyParams("server", acknowledged).notifications, { toolsListChanged: true });
    },
  }),
  scenario({
    title: "leave out what the caller may not read [M-SUB-016]",
    since,
    needs: ["push"],
    app: () =>
      defineServer({
        ...identity,
        resources: {
          open: note("open"),
          closed: resource({ uri: "note:///closed", allow: () => false }, () => "secret"),
        },
      }),
    run: async ({ client }) => {
      const { subscription } = await open(client, { resourceSubscriptions: ["note:///open", "note:///closed"] });
      assert.deepEqual(subscription.honoured, { resourceSubscriptions: ["note:///open"] });
    },
  }),
  scenario({
    title: "carry no progress and no log, and other answers carry no changes [M-SUB-009] [M-LOG-003] [M-PROG-001]",
    since,
    needs: ["push", "tell"],
    app: full,
    client: () => ({ ...tester, logLevel: "debug" }),
    run: async ({ client, wire, app }) => {
      const { changes } = await open(client, { toolsListChanged: true });
      const call = client.callTool("work", {}, { onProgress: () => undefined });
      app.tools.set("more", nothing);
      await Promise.all([call, changes.until(1)]);
      assert.deepEqual([...streamsOf(wire).values()], [[acknowledged, "notifications/tools/list_changed"]]);
      for (const method of ["notifications/message", "notifications/progress"]) {
        assert.deepEqual(wire.sent("server", method).map(idOf), [undefined]);
      }
    },
  }),
  scenario({
    title: "end when the client says so, and nothing more comes [M-SUB-011] [M-STDIO-002] [M-HTTP-004]",
    since,
    needs: ["push"],
    app: full,
    run: async ({ client, wire, app }) => {
      const ended = await open(client, { toolsListChanged: true });
      const other = await open(client, { promptsListChanged: true });
      await ended.subscription.close();
      const [request] = wire.sent("client", listenMethod);
      const named = wire.http.length > 0 ? [] : [request?.id];
      await wire.untilSent("client", "notifications/cancelled", named.length);
      await client.ping();
      app.tools.set("more", nothing);
      app.prompts.set("more", greeting);
      await other.changes.until(1);
      assert.deepEqual(
        wire.sent("client", "notifications/cancelled").map(({ params }) => params?.requestId),
        named,
      );
      assert.deepEqual(ended.methods(), []);
      assert.deepEqual(streamsOf(wire).get(request?.id), [acknowledged]);
    },
  }),
  scenario({
    title: "go on however long nothing happens, whatever requests are limited to [M-SUB-015]",
    since,
    needs: ["push"],
    app: full,
    run: async ({ app, join }) => {
      const clock = createFakeClock(1_000_000);
      const { client } = await join({ ...tester, clock, idleTimeoutMs: 1_000, totalTimeoutMs: 2_000 });
      const { changes, ends } = await open(client, { toolsListChanged: true });
      await clock.advance(7_200_000);
      app.tools.set("more", nothing);
      await changes.until(1);
      assert.deepEqual(ends.all, []);
    },
  }),
  scenario({
    title:
      "are answered when the server ends them, which is told once and starts no loop [M-SUB-012] [M-SUB-013] [M-CANCEL-003]",
    since,
    needs: ["push"],
    app: full,
    run: async ({ client, wire, app }) => {
      const { ends } = await open(client, { toolsListChanged: true });
      await app.close();
      assert.deepEqual(await ends.until(1), ["ended"]);
      const [request] = wire.sent("client", listenMethod);
      const answer = wire.answerTo("client", listenMethod)?.result ?? {};
      assert.equal(answer.resultType, "complete");
      assert.equal(idOf({ result: answer }), request?.id);
      assert.deepEqual(streamsOf(wire).get(request?.id), [acknowledged, "answer"]);
      const cancelled = wire.sent("server", "notifications/cancelled").map(({ params }) => params?.requestId);
      assert.deepEqual(cancelled, wire.http.length > 0 ? [] : [request?.id]);
    },
  }),
]);
