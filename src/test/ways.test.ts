import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineServer } from "../server/define.ts";
import { tool } from "../server/features/tool.ts";
import { connectBy, ways } from "./ways.ts";

const app = defineServer({
  name: "demo",
  version: "1.0.0",
  tools: {
    add: tool(
      {
        input: {
          type: "object",
          required: ["a", "b"],
          properties: { a: { type: "number" }, b: { type: "number" } },
        } as const,
        output: { type: "object", required: ["sum"], properties: { sum: { type: "number" } } } as const,
      },
      ({ a, b }) => ({ sum: a + b }),
    ),
  },
});

describe("connectBy", () => {
  for (const way of ways) {
    it(`gives a typed session over ${way} and leaves nothing open`, async () => {
      const client = await connectBy(way, app);
      const { sum } = await client.tools.add({ a: 1, b: 2 });
      assert.equal(sum, 3);
      await client.close();
      assert.equal(await client.closed, undefined);
      assert.equal(app.sessions.size, 0);
    });
  }
});
