// #region app
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";

const input = z.object({ a: z.number(), b: z.number() });
const output = z.object({ sum: z.number() });
const add = tool({ description: "Adds two numbers", input, output }, ({ a, b }) => ({ sum: a + b }));
export default defineServer({ name: "demo", version: "1.0.0", tools: { add } });
// #endregion
