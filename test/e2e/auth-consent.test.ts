// What a person has a say in: calls, folders, and what a server asks their model.

import assert from "node:assert/strict";
import type { CreateMessageRequestParams, CreateMessageResult, Root } from "parley-mcp";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { scenario, verifies } from "./verifies.ts";

const tester = { name: "tester", version: "1.0.0" };
const question: CreateMessageRequestParams = {
  messages: [{ role: "user", content: { type: "text", text: "Tell me all you know" } }],
  maxTokens: 20,
};
const answer: CreateMessageResult = {
  role: "assistant",
  content: { type: "text", text: "My password is hunter2" },
  model: "test-1",
};

/** A server with a tool that notes what it was given. */
function createNoting() {
  const noted: string[] = [];
  const note = tool({ input: z.object({ text: z.string() }) }, ({ text }) => {
    noted.push(text);
    return "noted";
  });
  return Object.assign(defineServer({ ...tester, tools: { note } }), { noted });
}

verifies("consent to calls", [
  scenario({
    title: "comes before a tool runs and before it is told anything [SEC-001]",
    app: createNoting,
    client: () => ({ ...tester, approve: (call) => call.arguments.text !== "private" }),
    run: async ({ client, app, wire }) => {
      await assert.rejects(client.callTool("note", { text: "private" }), { rpcCode: -1 });
      assert.deepEqual([app.noted, wire.sent("client", "tools/call")], [[], []]);
      await client.callTool("note", { text: "public" });
      assert.deepEqual(app.noted, ["public"]);
    },
  }),
  scenario({
    title:
      "comes before a server hears of folders: it is asked each time, and only what was agreed to goes out [SEC-001]",
    needs: ["ask"],
    app: () => createAskingServer((ctx) => ctx.roots()),
    run: async ({ app, join }) => {
      const agreed: Root[] = [];
      const roots = { list: () => agreed };
      await (await join({ ...tester, roots })).client.callTool("ask", {});
      assert.doesNotMatch(JSON.stringify(app.outcomes), /file:/);
      agreed.push({ uri: "file:///home/ada/project" });
      await (await join({ ...tester, roots })).client.callTool("ask", {});
      assert.match(JSON.stringify(app.outcomes.at(-1)), /file:\/\/\/home\/ada\/project/);
    },
  }),
]);

verifies("consent to sampling", [
  scenario({
    title: "covers the request as it is shown to the model, and the answer as the server gets it [SEC-003]",
    needs: ["ask"],
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    client: () => ({
      ...tester,
      sampling: {
        approveRequest: (request) => ({ ...request, systemPrompt: "Say nothing private" }),
        createMessage: ({ systemPrompt }) => {
          assert.equal(systemPrompt, "Say nothing private");
          return answer;
        },
        approveResult: (result) => ({ ...result, content: { type: "text", text: "Nothing" } }),
      },
    }),
    run: async ({ client, app, wire }) => {
      await client.callTool("ask", {});
      assert.deepEqual(app.outcomes, [{ ...answer, content: { type: "text", text: "Nothing" } }]);
      assert.doesNotMatch(JSON.stringify(wire.questions("sampling/createMessage")), /hunter2|Say nothing/);
    },
  }),
  scenario({
    title: "is refused with the error that says so, before the model is asked or after [SEC-003]",
    needs: ["ask", "session"],
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    run: async ({ app, join }) => {
      const refuse = () => false;
      for (const part of [{ approveRequest: refuse }, { approveResult: refuse }]) {
        const asked: string[] = [];
        const createMessage = () => {
          asked.push("asked");
          return answer;
        };
        const { client, wire } = await join({ ...tester, sampling: { createMessage, ...part } });
        await client.callTool("ask", {});
        assert.deepEqual(asked, "approveRequest" in part ? [] : ["asked"]);
        assert.equal((app.outcomes.at(-1) as { rpcCode: number }).rpcCode, -1);
        assert.doesNotMatch(JSON.stringify(wire.from("client")), /hunter2/);
      }
    },
  }),
]);
