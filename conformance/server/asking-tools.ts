// Tools of the server fixture that ask back: the client's model for a message, or the person at the client by a form.

import { tool } from "parley-mcp/server";
import { z } from "zod";
import { firstText, question } from "./questions.ts";

/** A field of each type, filled in beforehand. */
const formWithDefaults = {
  type: "object",
  properties: {
    name: { type: "string", default: "John Doe" },
    age: { type: "integer", default: 30 },
    score: { type: "number", default: 95.5 },
    status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
    verified: { type: "boolean", default: true },
  },
} as const;

/** Every way to offer a choice. */
const formWithChoices = {
  type: "object",
  properties: {
    untitledSingle: { type: "string", enum: ["option1", "option2", "option3"] },
    titledSingle: {
      type: "string",
      oneOf: [
        { const: "value1", title: "First Option" },
        { const: "value2", title: "Second Option" },
        { const: "value3", title: "Third Option" },
      ],
    },
    legacyEnum: {
      type: "string",
      enum: ["opt1", "opt2", "opt3"],
      enumNames: ["Option One", "Option Two", "Option Three"],
    },
    untitledMulti: { type: "array", items: { type: "string", enum: ["option1", "option2", "option3"] } },
    titledMulti: {
      type: "array",
      items: {
        anyOf: [
          { const: "value1", title: "First Choice" },
          { const: "value2", title: "Second Choice" },
          { const: "value3", title: "Third Choice" },
        ],
      },
    },
  },
} as const;

/** See the head of this file. */
export const askingTools = {
  test_sampling: tool(
    { description: "Asks the client's model", input: z.object({ prompt: z.string().describe("What to ask") }) },
    async ({ prompt }, ctx) => `LLM response: ${firstText(await ctx.sample(question(prompt)))}`,
  ),

  test_elicitation: tool(
    { description: "Asks the person", input: z.object({ message: z.string().describe("What to ask") }) },
    async ({ message }, ctx) => {
      const form = z.object({
        username: z.string().describe("User's response"),
        email: z.string().describe("User's email address"),
      });
      return `User response: ${describe(await ctx.elicit(message, form))}`;
    },
  ),

  test_elicitation_sep1034_defaults: tool(
    { description: "Asks the person by a form that is filled in beforehand" },
    async (_args, ctx) => {
      const answer = await ctx.elicit("Please review and update the form fields with defaults", formWithDefaults);
      return `Elicitation completed: ${describe(answer)}`;
    },
  ),

  test_elicitation_sep1330_enums: tool(
    { description: "Asks the person to choose, in every form there is" },
    async (_args, ctx) =>
      `Elicitation completed: ${describe(await ctx.elicit("Please select from the choices", formWithChoices))}`,
  ),
};

function describe(answer: { readonly action: string; readonly content?: unknown }): string {
  return `action=${answer.action}, content=${JSON.stringify(answer.content ?? {})}`;
}
