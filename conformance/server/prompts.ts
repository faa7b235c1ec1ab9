// Prompts of the server fixture: plain, with arguments that can be completed, with a resource, with a picture.

import { embed, image, prompt } from "parley-mcp/server";
import { z } from "zod";
import { redPixel } from "./samples.ts";

/** See the head of this file. */
export const prompts = {
  test_simple_prompt: prompt(
    { description: "A prompt without arguments" },
    () => "This is a simple prompt for testing.",
  ),

  test_prompt_with_arguments: prompt(
    {
      description: "A prompt with two arguments",
      arguments: {
        arg1: { description: "First test argument", required: true },
        arg2: { description: "Second test argument", required: true },
      },
      complete: { arg1: ["test", "testing", "paris", "park", "party"] },
    },
    ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  ),

  test_prompt_with_embedded_resource: prompt(
    {
      description: "A prompt that carries a resource",
      arguments: { resourceUri: { description: "URI of the resource to embed", required: true } },
    },
    ({ resourceUri }) => [
      embed({ uri: resourceUri, mimeType: "text/plain", text: "Embedded resource content for testing." }),
      "Please process the embedded resource above.",
    ],
  ),

  test_prompt_with_image: prompt({ description: "A prompt that carries a picture" }, () => [
    image(redPixel, "image/png"),
    "Please analyze the image above.",
  ]),

  test_input_required_result_prompt: prompt(
    { description: "A prompt that asks the person first" },
    async (_args, ctx) => {
      const form = z.object({ context: z.string() });
      const answer = await ctx.elicit("What context should the prompt use?", form);
      return `Keep this in mind: ${answer.action === "accept" ? answer.content.context : "nothing"}`;
    },
  ),
};
