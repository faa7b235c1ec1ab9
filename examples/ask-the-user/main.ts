// A client that can be asked: a model, a person at a form, a person at a browser. What it can answer it announces.

import assert from "node:assert/strict";
import type { CreateMessageRequestParams, CreateMessageResult } from "parley-mcp";
import { defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { app } from "./app.ts";

const opened: string[] = [];
const shown: string[] = [];

/** Stands in for a call to a real model. */
function callModel({ messages, tools = [], toolChoice }: CreateMessageRequestParams): CreateMessageResult {
  const model = "stand-in";
  const wantsTool = tools.length > 0 && messages.length === 1 && toolChoice?.mode !== "none";
  return wantsTool
    ? {
        role: "assistant",
        content: { type: "tool_use", id: "1", name: "today", input: {} },
        model,
        stopReason: "toolUse",
      }
    : { role: "assistant", content: { type: "text", text: "bonjour" }, model, stopReason: "endTurn" };
}

// #region client
const client = defineClient({
  name: "host",
  version: "1.0.0",
  sampling: {
    tools: true,
    approveRequest: (request) => request, // show it; give it back edited, or false to refuse
    createMessage: (request) => callModel(request),
    approveResult: () => true,
  },
  elicitation: {
    form: ({ message, defaults }, { server }) => {
      shown.push(`${server.info.name}: ${message}`);
      return { action: "accept", content: { ...defaults, yes: true, note: "at last" } };
    },
    url: {
      consent: ({ url }) => (url.href.startsWith("https://accounts.example.com/") ? "accept" : "decline"),
      open: (href) => {
        opened.push(href); // a real host opens the system's browser
      },
    },
  },
});
// #endregion

const session = await connect(app, { client });
const textOf = async (result: Promise<readonly { type: string; text?: string }[]>): Promise<string | undefined> =>
  (await result)[0]?.text;

assert.equal(await textOf(session.tools.deploy({ env: "prod" })), "deployed to prod: at last");
assert.deepEqual(shown, ["asks: Deploy 3 services to prod?"]);
assert.equal(await textOf(session.tools.link()), "linked");
assert.equal(opened.length, 1);
assert.equal(await textOf(session.tools.translate({ words: "good day" })), "bonjour");
assert.equal(await textOf(session.tools.plan()), "2 rounds: bonjour");
await session.close();

// A client that cannot be asked is told what it lacks.
const silent = await connect(app);
await assert.rejects(silent.tools.deploy({ env: "prod" }), {
  code: "MCP_MISSING_CAPABILITY",
  capability: "elicitation.form",
});
await silent.close();
