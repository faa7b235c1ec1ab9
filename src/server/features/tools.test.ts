import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { caller, fakeExchange, plainHttp } from "../../../test/fixtures/exchange.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { call, errorOf, resultOf, withTools } from "../../../test/fixtures/server-calls.ts";
import { sendAlone } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { checkResult } from "../../protocol/results.ts";
import { error } from "./content.ts";
import { tool } from "./tool.ts";

type Loose = { [key: string]: never };

const add = tool(
  {
    description: "Adds",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
);

describe("tools/list", () => {
  it("gives every tool its name and an object schema, with what its author said [TOOL-002] [TOOL-003] [ICON-002]", async () => {
    const app = withTools({
      add,
      plain: tool(
        {
          title: "Plain",
          icons: [{ src: "https://example.com/i.png" }],
          annotations: { readOnlyHint: true },
          meta: { "com.example/x": 1 },
        },
        () => "ok",
      ),
    });
    const response = await app.dispatch({ jsonrpc: "2.0", id: 1, method: "tools/list" }, fakeExchange());
    assert.ok(response && "result" in response);
    assert.equal(checkResult("tools/list", response.result), undefined);
    const [first, second] = response.result.tools as Loose[];
    assert.deepEqual(first?.outputSchema, {
      type: "object",
      properties: { sum: { type: "number" } },
      required: ["sum"],
      additionalProperties: false,
    });
    assert.deepEqual(second, {
      name: "plain",
      title: "Plain",
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "com.example/x": 1 },
      inputSchema: { type: "object", additionalProperties: false },
      annotations: { readOnlyHint: true },
    });
  });

  it("gives tools without arguments the closed empty schema, which refuses any [TOOL-004]", async () => {
    const app = withTools({ now: tool({}, () => "now") });
    const response = await app.dispatch({ jsonrpc: "2.0", id: 1, method: "tools/list" }, fakeExchange());
    assert.ok(response && "result" in response);
    const [now] = response.result.tools as Loose[];
    assert.deepEqual(now?.inputSchema, { type: "object", additionalProperties: false });
    assert.equal(resultOf(await call(app, "now", { zone: "utc" })).isError, true);
    assert.deepEqual(resultOf(await call(app, "now")).content, [{ type: "text", text: "now" }]);
  });

  it("publishes a union with its branches and hands the branch to the handler [PP-052]", async () => {
    const input = z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("circle"), radius: z.number() }),
      z.object({ kind: z.literal("square"), side: z.number() }),
    ]);
    const app = withTools({
      area: tool({ input }, (shape) => (shape.kind === "circle" ? `r${shape.radius}` : `s${shape.side}`)),
    });
    const response = await app.dispatch({ jsonrpc: "2.0", id: 1, method: "tools/list" }, fakeExchange());
    assert.ok(response && "result" in response);
    const [area] = response.result.tools as { inputSchema: { type: string; oneOf?: object[]; anyOf?: object[] } }[];
    assert.equal(area?.inputSchema.type, "object");
    assert.equal((area?.inputSchema.oneOf ?? area?.inputSchema.anyOf)?.length, 2);
    assert.equal(resultOf(await call(app, "area", { kind: "square", side: 2 })).content[0]?.text, "s2");
    assert.equal(resultOf(await call(app, "area", { kind: "square", radius: 2 })).isError, true);
  });
});

describe("tools/call", () => {
  it("answers an unknown tool with invalid params and the nearest name [TOOL-019]", async () => {
    const app = withTools({ add });
    assert.deepEqual(errorOf(await call(app, "addd")), {
      code: -32602,
      message: 'no tool "addd". Did you mean "add"?',
    });
    const nameless = await app.dispatch({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }, fakeExchange());
    assert.equal(nameless && "error" in nameless && nameless.error.code, -32602);
  });

  it("keeps the names of tools apart by case [TOOL-022]", async () => {
    const app = withTools({ getUser: tool({}, () => "upper"), getuser: tool({}, () => "lower") });
    assert.equal(resultOf(await call(app, "getUser")).content[0]?.text, "upper");
    assert.equal(resultOf(await call(app, "getuser")).content[0]?.text, "lower");
  });

  it("denies a caller without the scope and one the tool does not allow, before the handler runs [TOOL-026]", async () => {
    let runs = 0;
    const run = (): string => {
      runs += 1;
      return "ran";
    };
    const app = withTools({
      purge: tool({ scopes: ["crm:admin"] }, run),
      hidden: tool({ allow: ({ auth }) => auth?.subject === "ada" }, run),
    });
    const bob = fakeExchange({ auth: caller("bob", "crm:read"), http: plainHttp });
    const refused = errorOf(await call(app, "purge", {}, bob));
    assert.deepEqual(refused.data, { scopes: ["crm:admin"] });
    assert.equal(errorOf(await call(app, "hidden", {}, bob)).code, -32602);
    assert.doesNotMatch(errorOf(await call(app, "hiden", {}, bob)).message, /Did you mean/);
    assert.equal(errorOf(await call(app, "purge", {}, fakeExchange({ http: plainHttp }))).code, -32600);
    assert.equal(runs, 0);
    const ada = fakeExchange({ auth: caller("ada", "crm:admin"), http: plainHttp });
    assert.equal(resultOf(await call(app, "purge", {}, ada)).content[0]?.text, "ran");
    assert.equal(resultOf(await call(app, "hidden", {}, ada)).content[0]?.text, "ran");
    const listed = async (exchange: ReturnType<typeof fakeExchange>): Promise<string[]> => {
      const response = await app.dispatch({ jsonrpc: "2.0", id: 1, method: "tools/list" }, exchange);
      assert.ok(response && "result" in response);
      return (response.result.tools as { name: string }[]).map(({ name }) => name);
    };
    assert.deepEqual(await listed(bob), ["purge"]);
    assert.deepEqual(await listed(ada), ["purge", "hidden"]);
    assert.deepEqual(await listed(bob), ["purge"]);
  });

  it("refuses calls past the limit and says when to try again [TOOL-027]", async () => {
    let runs = 0;
    const app = withTools(
      {
        ping: tool({}, () => {
          runs += 1;
          return "pong";
        }),
      },
      { limits: { tools: () => (runs < 2 ? { ok: true } : { ok: false, retryAfterMs: 500 }) } },
    );
    await call(app, "ping");
    await call(app, "ping");
    const third = resultOf(await call(app, "ping"));
    assert.equal(third.isError, true);
    assert.match(third.content[0]?.text ?? "", /too many calls; try again in 500 ms/);
    assert.equal(runs, 2);
  });

  it("gives the output filter the last word on every result [TOOL-028]", async () => {
    const app = withTools(
      { leak: tool({}, () => "card 4111"), fail: tool({}, () => error("card 4111")) },
      {
        filterOutput: (result, name) => ({
          ...result,
          content: [{ type: "text", text: `${name} filtered` }],
        }),
      },
    );
    assert.equal(resultOf(await call(app, "leak")).content[0]?.text, "leak filtered");
    const failed = resultOf(await call(app, "fail"));
    assert.deepEqual([failed.content[0]?.text, failed.isError], ["fail filtered", true]);
  });

  it("bounds the calls a session has open at once", async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const app = withTools({ wait: tool({}, async () => void (await held)) }, { limits: { maxConcurrentCalls: 2 } });
    const client = await RawClient.connect(app);
    const first = [client.call("wait"), client.call("wait")];
    await turn();
    const third = await client.call("wait");
    assert.equal(third.result?.isError, true);
    release();
    await Promise.all(first);
    assert.equal((await client.call("wait")).result?.isError, undefined);
  });

  it("bounds the open calls of callers without a session: of each that is identified, and of all others together", async () => {
    const gate = createDeferred();
    const app = withTools({ wait: tool({}, () => gate.promise) }, { limits: { maxConcurrentCalls: 1 } });
    const attempt = async (subject?: string): Promise<unknown> => {
      const response = await sendAlone(
        app,
        "tools/call",
        { name: "wait" },
        subject === undefined ? {} : { auth: caller(subject) },
      );
      return "result" in response && response.result.isError;
    };
    const first = [attempt("ada"), attempt("bob"), attempt()];
    assert.deepEqual([await attempt("ada"), await attempt()], [true, true]);
    gate.resolve();
    assert.deepEqual(await Promise.all(first), [undefined, undefined, undefined]);
    assert.deepEqual([await attempt("ada"), await attempt()], [undefined, undefined]);
  });
});
