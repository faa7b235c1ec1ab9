// What changes while a session lives: lists, and resources somebody watches.

import assert from "node:assert/strict";
import { defineServer, prompt, resource, tool } from "parley-mcp/server";
import { Arrivals } from "../fixtures/signals.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };
const nothing = tool({ description: "Does nothing" }, () => "nothing");
const greeting = prompt({ description: "Greets" }, () => "Hello");
const motd = resource({ uri: "note:///motd" }, () => "Good morning");

const full = (announced?: boolean) =>
  defineServer({
    ...identity,
    toolsListChanged: announced,
    promptsListChanged: announced,
    resourcesListChanged: announced,
    tools: { nothing },
    prompts: { greeting },
    resources: { motd },
  });

const lists = ["tools", "prompts", "resources"] as const;
/** Says that a subscription is open, where there has to be one. */
const acknowledged = "notifications/subscriptions/acknowledged";
const methodOf = (list: (typeof lists)[number]) => `notifications/${list}/list_changed` as const;

verifies("changes of lists", [
  scenario({
    title:
      "are told once for all changes of one turn, without any subscription [TOOL-006] [RES-007] [PROMPT-008] [HTTP-029]",
    needs: ["push"],
    app: () => full(),
    run: async ({ client, wire, app, isAlone }) => {
      for (const list of lists) {
        assert.equal(client.server.capabilities[list]?.listChanged, true);
      }
      await client.ping();
      const heard = new Arrivals<string>();
      for (const list of lists) {
        client.onNotification(methodOf(list), () => heard.take(list));
      }
      await wire.untilSent("server", acknowledged, isAlone ? 1 : 0);
      app.tools.set("more", nothing);
      app.tools.delete("nothing");
      app.prompts.set("more", greeting);
      app.resources.set(
        "more",
        resource({ uri: "note:///more" }, () => "more"),
      );
      assert.deepEqual([...(await heard.until(3))].sort(), [...lists].sort());
      app.tools.disable("more");
      assert.equal((await heard.until(4)).at(-1), "tools");
      assert.equal(wire.sent("server", "notifications/tools/list_changed").length, 2);
      assert.deepEqual(await client.listTools().all(), []);
    },
  }),
  scenario({
    title: "are not told where the author said no [TOOL-006] [RES-007] [PROMPT-008] [LIFE-020] [PP-047]",
    needs: ["push"],
    app: () => full(false),
    run: async ({ client, wire, app }) => {
      for (const list of lists) {
        assert.notEqual(client.server.capabilities[list]?.listChanged, true);
      }
      const updated = new Arrivals<string>();
      await client.subscribe("note:///motd", ({ uri }) => updated.take(uri));
      app.tools.set("more", nothing);
      app.prompts.set("more", greeting);
      app.resources.set(
        "more",
        resource({ uri: "note:///more" }, () => "more"),
      );
      await Promise.resolve();
      app.notifyResourceUpdated("note:///motd");
      await updated.until(1);
      assert.deepEqual(
        wire.methods("server").filter((method) => method.endsWith("list_changed")),
        [],
      );
    },
  }),
  scenario({
    title: "are announced only where they can be delivered [PP-047] [LIFE-019]",
    lacks: ["push"],
    app: () => full(),
    run: async ({ client, app }) => {
      for (const list of lists) {
        assert.ok(client.server.capabilities[list]);
        assert.notEqual(client.server.capabilities[list]?.listChanged, true);
      }
      assert.notEqual(client.server.capabilities.resources?.subscribe, true);
      app.tools.set("more", nothing);
      assert.equal((await client.listTools().all()).length, 2);
    },
  }),
  scenario({
    title: "make a client fetch the list again, once, and see what changed [PP-049]",
    needs: ["push"],
    app: () => full(),
    run: async ({ app, join }) => {
      const seen = new Arrivals<string>();
      const { client, wire } = await join({
        ...tester,
        onListChanged: (change) => {
          const names = (items: readonly { name: string }[]) => items.map(({ name }) => name).join();
          seen.take(`${change.list} +${names(change.added)} -${names(change.removed)}`);
        },
      });
      await client.listTools().all();
      await wire.until(({ travelled }) => travelled.some(({ message }) => message.method === "tools/list"));
      app.tools.set("more", nothing);
      app.tools.delete("nothing");
      assert.match((await seen.until(1)).at(-1) ?? "", /^tools \+more -nothing$/);
    },
  }),
]);

const watched = () =>
  defineServer({
    ...identity,
    resources: { motd, folder: resource({ uri: "note:///folder" }, () => "folder") },
  });

verifies("subscriptions", [
  scenario({
    title: "tell of an update to subscribers only, until they end them [RES-008] [RES-009] [RES-010]",
    needs: ["push"],
    app: watched,
    run: async ({ client, wire, app, isAlone, join }) => {
      const other = await join();
      const asked = isAlone ? undefined : {};
      const [mine, theirs] = [new Arrivals<string>(), new Arrivals<string>()];
      const subscription = await client.subscribe("note:///motd", ({ uri }) => mine.take(uri));
      assert.deepEqual(wire.answerTo("client", "resources/subscribe")?.result, asked);
      await other.client.subscribe("note:///folder", ({ uri }) => theirs.take(uri));
      app.notifyResourceUpdated("note:///motd");
      await mine.until(1);
      app.notifyResourceUpdated("note:///folder/inside", { within: "note:///folder" });
      assert.deepEqual(await theirs.until(1), ["note:///folder/inside"]);
      await subscription.unsubscribe();
      assert.deepEqual(wire.answerTo("client", "resources/unsubscribe")?.result, asked);
      app.notifyResourceUpdated("note:///motd");
      await client.subscribe("note:///folder", ({ uri }) => mine.take(uri));
      app.notifyResourceUpdated("note:///folder");
      assert.deepEqual(await mine.until(2), ["note:///motd", "note:///folder"]);
      assert.deepEqual(
        other.wire
          .sent("server", "notifications/resources/updated")
          .map(({ params }) => params?.uri)
          .slice(0, 1),
        ["note:///folder/inside"],
      );
    },
  }),
  scenario({
    title: "can read the resource again for the listener [RES-010]",
    needs: ["push"],
    app: watched,
    run: async ({ client, app }) => {
      const seen = new Arrivals<unknown>();
      await client.subscribe("note:///motd", ({ contents }) => seen.take(contents), { reread: true });
      app.notifyResourceUpdated("note:///motd");
      assert.deepEqual(await seen.until(1), [[{ uri: "note:///motd", text: "Good morning" }]]);
    },
  }),
  scenario({
    title: "are refused on the client where the server has none [RES-008] [RES-010]",
    app: () => defineServer({ ...identity, resources: { motd }, resourceSubscriptions: false }),
    run: async ({ client, wire }) => {
      await assert.rejects(
        client.subscribe("note:///motd", () => {}),
        { code: "MCP_MISSING_CAPABILITY" },
      );
      assert.deepEqual(wire.sent("client", "resources/subscribe"), []);
    },
  }),
]);
