import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { call, resultOf, withTools } from "../../../test/fixtures/server-calls.ts";
import { UsageError } from "../../base/error.ts";
import { checkResult } from "../../protocol/results.ts";
import { audio, embed, error, image, link, text } from "./content.ts";
import { tool } from "./tool.ts";

const add = tool(
  {
    description: "Adds",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
);

describe("tool results", () => {
  it("gives a plain value in both forms [TOOL-008] [TOOL-014] [PP-058]", async () => {
    const result = resultOf(await call(withTools({ add }), "add", { a: 1, b: 2 }));
    assert.deepEqual(result.structuredContent, { sum: 3 });
    assert.deepEqual(JSON.parse(result.content[0]?.text ?? ""), { sum: 3 });
    assert.equal(result.isError, undefined);
  });

  it("sends content of every kind as it was made [TOOL-009] [TOOL-010] [TOOL-011] [TOOL-012]", async () => {
    const bytes = new Uint8Array([0, 255, 16]);
    const annotations = { audience: ["user" as const], priority: 0.5 };
    const blocks = [
      text("hello", { annotations }),
      image(bytes, "image/png"),
      audio("AAAA", "audio/wav"),
      link({ uri: "note://elsewhere", name: "elsewhere" }),
      embed({ uri: "note://here", text: "content" }),
      embed({ uri: "note://bytes", bytes }),
    ];
    const app = withTools({ all: tool({}, () => blocks), one: tool({}, () => blocks[1]) });
    const result = resultOf(await call(app, "all"));
    assert.deepEqual(result.content, blocks);
    assert.equal(checkResult("tools/call", result), undefined);
    assert.deepEqual(result.content[1], { type: "image", data: "AP8Q", mimeType: "image/png" });
    assert.deepEqual(resultOf(await call(app, "one")).content, [blocks[1]]);
  });

  it("refuses content that may not be sent, and reports it [TOOL-009] [TOOL-010]", async () => {
    const reported: unknown[] = [];
    const app = withTools(
      { bad: tool({}, () => ({ type: "image", data: "not base64!", mimeType: "image/png" })) },
      { onError: (fault) => reported.push(fault) },
    );
    const result = resultOf(await call(app, "bad"));
    assert.equal(result.isError, true);
    assert.match(result.content[0]?.text ?? "", /base64/);
    assert.ok(reported[0] instanceof UsageError);
  });

  it("turns what a handler throws into a failed result with the message alone [TOOL-017]", async () => {
    const reported: unknown[] = [];
    const thrown = new TypeError("disk is full");
    const app = withTools(
      {
        sync: tool({}, () => {
          throw thrown;
        }),
        later: tool({}, async () => {
          throw thrown;
        }),
        said: tool({}, () => error("no such user", text("try again"))),
        saidThrown: tool({}, () => {
          throw error("no such user");
        }),
      },
      { onError: (fault) => reported.push(fault) },
    );
    const failure = { content: [{ type: "text", text: "disk is full" }], isError: true };
    assert.deepEqual(resultOf(await call(app, "sync")), failure);
    assert.deepEqual(resultOf(await call(app, "later")), failure);
    assert.deepEqual(reported, [thrown, thrown]);
    assert.deepEqual(resultOf(await call(app, "said")).content, [text("no such user"), text("try again")]);
    assert.deepEqual(resultOf(await call(app, "saidThrown")), {
      content: [{ type: "text", text: "no such user" }],
      isError: true,
    });
    assert.equal(reported.length, 2, "a tool's own error is no fault");
  });

  it("hides messages where errors are masked, but not a tool's own", async () => {
    const app = withTools(
      {
        broken: tool({}, () => {
          throw new Error("/etc/secret.key is missing");
        }),
        said: tool({}, () => error("no such user")),
      },
      { maskErrors: true },
    );
    assert.equal(resultOf(await call(app, "broken")).content[0]?.text, "broken failed");
    assert.equal(resultOf(await call(app, "said")).content[0]?.text, "no such user");
  });

  it("refuses a result that does not fit the output schema [TOOL-015] [PP-056]", async () => {
    const output = z.object({ sum: z.number() });
    const app = withTools({
      wrong: tool({ output }, () => ({ sum: "3" }) as never),
      missing: tool({ output }, () => undefined as never),
      contentOnly: tool({ output }, () => ({ content: [{ type: "text", text: "3" }] }) as never),
    });
    for (const name of ["wrong", "missing", "contentOnly"]) {
      const result = resultOf(await call(app, name));
      assert.equal(result.isError, true, name);
      assert.equal(result.structuredContent, undefined, name);
      assert.match(result.content[0]?.text ?? "", /does not fit the output schema/);
    }
  });

  it("sends what the output schema made of the value, so that it fits what was published [PP-056]", async () => {
    const output = z.object({ name: z.string(), level: z.number().default(1) });
    const app = withTools({ user: tool({ output }, () => ({ name: "ada", extra: true }) as { name: string }) });
    const result = resultOf(await call(app, "user"));
    assert.deepEqual(result.structuredContent, { name: "ada", level: 1 });
  });

  it("lets a failed result do without structured content [TOOL-015]", async () => {
    const app = withTools({ find: tool({ output: z.object({ id: z.number() }) }, () => error("nothing found")) });
    assert.deepEqual(resultOf(await call(app, "find")), {
      content: [{ type: "text", text: "nothing found" }],
      isError: true,
    });
  });

  it("sends structured content only as an object where the revision knows no other [TOOL-013]", async () => {
    const app = withTools({
      list: tool({}, () => ({ structuredContent: [1, 2], content: [] })),
      plainList: tool({}, () => [1, 2]),
    });
    assert.deepEqual(resultOf(await call(app, "list")), { content: [] });
    const plain = resultOf(await call(app, "plainList"));
    assert.equal(plain.structuredContent, undefined);
    assert.equal(plain.content[0]?.text, "[1,2]");
  });

  it("takes an object for a full result only where it has no other members", async () => {
    const app = withTools({
      page: tool({}, () => ({ content: [], total: 0 })),
      none: tool({}, () => ({ content: [] })),
    });
    assert.deepEqual(resultOf(await call(app, "page")).structuredContent, { content: [], total: 0 });
    assert.deepEqual(resultOf(await call(app, "none")), { content: [] });
  });

  it("takes a full result, and writes the text form by the tool's own function [PP-058]", async () => {
    const output = z.object({ n: z.number() });
    const app = withTools({
      full: tool({ output }, () => ({
        content: [text("one")],
        structuredContent: { n: 1 },
        _meta: { "com.example/k": 2 },
      })),
      rendered: tool({ output, render: ({ n }) => `number ${n}` }, () => ({ n: 2 })),
    });
    assert.deepEqual(resultOf(await call(app, "full")), {
      content: [text("one")],
      structuredContent: { n: 1 },
      _meta: { "com.example/k": 2 },
    });
    assert.equal(resultOf(await call(app, "rendered")).content[0]?.text, "number 2");
  });

  it("judges and sends what JSON makes of a value with a form of its own [PP-056]", async () => {
    const app = withTools({
      where: tool({}, () => new URL("http://a/")),
      when: tool({}, () => new Date(0)),
      shaped: tool({ output: { type: "object" } as const }, () => new URL("http://a/") as never),
    });
    assert.deepEqual(resultOf(await call(app, "where")), { content: [text("http://a/")] });
    assert.deepEqual(resultOf(await call(app, "when")), { content: [text("1970-01-01T00:00:00.000Z")] });
    assert.equal(resultOf(await call(app, "shaped")).isError, true);
  });

  it("tells the model what was thrown, whatever it was, and refuses results that no client could read [TOOL-017]", async () => {
    const odd = Object.assign(new Error("x"), { message: { not: "text" } as unknown as string });
    const throwing = (thrown: unknown) =>
      tool({}, () => {
        throw thrown;
      });
    const app = withTools({
      words: throwing("disk full"),
      odd: throwing(odd),
      nothing: throwing(null),
      yes: tool({}, () => ({ content: [], isError: "yes" }) as never),
      meta: tool({}, () => ({ content: [], _meta: 5 }) as never),
      // biome-ignore lint/suspicious/noThenProperty: what some libraries hand out instead of a promise
      thenable: tool({}, () => ({ then: (done: (value: string) => void) => done("late") }) as never),
    });
    const said = async (name: string): Promise<unknown> => resultOf(await call(app, name)).content[0]?.text;
    assert.deepEqual(
      [await said("words"), await said("odd"), await said("nothing"), await said("thenable")],
      ["disk full", "odd failed", "nothing failed", "late"],
    );
    assert.match(String(await said("yes")), /isError to be true or false.*got string/);
    assert.match(String(await said("meta")), /_meta to be an object.*number/);
  });
});
