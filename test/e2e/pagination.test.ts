// Lists in pages, seen from outside.

import assert from "node:assert/strict";
import { defineServer, prompt, resource, template, tool } from "parley-mcp/server";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const numbers = [1, 2, 3, 4, 5];

const shelf = () =>
  defineServer({
    ...identity,
    pageSize: 2,
    tools: Object.fromEntries(numbers.map((n) => [`tool${n}`, tool({ description: `Tool ${n}` }, () => `${n}`)])),
    prompts: Object.fromEntries(numbers.map((n) => [`prompt${n}`, prompt({}, () => `${n}`)])),
    resources: Object.fromEntries(numbers.map((n) => [`note${n}`, resource({ uri: `note:///${n}` }, () => `${n}`)])),
    templates: Object.fromEntries(
      numbers.map((n) => [`notes${n}`, template({ uriTemplate: `note${n}:///{id}` }, ({ id }) => String(id))]),
    ),
  });

verifies("pagination", [
  scenario({
    title:
      "gives every list page by page, each item once, by opaque cursors [PAGE-001] [PAGE-003] [PROMPT-011] [PP-082]",
    app: shelf,
    run: async ({ client, wire }) => {
      const names = (items: readonly { name: string }[]) => items.map(({ name }) => Number(name.at(-1)));
      assert.deepEqual(names(await client.listTools().all()), numbers);
      assert.deepEqual(names(await client.listPrompts().all()), numbers);
      assert.deepEqual(names(await client.listResources().all()), numbers);
      assert.deepEqual(names(await client.listResourceTemplates().all()), numbers);
      for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
        const given = wire.from("server").flatMap(({ result }) => result?.nextCursor ?? []);
        const sent = wire.sent("client", method).map(({ params }) => params?.cursor);
        assert.equal(sent.length, 3, method);
        assert.equal(sent[0], undefined);
        assert.ok(sent.slice(1).every((cursor) => given.includes(cursor as string)));
      }
    },
  }),
  scenario({
    title:
      "gives the same page for the same cursor, and refuses one that it never gave [PAGE-004] [PAGE-005] [PAGE-006]",
    app: shelf,
    run: async ({ client }) => {
      const { nextCursor } = await client.request("tools/list", {});
      assert.ok(nextCursor);
      const first = await client.request("tools/list", { cursor: nextCursor });
      const second = await client.request("tools/list", { cursor: nextCursor });
      assert.deepEqual(first, second);
      assert.deepEqual(
        first.tools.map(({ name }) => name),
        ["tool3", "tool4"],
      );
      await assert.rejects(client.request("tools/list", { cursor: "bogus" }), { rpcCode: -32602, remote: true });
      await client.ping();
    },
  }),
  scenario({
    title: "neither repeats nor loses an item while the list changes between two pages [PAGE-005]",
    app: shelf,
    run: async ({ client, app }) => {
      const pages: string[][] = [];
      for await (const page of client.listTools().pages()) {
        pages.push(page.map(({ name }) => name));
        app.tools.delete("tool1");
        app.tools.delete("tool3");
      }
      assert.deepEqual(pages, [
        ["tool1", "tool2"],
        ["tool4", "tool5"],
      ]);
    },
  }),
]);
