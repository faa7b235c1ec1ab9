// Arguments described by plain JSON Schema: written `as const`, the types are inferred from it.

import assert from "node:assert/strict";
import { connect } from "parley-mcp/connect";
import { defineServer, tool } from "parley-mcp/server";

// #region schema
const forecast = tool(
  {
    description: "A forecast",
    input: {
      type: "object",
      properties: {
        city: { type: "string", minLength: 1 },
        days: { type: "integer", minimum: 1, maximum: 7, default: 3 },
        unit: { enum: ["celsius", "kelvin"] },
      },
      required: ["city"],
    } as const,
    output: {
      type: "object",
      properties: { lines: { type: "array", items: { type: "string" } } },
      required: ["lines"],
    } as const,
  },
  // city: string, days: number, unit: "celsius" | "kelvin" | undefined
  ({ city, days, unit = "celsius" }) => ({
    lines: Array.from({ length: days }, (_, day) => `${city}, day ${day + 1}: 20 degrees ${unit}`),
  }),
);
// #endregion

const app = defineServer({ name: "weather", version: "1.0.0", tools: { forecast } });
const client = await connect(app);

const { lines } = await client.tools.forecast({ city: "Graz" });
assert.equal(lines.length, 3);

const [listed] = await client.listTools().all();
assert.deepEqual(listed?.inputSchema.required, ["city"]);

await assert.rejects(client.tools.forecast({ city: "Graz", days: 9 }), { code: "MCP_TOOL", message: /days/ });
// @ts-expect-error: not one of the units
await assert.rejects(client.tools.forecast({ city: "Graz", unit: "rankine" }), { message: /unit/ });
await client.close();
