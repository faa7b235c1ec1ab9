// What goes wrong and what is said about it: to the author at once, to the model as a failed result, to the caller as an
// error with a code.

import assert from "node:assert/strict";
import { isMcpError } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import { defineServer, error, tool } from "parley-mcp/server";
import { z } from "zod";

const reported: unknown[] = [];

// #region tools
const app = defineServer({
  name: "errors",
  version: "1.0.0",
  tools: {
    add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b)),
    find: tool({ input: z.object({ id: z.string() }) }, ({ id }) => error(`no user ${id}; list users first`)),
    crash: tool({}, () => {
      throw new Error("disk full");
    }),
  },
  onError: (fault, { name }) => reported.push([name, fault]), // with its stack; nothing of that crosses the wire
});
// #endregion

const client = await connect(app);
const textOf = async (name: "add" | "find" | "crash", args: object): Promise<string> => {
  const { content, isError } = await client.request("tools/call", { name, arguments: { ...args } });
  assert.equal(isError, true);
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
};

// #region model
// For the model: what to do differently, in its own words.
assert.equal(
  await textOf("add", { a: "x", c: 1 }),
  'add: a must be a number (got "x"); b is missing; "c" is not known (a, b)',
);
assert.equal(await textOf("find", { id: "7" }), "no user 7; list users first");
assert.equal(await textOf("crash", {}), "disk full");
assert.equal(reported.length, 1);
// #endregion

// #region caller
// For the caller: a stable code to switch on.
const code = await client.request("tools/call", { name: "addd" }).catch((fault: unknown) => {
  assert.ok(isMcpError(fault));
  assert.equal(fault.message, 'no tool "addd". Did you mean "add"?');
  return fault.code;
});
assert.equal(code, "MCP_INVALID_PARAMS");
// #endregion

// #region author
// For the author: at registration, not at the first call.
assert.throws(
  () =>
    app.tools.add(
      "add",
      tool({}, () => "again"),
    ),
  { code: "MCP_USAGE", message: /defined twice/ },
);
assert.throws(() => defineServer({ name: "x", version: "1", tools: { "no spaces": tool({}, () => "") } }), {
  code: "MCP_USAGE",
  message: /no spaces/,
});
// #endregion

// Nothing of this has disturbed the session.
await client.ping();
await client.close();
await assert.rejects(client.ping(), { code: "MCP_CLOSED" });
