// Tools of the server fixture whose calls become tasks: slow ones, failing ones, and ones that ask while they work.

import { setTimeout as delay } from "node:timers/promises";
import { error, tool } from "parley-mcp/server";
import { z } from "zod";

/** How long the work that fails takes before it does, in milliseconds. */
const failureMs = 500;

const confirmation = z.object({ confirm: z.boolean() });
const nameForm = z.object({ name: z.string() });

/** See the head of this file. */
export const taskTools = {
  greet: tool(
    { description: "Greets, at once", input: z.object({ name: z.string() }) },
    ({ name }) => `Hello, ${name}!`,
  ),

  slow_compute: tool(
    {
      description: "Computes for as long as it is told to",
      input: z.object({ seconds: z.number().min(0).max(3_600), label: z.string().optional() }),
      task: { support: "optional", begin: "handler", pollIntervalMs: 200 },
    },
    async ({ seconds, label = "result" }, ctx) => {
      if (seconds > 0) {
        await ctx.beginTask();
        await delay(seconds * 1_000, undefined, { signal: ctx.signal });
      }
      return `${label}: computed for ${seconds} s`;
    },
  ),

  failing_job: tool(
    { description: "Fails, with words for the model", task: { support: "required", pollIntervalMs: 200 } },
    async (_args, ctx) => {
      await delay(failureMs, undefined, { signal: ctx.signal });
      return error("the job has failed, as it always does");
    },
  ),

  protocol_error_job: tool(
    {
      description: "Needs the client's folders, and fails by a protocol error where it has none to offer",
      task: { support: "required", pollIntervalMs: 200 },
    },
    async (_args, ctx) => `The client has ${(await ctx.roots()).length} folders`,
  ),

  confirm_delete: tool(
    {
      description: "Deletes nothing, after the person has confirmed it",
      input: z.object({ filename: z.string() }),
      task: { support: "required", pollIntervalMs: 200 },
    },
    async ({ filename }, ctx) => {
      const answer = await ctx.elicit(`Delete ${filename}?`, confirmation);
      return answer.action === "accept" && answer.content.confirm ? `${filename} was deleted` : `${filename} was kept`;
    },
  ),

  multi_input: tool(
    { description: "Asks the person two things at once", task: { support: "required", pollIntervalMs: 200 } },
    async (_args, ctx) => {
      const answers = await Promise.all([
        ctx.elicit("What is your name?", nameForm),
        ctx.elicit("What is your other name?", nameForm),
      ]);
      return `You are ${answers.map(({ action }) => action).join(" and ")}`;
    },
  ),

  test_tool_with_task: tool(
    {
      description: "Asks the person for a name, then works on it as a task",
      task: { support: "required", begin: "handler", pollIntervalMs: 200 },
    },
    async (_args, ctx) => {
      const answer = await ctx.elicit("What is your name?", nameForm, { key: "user_name" });
      await ctx.beginTask();
      await delay(failureMs, undefined, { signal: ctx.signal });
      return answer.action === "accept" ? `Hello, ${answer.content.name}!` : "Hello, whoever you are!";
    },
  ),
};
