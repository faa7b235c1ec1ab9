// Tools of the server fixture that ask the client for input, several things at once or one after the other, and tools
// that show what a request must not lead to. Written once: whether a question goes out as a request of its own or inside
// a result is for the revision to say.

import { tool } from "parley-mcp/server";
import { z } from "zod";
import { firstText, question } from "./questions.ts";

const nameForm = z.object({ name: z.string() });
const colorForm = z.object({ color: z.string() });
const confirmation = z.object({ ok: z.boolean() });

/** See the head of this file. */
export const roundTools = {
  test_input_required_result_elicitation: tool({ description: "Asks the person for a name" }, async (_args, ctx) => {
    const answer = await ctx.elicit("What is your name?", nameForm, { key: "user_name" });
    return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello, whoever you are!";
  }),

  test_input_required_result_sampling: tool({ description: "Asks the client's model" }, async (_args, ctx) =>
    firstText(await ctx.sample(question("What is the capital of France?"))),
  ),

  test_input_required_result_list_roots: tool({ description: "Asks for the client's folders" }, async (_args, ctx) => {
    const roots = await ctx.roots();
    return `The client has ${roots.map(({ uri }) => uri).join(", ") || "no folders"}`;
  }),

  test_input_required_result_request_state: tool(
    { description: "Asks the person about something made up before" },
    async (_args, ctx) => {
      // The answer counts for this id alone, so it must be the same one when the answer is there.
      const id = await ctx.once("id", () => crypto.randomUUID());
      const { action } = await ctx.elicit(`Please confirm ${id}`, confirmation);
      return `state-ok, ${action}`;
    },
  ),

  test_input_required_result_multiple_inputs: tool(
    { description: "Asks the person, the client's model and for its folders, all at once" },
    async (_args, ctx) => {
      const [name, greeting, roots] = await Promise.all([
        ctx.elicit("What is your name?", nameForm),
        ctx.sample(question("Generate a greeting")),
        ctx.roots(),
      ]);
      const who = name.action === "accept" ? name.content.name : "nobody";
      return `${firstText(greeting)} ${who}, with ${roots.length} folders`;
    },
  ),

  test_input_required_result_multi_round: tool(
    { description: "Asks the person twice, one after the other" },
    async (_args, ctx) => {
      const name = await ctx.elicit("Step 1: What is your name?", nameForm);
      const color = await ctx.elicit("Step 2: What is your favorite color?", colorForm);
      return JSON.stringify([name, color]);
    },
  ),

  test_input_required_result_tampered_state: tool(
    { description: "Asks the person; what the client sends back must be what it was given" },
    async (_args, ctx) => (await ctx.elicit("Please confirm", confirmation)).action,
  ),

  test_input_required_result_capabilities: tool(
    { description: "Asks what the client says it can answer, and nothing else" },
    async (_args, ctx) => {
      const { elicitation, sampling } = ctx.client.capabilities;
      const answers = await Promise.all([
        elicitation === undefined ? undefined : ctx.elicit("What is your name?", nameForm),
        sampling === undefined ? undefined : ctx.sample(question("Generate a greeting")),
      ]);
      return `${answers.filter((answer) => answer !== undefined).length} answers`;
    },
  ),

  test_missing_capability: tool({ description: "Needs a client with a model" }, async (_args, ctx) =>
    firstText(await ctx.sample(question("Say something"))),
  ),

  test_streaming_elicitation: tool({ description: "Reports progress, then asks the person" }, async (_args, ctx) => {
    ctx.progress(1, 2);
    ctx.log.info("About to ask");
    return (await ctx.elicit("What is your name?", nameForm)).action;
  }),
};
