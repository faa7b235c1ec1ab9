// Completion of prompt arguments and template variables, seen from outside.

import assert from "node:assert/strict";
import { defineServer, prompt, template } from "parley-mcp/server";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const many = Array.from({ length: 150 }, (_, index) => `item ${index}`);

const desk = () =>
  defineServer({
    ...identity,
    prompts: {
      greet: prompt(
        { arguments: { name: { required: true }, many: {} }, complete: { name: ["Ada", "Grace", "Adele"], many } },
        ({ name }) => `Hello ${name}`,
      ),
    },
    templates: {
      file: template(
        {
          uriTemplate: "repo://{owner}/{name}",
          complete: { name: (typed, { arguments: chosen }) => [`${chosen.owner ?? "nobody"}/${typed}`] },
        },
        () => "file",
      ),
    },
  });

const greet = { type: "ref/prompt", name: "greet" } as const;

verifies("completion", [
  scenario({
    title: "completes a prompt's argument, in the order of the completer [COMP-001] [COMP-002] [COMP-006]",
    app: desk,
    run: async ({ client }) => {
      const found = await client.complete({ ref: greet, argument: { name: "name", value: "ad" } });
      assert.deepEqual(found, { values: ["Ada", "Adele"], total: 2, hasMore: false });
    },
  }),
  scenario({
    title: "sends at most a hundred values and says that there are more [COMP-004] [COMP-005]",
    app: desk,
    run: async ({ client }) => {
      const { values, total, hasMore } = await client.complete({ ref: greet, argument: { name: "many", value: "" } });
      assert.deepEqual(values, many.slice(0, 100));
      assert.equal(total, 150);
      assert.equal(hasMore, true);
    },
  }),
  scenario({
    title: "shows the completer of a template what is chosen already [COMP-003] [O0618-013] [PP-083]",
    app: desk,
    since: "2025-06-18",
    run: async ({ client, wire }) => {
      const { values } = await client.complete({
        ref: { type: "ref/resource", uri: "repo://{owner}/{name}" },
        argument: { name: "name", value: "par" },
        context: { arguments: { owner: "ada" } },
      });
      assert.deepEqual(values, ["ada/par"]);
      assert.deepEqual(wire.onlyParams("client", "completion/complete").context, { arguments: { owner: "ada" } });
    },
  }),
  scenario({
    title: "leaves the context out where the revision has none [LIFE-017] [O24-019] [O0326-016]",
    app: desk,
    until: "2025-03-26",
    run: async ({ client, wire }) => {
      const { values } = await client.complete({
        ref: { type: "ref/resource", uri: "repo://{owner}/{name}" },
        argument: { name: "name", value: "par" },
        context: { arguments: { owner: "ada" } },
      });
      assert.deepEqual(values, ["nobody/par"]);
      assert.equal("context" in wire.onlyParams("client", "completion/complete"), false);
    },
  }),
  scenario({
    title: "refuses a prompt and a template that are not there [COMP-007]",
    app: desk,
    run: async ({ client }) => {
      const argument = { name: "name", value: "" };
      for (const ref of [
        { type: "ref/prompt", name: "gret" } as const,
        { type: "ref/resource", uri: "x://{y}" } as const,
      ]) {
        await assert.rejects(client.complete({ ref, argument }), { rpcCode: -32602, remote: true });
      }
    },
  }),
]);
