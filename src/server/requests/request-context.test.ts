import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller, FakeSession, fakeExchange, plainHttp } from "../../../test/fixtures/exchange.ts";
import { identity, send } from "../../../test/fixtures/server-calls.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { latestHandshake } from "../../revision/registry.ts";
import { defineServer, withContext } from "../define.ts";
import { text } from "../features/content.ts";
import { tool } from "../features/tool.ts";
import type { Middleware } from "../middleware.ts";

describe("context", () => {
  it("makes a value once per request and hands it to handlers, layers, completers and access rules [PP-067] [PP-083]", async () => {
    let made = 0;
    const seen: unknown[] = [];
    const make = withContext<{ user: string }>();
    const layer: Middleware<{ user: string }> = (next) => (message, ctx) => {
      seen.push(["layer", ctx.value.user]);
      return next(message, ctx);
    };
    const app = defineServer({
      ...identity,
      context: async ({ auth, request, method }) => {
        made += 1;
        seen.push([method, request?.url]);
        return { user: auth?.subject ?? "nobody" };
      },
      middleware: [layer],
      tools: {
        who: make.tool({ allow: (ctx) => ctx.value.user === "ada" }, (_args, ctx) => ctx.value.user),
      },
    });
    const exchange = fakeExchange({ auth: caller("ada"), http: plainHttp });
    const response = await send(app, "tools/call", { name: "who" }, exchange);
    assert.deepEqual("result" in response && response.result.content, [text("ada")]);
    assert.equal(made, 1);
    assert.deepEqual(seen, [
      ["tools/call", "/mcp"],
      ["layer", "ada"],
    ]);
    await send(app, "ping");
    assert.equal(made, 1, "a ping needs no caller");
  });

  it("refuses a request in the factory's own words [PP-067]", async () => {
    const app = defineServer({
      ...identity,
      context: () => {
        throw new RpcError(-31997, "unknown tenant");
      },
      tools: { t: tool({}, () => "") },
    });
    const response = await send(app, "tools/call", { name: "t" });
    assert.deepEqual("error" in response && response.error, { code: -31997, message: "unknown tenant" });
  });

  it("tells handlers who calls, how and where", async () => {
    const app = defineServer({
      ...identity,
      tools: {
        t: tool({}, (_args, { auth, request, revision, session, closeStream }) => ({
          auth: auth?.subject,
          url: request?.url,
          revision,
          session: session?.id,
          closed: closeStream(),
        })),
      },
    });
    const session = new FakeSession("s1", {});
    const exchange = fakeExchange({ auth: caller("ada"), http: plainHttp, session });
    const response = await send(app, "tools/call", { name: "t" }, exchange);
    assert.deepEqual("result" in response && response.result.structuredContent, {
      auth: "ada",
      url: "/mcp",
      revision: latestHandshake.id,
      session: "s1",
      closed: false,
    });
  });
});
