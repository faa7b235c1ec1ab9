// Tools that ask in the middle of their work: the person by a form or a page, the client's model by sampling.

import { defineServer, runToolLoop, tool } from "parley-mcp/server";
import { z } from "zod";

// #region form
const deploy = tool(
  { description: "Deploys the services", input: z.object({ env: z.string() }) },
  async ({ env }, ctx) => {
    const form = z.object({ yes: z.boolean().describe("Go ahead"), note: z.string().max(80).optional() });
    const answer = await ctx.elicit(`Deploy 3 services to ${env}?`, form);
    if (answer.action !== "accept" || !answer.content.yes) {
      return "not deployed";
    }
    return `deployed to ${env}${answer.content.note === undefined ? "" : `: ${answer.content.note}`}`;
  },
);
// #endregion

// #region page
const link = tool({ description: "Links an account at another service" }, async (_args, ctx) => {
  const elicitationId = await ctx.once("ticket", () => crypto.randomUUID());
  const page = await ctx.elicitUrl({
    message: "Sign in at the other service to link your account",
    url: `https://accounts.example.com/link?ticket=${elicitationId}`,
    elicitationId,
  });
  if (page.action !== "accept") {
    return "not linked";
  }
  await page.complete(); // once the other service has told us that the person is done
  return "linked";
});
// #endregion

// #region sample
const translate = tool(
  { description: "Translates into French", input: z.object({ words: z.string() }) },
  async ({ words }, ctx) => {
    const { content } = await ctx.sample({
      systemPrompt: "Translate into French. Give the translation only.",
      messages: [{ role: "user", content: { type: "text", text: words } }],
      maxTokens: 200,
      modelPreferences: { hints: [{ name: "small" }], speedPriority: 0.9 },
    });
    const [block] = [content].flat();
    return block?.type === "text" ? block.text : "the model gave no text";
  },
);
// #endregion

// #region tool-loop
const today = tool({ description: "Gives the date" }, () => "2025-11-25");
const plan = tool({ description: "Plans a day, with the date looked up by the model" }, async (_args, ctx) => {
  const { result, rounds } = await runToolLoop(ctx, {
    messages: [{ role: "user", content: { type: "text", text: "Which day is it? Then plan it." } }],
    maxTokens: 500,
    maxRounds: 4,
    tools: { today },
  });
  const [block] = [result.content].flat();
  return `${rounds} rounds: ${block?.type === "text" ? block.text : ""}`;
});
// #endregion

export const app = defineServer({ name: "asks", version: "1.0.0", tools: { deploy, link, translate, plan } });
