import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { caller, fakeExchange, plainHttp } from "../../../test/fixtures/exchange.ts";
import { errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { UsageError } from "../../base/error.ts";
import { checkResult } from "../../protocol/results.ts";
import { defineServer } from "../define.ts";
import { audio, embed, image, link, text } from "./content.ts";
import { assistant, prompt, user } from "./prompt.ts";

describe("prompts/list", () => {
  it("gives every prompt with its arguments in order [PROMPT-002] [ICON-002]", async () => {
    const icons = [{ src: "https://example.com/i.png" }];
    const app = defineServer({
      ...identity,
      prompts: {
        review: prompt(
          {
            title: "Review",
            description: "Reviews code",
            icons,
            arguments: {
              code: { title: "Code", description: "to be reviewed", required: true },
              style: {},
            },
          },
          () => "",
        ),
        plain: prompt({}, () => ""),
        typed: prompt(
          { arguments: z.object({ city: z.string().describe("where"), unit: z.string().optional() }) },
          () => "",
        ),
      },
    });
    const result = resultOf(await send(app, "prompts/list"));
    assert.equal(checkResult("prompts/list", result), undefined);
    assert.deepEqual(result.prompts, [
      {
        name: "review",
        title: "Review",
        description: "Reviews code",
        icons,
        arguments: [{ name: "code", title: "Code", description: "to be reviewed", required: true }, { name: "style" }],
      },
      { name: "plain" },
      {
        name: "typed",
        arguments: [
          { name: "city", description: "where", required: true },
          { name: "unit", required: false },
        ],
      },
    ]);
  });
});

describe("prompts/get", () => {
  it("makes messages of text, content and messages [PROMPT-004] [PROMPT-005]", async () => {
    const annotations = { audience: ["assistant" as const] };
    const blocks = [
      text("a", { annotations }),
      image("AAAA", "image/png"),
      audio(new Uint8Array(3), "audio/wav"),
      link({ uri: "note://x", name: "x" }),
      embed({ uri: "note://x", mimeType: "text/plain", text: "x" }),
    ];
    const app = defineServer({
      ...identity,
      prompts: {
        plain: prompt({ arguments: { who: { required: true } } }, ({ who }) => `Hello ${who}`),
        all: prompt({}, () => blocks),
        talk: prompt({}, () => [user("hi"), assistant(text("hello")), "bye"]),
        full: prompt({}, () => ({ description: "made", messages: [user("x")] })),
      },
    });
    const get = async (name: string, args?: object): Promise<unknown> => {
      const result = resultOf(await send(app, "prompts/get", { name, ...(args && { arguments: args }) }));
      assert.equal(checkResult("prompts/get", result), undefined);
      return result.messages;
    };
    assert.deepEqual(await get("plain", { who: "Ada" }), [{ role: "user", content: text("Hello Ada") }]);
    assert.deepEqual(
      await get("all"),
      blocks.map((content) => ({ role: "user", content })),
    );
    assert.deepEqual(await get("talk"), [user("hi"), assistant("hello"), user("bye")]);
    assert.equal(resultOf(await send(app, "prompts/get", { name: "full" })).description, "made");
  });

  it("refuses messages that may not be sent [PROMPT-004] [PROMPT-006] [PROMPT-007]", async () => {
    const bad: [string, unknown][] = [
      ["content list", [{ role: "user", content: [text("a")] }]],
      ["role", [{ role: "system", content: text("a") }]],
      ["base64", { type: "image", data: "?", mimeType: "image/png" }],
      ["mime type", { type: "audio", data: "AAAA", mimeType: "" }],
      ["no uri", { type: "resource", resource: { text: "a" } }],
      ["text and blob", { type: "resource", resource: { uri: "note://a", text: "a", blob: "AAAA" } }],
    ];
    for (const [name, value] of bad) {
      const reported: unknown[] = [];
      const app = defineServer({
        ...identity,
        prompts: { p: prompt({}, () => value as never) },
        onError: (error) => reported.push(error),
      });
      assert.equal(errorOf(await send(app, "prompts/get", { name: "p" })).code, -32603, name);
      assert.ok(reported[0] instanceof UsageError, name);
    }
  });

  it("refuses unknown prompts and arguments, missing ones and values that are no text [PROMPT-003] [PROMPT-009] [PROMPT-010]", async () => {
    let runs = 0;
    const fill = (): string => {
      runs += 1;
      return "";
    };
    const app = defineServer({
      ...identity,
      prompts: {
        greet: prompt({ arguments: { name: { required: true }, tone: {} } }, fill),
        typed: prompt({ arguments: z.object({ level: z.enum(["low", "high"]) }) }, fill),
      },
    });
    const refused: [object, RegExp][] = [
      [{ name: "gret" }, /no prompt "gret"\. Did you mean "greet"\?/],
      [{ name: "greet" }, /needs the argument "name"/],
      [{ name: "greet", arguments: { name: "a", tome: "x" } }, /no argument "tome"\. Did you mean "tone"\?/],
      [{ name: "greet", arguments: { name: 5 } }, /arguments\.name: expected a string/],
      [{ name: "typed", arguments: { level: "medium" } }, /level/],
      [{}, /params\.name/],
    ];
    for (const [params, pattern] of refused) {
      const { code, message } = errorOf(await send(app, "prompts/get", params));
      assert.equal(code, -32602);
      assert.match(message, pattern);
    }
    assert.equal(runs, 0);
  });

  it("does not exist for a caller it does not allow, and names a scope that lacks", async () => {
    const app = defineServer({
      ...identity,
      prompts: {
        hidden: prompt({ allow: () => false }, () => "secret"),
        scoped: prompt({ scopes: ["a"] }, () => "secret"),
      },
    });
    const exchange = fakeExchange({ auth: caller("bob"), http: plainHttp });
    assert.equal(errorOf(await send(app, "prompts/get", { name: "hidden" }, exchange)).code, -32602);
    assert.deepEqual(errorOf(await send(app, "prompts/get", { name: "scoped" }, exchange)).data, { scopes: ["a"] });
    assert.deepEqual(
      (resultOf(await send(app, "prompts/list", {}, exchange)).prompts as { name: string }[]).map((p) => p.name),
      ["scoped"],
    );
  });
});

describe("prompt registration", () => {
  it("refuses what cannot be served, naming the prompt [PROMPT-002]", () => {
    const bad = [{ complete: { nobody: [] } }, { icons: [{} as never] }, { arguments: { type: "string" } as never }];
    for (const options of bad) {
      assert.throws(
        () => defineServer({ ...identity, prompts: { mine: prompt(options, () => "") } }),
        (fault) => fault instanceof UsageError && fault.message.includes('prompt "mine"'),
      );
    }
    assert.throws(() => defineServer({ ...identity, prompts: { "": prompt({}, () => "") } }), UsageError);
  });
});
