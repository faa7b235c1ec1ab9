// One handler that asks the person, served to two clients: one that is asked while the call runs, and one whose
// requests stand for themselves, which gets the question as a result and calls again with the answer.

import assert from "node:assert/strict";
import { defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { createMemoryPair } from "parley-mcp/memory";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";

const held: string[] = [];

// #region server
const book = tool({ description: "Books a seat", input: z.object({ show: z.string() }) }, async ({ show }, ctx) => {
  const seat = await ctx.once("hold", () => {
    held.push(show); // not done again when the handler runs again with the answer
    return `seat ${held.length}`;
  });
  const answer = await ctx.elicit(`Book ${seat} for ${show}?`, z.object({ yes: z.boolean() }));
  return answer.action === "accept" && answer.content.yes ? `booked ${seat}` : `released ${seat}`;
});

const app = defineServer({
  name: "theatre",
  version: "1.0.0",
  tools: { book },
  requestState: { keys: ["a secret that all processes share"] }, // the newest key first; older ones still open
});
// #endregion

const client = defineClient({
  name: "host",
  version: "1.0.0",
  elicitation: { form: () => ({ action: "accept", content: { yes: true } }) },
});
const session = await connect(app, { client });
const { content } = await session.callTool("book", { show: "Faust" });
assert.deepEqual(content, [{ type: "text", text: "booked seat 1" }]);
await session.close();

// The other way by hand, to show what goes over the wire: any client of the newest revision does this by itself.
interface Answer {
  readonly id: number;
  readonly result: {
    readonly resultType: string;
    readonly inputRequests?: { readonly [key: string]: { readonly params: { readonly message: string } } };
    readonly requestState?: string;
    readonly content?: readonly { readonly text: string }[];
  };
}
const [wire, end] = createMemoryPair();
const waiting = new Map<number, (answer: Answer) => void>();
await wire.open({
  message: (value) => waiting.get((value as Answer).id)?.(value as Answer),
  malformed: ({ error }) => assert.fail(error.message),
  closed: (fault) => assert.equal(fault, undefined),
});
app.serve(end);

function call(id: number, more: object): Promise<Answer["result"]> {
  const params = {
    name: "book",
    arguments: { show: "Hamlet" },
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
    },
    ...more,
  };
  const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
  void wire.send({ jsonrpc: "2.0", id, method: "tools/call", params });
  return answer.then(({ result }) => result);
}

const asking = await call(1, {});
const [[key, question] = assert.fail("expected a question")] = Object.entries(asking.inputRequests ?? {});
assert.equal(asking.resultType, "input_required");
assert.equal(question.params.message, "Book seat 2 for Hamlet?");

const inputResponses = { [key]: { action: "accept", content: { yes: true } } };
const done = await call(2, { inputResponses, requestState: asking.requestState });
assert.equal(done.content?.[0]?.text, "booked seat 2");
assert.deepEqual(held, ["Faust", "Hamlet"], "each seat was held once");
await app.close();
