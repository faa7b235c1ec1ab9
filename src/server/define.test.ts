import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { identity, resultOf, send } from "../../test/fixtures/server-calls.ts";
import { defineServer, withContext } from "./define.ts";
import { text } from "./features/content.ts";

describe("withContext", () => {
  it("gives every kind of handler, completer and rule the value of the request [PP-067] [PP-083]", async () => {
    const { tool, resource, template, prompt } = withContext<{ user: string }>();
    const app = defineServer({
      ...identity,
      context: () => ({ user: "ada" }),
      tools: { t: tool({ allow: (ctx) => ctx.value.user === "ada" }, (_args, ctx) => ctx.value.user) },
      resources: { r: resource({ uri: "r://x" }, (_uri, ctx) => ctx.value.user) },
      templates: {
        v: template(
          {
            uriTemplate: "v://{id}",
            list: (ctx) => [{ uri: `v://${ctx.value.user}`, name: "mine" }],
            complete: { id: (_typed, { ctx }) => [ctx.value.user] },
          },
          ({ id }, ctx) => `${id} ${ctx.value.user}`,
        ),
      },
      prompts: {
        p: prompt(
          { arguments: { a: {} }, complete: { a: (_typed, { ctx }) => [ctx.value.user] } },
          (_args, ctx) => ctx.value.user,
        ),
      },
    });
    const readOf = async (uri: string): Promise<unknown> =>
      resultOf(await send(app, "resources/read", { uri })).contents;
    assert.deepEqual(resultOf(await send(app, "tools/call", { name: "t" })).content, [text("ada")]);
    assert.deepEqual(await readOf("r://x"), [{ uri: "r://x", text: "ada" }]);
    assert.deepEqual(await readOf("v://1"), [{ uri: "v://1", text: "1 ada" }]);
    assert.match(JSON.stringify(resultOf(await send(app, "resources/list"))), /v:\/\/ada/);
    assert.match(JSON.stringify(resultOf(await send(app, "prompts/get", { name: "p" }))), /"text":"ada"/);
    for (const [ref, name] of [
      [{ type: "ref/prompt", name: "p" }, "a"],
      [{ type: "ref/resource", uri: "v://{id}" }, "id"],
    ]) {
      const params = { ref, argument: { name, value: "" } };
      const { completion } = resultOf(await send(app, "completion/complete", params));
      assert.deepEqual((completion as { values: string[] }).values, ["ada"]);
    }
  });
});
