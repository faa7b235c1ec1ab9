// Servers that ask as a task: the client accepts at once, works on it, and the server fetches the answer.

import assert from "node:assert/strict";
import type { ClientOptions, SamplingOptions } from "parley-mcp/client";
import { z } from "zod";
import { createDeferred } from "../../src/base/deferred.ts";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { scenario, verifies } from "./verifies.ts";

const revision = "2025-11-25";
/** The schemas know results by their methods, and not that a question may be answered with a task. */
const isOfficial = false;
const tester = { name: "tester", version: "1.0.0" };
const params = { maxTokens: 5, messages: [{ role: "user" as const, content: { type: "text" as const, text: "hi" } }] };
const message = { role: "assistant" as const, content: { type: "text" as const, text: "yo" }, model: "m" };

const sampling = (tasks: SamplingOptions["tasks"]) => (): ClientOptions => ({
  ...tester,
  sampling: { tasks, createMessage: () => message },
});

verifies("questions as tasks", [
  scenario({
    title: "give the answer as it is without a task [TASK-003] [TASK-013] [TASK-014] [TASK-030] [TASK-031]",
    since: revision,
    until: revision,
    needs: ["ask", "session"],
    isOfficial,
    app: () => createAskingServer((ctx) => ctx.sample(params, { task: { ttlMs: 60_000 } })),
    client: sampling(true),
    run: async ({ client, app, wire }) => {
      await client.callTool("ask");
      const [answer] = app.outcomes as { content: unknown; _meta?: { [key: string]: unknown } }[];
      assert.deepEqual(answer?.content, message.content);
      const [question] = wire.sent("server", "sampling/createMessage");
      assert.deepEqual(question?.params?.task, { ttl: 60_000 });
      const [asked] = wire.sent("server", "tasks/result");
      const related = answer?._meta?.["io.modelcontextprotocol/related-task"];
      assert.deepEqual(related, { taskId: asked?.params?.taskId });
    },
  }),
  scenario({
    title: "go to the person too, whose answer is checked against the form",
    since: revision,
    until: revision,
    needs: ["ask", "session"],
    isOfficial,
    app: () => createAskingServer((ctx) => ctx.elicit("Who are you?", z.object({ name: z.string() }), { task: true })),
    client: () => ({
      ...tester,
      elicitation: { tasks: "required", form: () => ({ action: "accept", content: { name: "Ada" } }) },
    }),
    run: async ({ client, app }) => {
      await client.callTool("ask");
      assert.deepEqual(app.outcomes, [{ action: "accept", content: { name: "Ada" } }]);
    },
  }),
  scenario({
    title: "are refused before anything is sent where the client takes none [TASK-003]",
    since: revision,
    needs: ["ask"],
    isOfficial,
    app: () => createAskingServer((ctx) => ctx.sample(params, { task: true })),
    client: sampling(false),
    run: async ({ client, app, wire }) => {
      await client.callTool("ask");
      const [error] = app.outcomes as { code?: unknown; capability?: unknown }[];
      assert.deepEqual(
        [error?.code, error?.capability],
        ["MCP_MISSING_CAPABILITY", "tasks.requests.sampling.createMessage"],
      );
      assert.equal(wire.questions("sampling/createMessage").length, 0);
    },
  }),
  scenario({
    title: "are cancelled at the client when the call is over that they belong to [TASK-046]",
    since: revision,
    until: revision,
    needs: ["ask", "session"],
    isOfficial,
    app: () => createAskingServer((ctx) => ctx.sample(params, { task: true, totalTimeoutMs: 200 })),
    run: async ({ join, app }) => {
      const stopped = createDeferred();
      const { client } = await join({
        ...tester,
        sampling: {
          tasks: true,
          createMessage: (_request, { signal }) => {
            signal.addEventListener("abort", () => stopped.resolve());
            return new Promise(() => {});
          },
        },
      });
      await client.callTool("ask");
      await stopped.promise;
      const [error] = app.outcomes as { code?: unknown }[];
      assert.equal(error?.code, "MCP_TIMEOUT");
    },
  }),
]);
