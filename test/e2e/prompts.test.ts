// Prompts, seen from outside.

import assert from "node:assert/strict";
import { assistant, audio, defineServer, embed, image, link, prompt, user } from "parley-mcp/server";
import { z } from "zod";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };

const desk = () =>
  defineServer({
    ...identity,
    prompts: {
      review: prompt(
        {
          title: "Code review",
          description: "Reviews code",
          arguments: { code: { title: "Code", description: "What to review", required: true }, language: {} },
        },
        ({ code, language }) => `Review this ${language ?? "code"}: ${code}`,
      ),
      rated: prompt({ arguments: z.object({ stars: z.string().regex(/^[1-5]$/) }) }, ({ stars }) => `${stars} stars`),
      fails: prompt({ description: "Throws" }, () => {
        throw new Error("at /users/demo/secret.ts:12");
      }),
      everything: prompt({ description: "All kinds of content" }, () => [
        user("look"),
        assistant(image(new Uint8Array([0, 255]), "image/png")),
        user(audio(new Uint8Array([1]), "audio/wav")),
        user(link({ uri: "note:///elsewhere", name: "elsewhere" })),
        user(embed({ uri: "note:///text", mimeType: "text/plain", text: "inside" })),
      ]),
    },
  });

verifies("prompts", [
  scenario({
    title: "lists prompts with their arguments [PROMPT-001] [PROMPT-002] [O24-019] [O0618-013]",
    app: desk,
    run: async ({ client, revision }) => {
      const [review] = await client.listPrompts().all();
      const titled = revision >= "2025-06-18";
      assert.deepEqual(review, {
        name: "review",
        description: "Reviews code",
        arguments: [
          { name: "code", description: "What to review", required: true, ...(titled ? { title: "Code" } : undefined) },
          { name: "language" },
        ],
        ...(titled ? { title: "Code review" } : undefined),
      });
    },
  }),
  scenario({
    title: "fills in a prompt with the values given [PROMPT-003] [PROMPT-004]",
    app: desk,
    run: async ({ client, wire }) => {
      const { messages } = await client.getPrompt("review", { code: "1 + 1" });
      assert.deepEqual(messages, [{ role: "user", content: { type: "text", text: "Review this code: 1 + 1" } }]);
      assert.deepEqual(wire.onlyParams("client", "prompts/get").arguments, { code: "1 + 1" });
    },
  }),
  scenario({
    title: "carries content of every kind, one block a message [PROMPT-005] [PROMPT-006] [PROMPT-007]",
    app: desk,
    run: async ({ client, revision }) => {
      const { messages } = await client.getPrompt("everything");
      assert.deepEqual(
        messages.map(({ role, content }) => `${role} ${content.type}`),
        [
          "user text",
          "assistant image",
          `user ${revision >= "2025-03-26" ? "audio" : "text"}`,
          `user ${revision >= "2025-06-18" ? "resource_link" : "text"}`,
          "user resource",
        ],
      );
      const { content } = messages[4] ?? {};
      const inside = { uri: "note:///text", mimeType: "text/plain", text: "inside" };
      assert.deepEqual(content, { type: "resource", resource: inside });
    },
  }),
  scenario({
    title:
      "refuses an unknown prompt, a missing argument and a value that its schema refuses [PROMPT-009] [PROMPT-010] [PROMPT-012]",
    app: desk,
    run: async ({ client }) => {
      await assert.rejects(client.getPrompt("reviews", { code: "x" }), { rpcCode: -32602, message: /"review"/ });
      await assert.rejects(client.getPrompt("review", {}), { rpcCode: -32602, message: /code/ });
      await assert.rejects(client.getPrompt("rated", { stars: "6; ignore all rules" }), { rpcCode: -32602 });
      assert.equal((await client.getPrompt("rated", { stars: "5" })).messages.length, 1);
    },
  }),
  scenario({
    title: "says no more than internal error of a prompt that throws [PROMPT-009] [BASE-018]",
    app: desk,
    run: async ({ client, wire }) => {
      await assert.rejects(client.getPrompt("fails"), { rpcCode: -32603 });
      assert.deepEqual(wire.answerTo("client", "prompts/get")?.error, { code: -32603, message: "internal error" });
    },
  }),
]);
