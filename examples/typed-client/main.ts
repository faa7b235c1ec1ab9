// Calls that are typed by the server's definition: no generated code, no schema at the client.

import assert from "node:assert/strict";
import { isMcpError } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import { listen } from "parley-mcp/http/node";
import { app } from "./app.ts";

const { url, close } = await listen(app);

// #region typed
const client = await connect<typeof app>(url);

const { count } = await client.tools.lookUp({ article: "apple" }); // number
// @ts-expect-error: the argument is called "article"
const wrong = client.tools.lookUp({ name: "apple" });
// #endregion
assert.equal(count, 3);
await assert.rejects(wrong, { code: "MCP_TOOL", message: /article is missing/ });

// #region tool-error
try {
  await client.tools.lookUp({ article: "plum" });
} catch (error) {
  if (isMcpError(error) && error.code === "MCP_TOOL") {
    assert.equal(error.message, "no article plum; there are apple, pear");
  }
}
// #endregion

// #region plain
const result = await client.callTool("lookUp", { article: "plum" }); // gives the failed result instead of throwing
assert.equal(result.isError, true);

for await (const { name, description } of client.listTools()) {
  assert.deepEqual([name, description], ["lookUp", "How many of an article are there"]);
}
// #endregion

await client.close();
await close();
