// Several servers behind one: what has the same name in both stays apart.

import assert from "node:assert/strict";
import { defineServer, tool } from "parley-mcp/server";
import { scenario, verifies } from "./verifies.ts";

const half = (name: string) =>
  defineServer({ name: "same", version: "1.0.0", tools: { hello: tool({ description: name }, () => `from ${name}`) } });

verifies("servers behind one server", [
  scenario({
    title: "have tools of equal names under prefixes of their own, whatever they call themselves [M-TOOL-008]",
    app: () => {
      const app = defineServer({ name: "whole", version: "1.0.0" });
      app.mount("left", half("left"));
      app.mount("right", half("right"));
      return app;
    },
    run: async ({ client }) => {
      assert.deepEqual(
        (await client.listTools().all()).map(({ name }) => name),
        ["left.hello", "right.hello"],
      );
      for (const side of ["left", "right"]) {
        const { content } = await client.request("tools/call", { name: `${side}.hello` });
        assert.deepEqual(content, [{ type: "text", text: `from ${side}` }]);
      }
    },
  }),
]);
