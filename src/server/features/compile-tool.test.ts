import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type } from "arktype";
import { z } from "zod";
import { call, errorOf, resultOf, send, withTools } from "../../../test/fixtures/server-calls.ts";
import { UsageError } from "../../base/error.ts";
import { tool } from "./tool.ts";

const add = tool(
  {
    description: "Adds",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({ sum: a + b }),
);

describe("tool arguments", () => {
  it("tells the model what is wrong with arguments and does not run the handler [TOOL-018] [TOOL-025] [PP-059]", async () => {
    let runs = 0;
    const app = withTools({
      add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, () => {
        runs += 1;
        return "";
      }),
    });
    const result = resultOf(await call(app, "add", { a: "x", c: 1 }));
    assert.equal(result.isError, true);
    assert.equal(result.content[0]?.text, 'add: a must be a number (got "x"); b is missing; "c" is not known (a, b)');
    assert.equal(runs, 0);
  });

  it("names the nearest argument for a misspelt one [PP-059]", async () => {
    const app = withTools({ paint: tool({ input: z.object({ colour: z.string() }) }, ({ colour }) => colour) });
    const result = resultOf(await call(app, "paint", { color: "red" }));
    assert.match(result.content[0]?.text ?? "", /"color".*colour/);
  });

  it("lets unknown arguments through where the tool is open [PP-059]", async () => {
    const app = withTools({
      any: tool({ input: { type: "object", properties: { a: { type: "number" } } }, open: true }, (args) => ({ args })),
    });
    const result = resultOf(await call(app, "any", { a: 1, b: 2 }));
    assert.deepEqual(result.structuredContent, { args: { a: 1, b: 2 } });
  });

  it("refuses arguments that are no object as bad params [TOOL-007] [BASE-017]", async () => {
    assert.equal(errorOf(await call(withTools({ add }), "add", [1, 2])).code, -32602);
  });

  it("takes schemas of several libraries side by side, and JSON Schema [PP-050]", async () => {
    const app = withTools({
      zod: tool({ input: z.object({ n: z.coerce.number() }) }, ({ n }) => n + 1),
      ark: tool({ input: type({ n: "number" }) }, ({ n }) => n + 1),
      json: tool({ input: { type: "object", properties: { n: { type: "number", default: 4 } } } }, ({ n }) => n + 1),
    });
    assert.equal(resultOf(await call(app, "ark", { n: 1 })).content[0]?.text, "2");
    assert.equal(resultOf(await call(app, "json", {})).content[0]?.text, "5");
    assert.equal(resultOf(await call(app, "ark", { n: "1" })).isError, true);
  });

  it("checks each tool by its own schema, also where two carry the same identifier [PP-016]", async () => {
    const $id = "https://example.com/args";
    const app = withTools({
      text: tool({ input: { $id, type: "object", properties: { v: { type: "string" } } } }, () => "text"),
      number: tool({ input: { $id, type: "object", properties: { v: { type: "number" } } } }, () => "number"),
    });
    assert.equal(resultOf(await call(app, "text", { v: "a" })).isError, undefined);
    assert.equal(resultOf(await call(app, "number", { v: 1 })).isError, undefined);
    assert.equal(resultOf(await call(app, "text", { v: 1 })).isError, true);
    assert.equal(resultOf(await call(app, "number", { v: "a" })).isError, true);
  });
});

describe("tool registration", () => {
  const refuse = (name: string, definition: unknown, pattern: RegExp): void => {
    assert.throws(
      () => withTools({ [name]: definition as never }),
      (fault) => {
        assert.ok(fault instanceof UsageError);
        assert.match(fault.message, pattern);
        assert.ok(fault.message.includes(JSON.stringify(name)), `${fault.message} names the tool`);
        return true;
      },
    );
  };

  it("refuses improper names at once [TOOL-021]", () => {
    for (const name of ["", "a b", "a,b", "é", "x".repeat(129)]) {
      assert.throws(() => withTools({ [name]: tool({}, () => "") }), UsageError);
    }
    withTools({ "admin.tools.list": tool({}, () => ""), [`${"x".repeat(128)}`]: tool({}, () => "") });
  });

  it("refuses what its maker did not make, and a tool without a function", () => {
    refuse("bare", () => "", /expected what tool\(\.\.\.\) returns, got a function/);
    refuse("none", undefined, /got nothing/);
    refuse("nothing", tool({}, undefined as never), /expected a function as handler/);
  });

  it("refuses unusable schemas, naming tool and reason [TOOL-003] [JSCH-005] [PP-050] [PP-055]", () => {
    refuse(
      "a",
      tool({ input: { type: "string" } }, () => ""),
      /input: .*object/,
    );
    refuse(
      "b",
      tool({ input: { type: "objekt" } }, () => ""),
      /input: .*objekt/,
    );
    refuse(
      "c",
      tool({ input: null as never }, () => ""),
      /got null/,
    );
    refuse(
      "d",
      tool({ input: z.object({ f: z.custom<() => void>() }) }, () => ""),
      /input: .*f/,
    );
  });

  it("refuses a dialect it does not know, by name [JSCH-004]", () => {
    const input = { $schema: "https://example.com/x", type: "object" };
    refuse(
      "e",
      tool({ input }, () => ""),
      /https:\/\/example\.com\/x/,
    );
  });

  it("lists a declared older dialect intact [JSCH-002]", async () => {
    const $schema = "http://json-schema.org/draft-07/schema#";
    const app = withTools({ old: tool({ input: { $schema, type: "object" } }, () => "") });
    const { tools } = resultOf(await send(app, "tools/list"));
    assert.equal((tools as { inputSchema: { $schema?: string } }[])[0]?.inputSchema.$schema, $schema);
  });

  it("checks by the dialect a schema declares, by 2020-12 where it declares none [JSCH-001] [JSCH-003]", async () => {
    const pair = { type: "array", items: [{ type: "number" }, { type: "string" }] };
    const draft7 = { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { pair } };
    const current = {
      type: "object",
      properties: { pair: { type: "array", prefixItems: pair.items, items: false }, name: { $ref: "#/$defs/name" } },
      $defs: { name: { type: "string" } },
    };
    const app = withTools({ old: tool({ input: draft7 }, () => ""), now: tool({ input: current }, () => "") });
    const isRefused = async (name: string, args: object): Promise<boolean> =>
      resultOf(await call(app, name, args)).isError === true;
    for (const name of ["old", "now"]) {
      assert.equal(await isRefused(name, { pair: [1, "a"] }), false);
      assert.equal(await isRefused(name, { pair: ["a", 1] }), true);
    }
    assert.equal(await isRefused("old", { pair: [1, "a", 2] }), false);
    assert.equal(await isRefused("now", { pair: [1, "a", 2] }), true);
    assert.equal(await isRefused("now", { name: 5 }), true);
    assert.throws(() => withTools({ mixed: tool({ input: { ...draft7, $schema: undefined } }, () => "") }), UsageError);
  });

  it("shows no schema of a list to clients whose revision has objects only [TOOL-005]", async () => {
    const app = withTools({ f: tool({ output: z.array(z.string()) }, () => []) });
    const { tools } = resultOf(await send(app, "tools/list")) as unknown as { tools: object[] };
    assert.deepEqual(Object.keys(tools[0] ?? {}), ["name", "inputSchema"]);
  });

  it("refuses hints that contradict each other [PP-070]", () => {
    refuse(
      "g",
      tool({ annotations: { readOnlyHint: true, destructiveHint: true } as never }, () => ""),
      /drop one/,
    );
    refuse(
      "h",
      tool({ annotations: { readOnlyHint: true, idempotentHint: false } as never }, () => ""),
      /drop one/,
    );
  });

  it("refuses bad icons and claimed metadata keys [ICON-001] [META-004]", () => {
    refuse(
      "i",
      tool({ icons: [{ src: "https://a.b/c", theme: "blue" as never }] }, () => ""),
      /icons\[0\]/,
    );
    refuse(
      "j",
      tool({ icons: [{} as never] }, () => ""),
      /icons\[0\]/,
    );
    refuse(
      "k",
      tool({ meta: { "io.modelcontextprotocol/x": 1 } }, () => ""),
      /reserved/,
    );
    refuse(
      "l",
      tool({ meta: { "a..b/x": 1 } }, () => ""),
      /_meta key/,
    );
  });

  it("refuses a second tool of the same name, says where both are, and replaces one by set [TOOL-022]", () => {
    const app = withTools({});
    app.tools.add("add", add);
    assert.throws(
      () => app.tools.add("add", add),
      /tool "add" is defined twice: first .*compile-tool\.test\.ts:\d+ second .*compile-tool\.test\.ts:\d+/,
    );
    app.tools.set(
      "add",
      tool({}, () => "other"),
    );
    assert.equal(app.tools.size, 1);
  });

  it("leaves the others usable when one is refused [PP-055]", async () => {
    const app = withTools({ add });
    assert.throws(
      () =>
        app.tools.set(
          "bad",
          tool({ input: { type: "string" } }, () => ""),
        ),
      UsageError,
    );
    assert.equal(resultOf(await call(app, "add", { a: 1, b: 1 })).isError, undefined);
    assert.equal(app.tools.size, 1);
  });
});
