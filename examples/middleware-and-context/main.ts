// Around the handlers: a value made for each request, layers that see every message, and who may see what.

import assert from "node:assert/strict";
import { connect } from "parley-mcp/connect";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, type Middleware, withContext } from "parley-mcp/server";

// #region context
interface Tenant {
  readonly tenant: string;
}

const { tool } = withContext<Tenant>();
const whoAmI = tool({ description: "Names the tenant" }, (_args, ctx) => ctx.value.tenant);
const purge = tool(
  { description: "Throws everything away", allow: (ctx) => ctx.value.tenant === "admin" },
  () => "gone",
);
// #endregion

// #region middleware
const audit: string[] = [];
const audited: Middleware = (next) => async (message, ctx) => {
  if (message.method !== "tools/call") {
    return next(message, ctx);
  }
  const { name } = message.params;
  try {
    const result = await next(message, ctx);
    audit.push(`${name}: ${result?.isError === true ? "failed" : "ok"}`);
    return result;
  } catch (error) {
    audit.push(`${name}: refused`);
    throw error;
  }
};
// #endregion

// #region server
const app = defineServer({
  name: "tenants",
  version: "1.0.0",
  context: ({ request }): Tenant => ({ tenant: request?.header("x-tenant") ?? "nobody" }),
  middleware: [audited],
  tools: { whoAmI, purge },
});
// #endregion

const web = createHttpHandler(app, { allowedHosts: ["mcp.example.com"] });
const as = (tenant: string) =>
  connect<typeof app>("https://mcp.example.com/mcp", {
    http: { headers: { "x-tenant": tenant }, fetch: (url, init) => web.fetch(new Request(url, init)) },
  });

const ada = await as("ada");
assert.deepEqual(await ada.tools.whoAmI(), [{ type: "text", text: "ada" }]);
assert.equal((await ada.listTools().all()).length, 1);
await assert.rejects(ada.tools.purge(), /no tool "purge"/);

const admin = await as("admin");
assert.deepEqual(await admin.tools.purge(), [{ type: "text", text: "gone" }]);
assert.deepEqual(audit, ["whoAmI: ok", "purge: refused", "purge: ok"]);

await ada.close();
await admin.close();
web.close();
