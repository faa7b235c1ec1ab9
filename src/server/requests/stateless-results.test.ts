import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { plainHttp } from "../../../test/fixtures/exchange.ts";
import { errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { sendAlone } from "../../../test/fixtures/stateless.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { ResourceNotFoundError } from "../../protocol/errors.ts";
import type { HttpDetails } from "../../revision/exchange.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource, template } from "../features/resource.ts";
import { tool } from "../features/tool.ts";

describe("answers to requests that stand for themselves", () => {
  it("get errors with codes of their revision, and none that the protocol keeps [M-ERR-001] [M-ERR-002] [M-ERR-003] [M-ERR-005] [M-RES-001] [M-RES-004]", async () => {
    const faults: unknown[] = [];
    const server = defineServer({
      ...identity,
      onError: (error) => faults.push(error),
      prompts: {
        p: prompt({ arguments: { code: {} } }, ({ code }) => {
          throw new RpcError(Number(code), "words", { data: 5 });
        }),
      },
      resources: {
        gone: resource({ uri: "x:///gone" }, (uri) => {
          throw new ResourceNotFoundError(uri);
        }),
      },
      templates: { f: template({ uriTemplate: "file:///base/{+path}" }, ({ path }) => path) },
    });
    const codeOf = async (code: number): Promise<number> => {
      const error = errorOf(await sendAlone(server, "prompts/get", { name: "p", arguments: { code: String(code) } }));
      assert.deepEqual([error.message, error.data], ["words", 5]);
      return error.code;
    };
    for (const code of [-32_050, -32_020, -32_021, -32_022, -32_099, -32_042, -32_000, -32_019]) {
      assert.equal(await codeOf(code), -32_603, String(code));
    }
    assert.equal(faults.length, 8);
    assert.equal(await codeOf(-32_002), -32_602);
    assert.equal(await codeOf(-31_999), -31_999);
    for (const uri of ["x:///gone", "x:///none"]) {
      const error = errorOf(await sendAlone(server, "resources/read", { uri }));
      assert.deepEqual([error.code, error.data], [-32_602, { uri }]);
    }
    for (const uri of ["file:///base/../etc/passwd", "file:///base/%2e%2e/etc/passwd", "file:///base/..%2Fetc"]) {
      assert.equal(errorOf(await sendAlone(server, "resources/read", { uri })).code, -32_602, uri);
    }
  });

  it("get structured results of any JSON type with their text, checked and kept apart [M-TOOL-004] [M-TOOL-005] [M-TOOL-006] [M-JSCH-005] [M-JSCH-006]", async () => {
    const values = [null, false, 0, "", [], ["a"], { a: 1 }];
    for (const value of values) {
      const server = defineServer({
        ...identity,
        tools: { t: tool({ output: { enum: values } }, () => value as never) },
      });
      const result = resultOf(await sendAlone(server, "tools/call", { name: "t" }));
      assert.ok("structuredContent" in result);
      assert.deepEqual(result.structuredContent, value);
      assert.deepEqual(result.content, [{ type: "text", text: JSON.stringify(value) }]);
      const older = resultOf(await send(server, "tools/call", { name: "t" }));
      assert.equal("structuredContent" in older, JSON.stringify(value) === '{"a":1}');
      assert.deepEqual(older.content, result.content);
    }
    const output = {
      type: "array",
      items: { $ref: "#/$defs/n" },
      $defs: { n: { type: "number", not: { const: 3 } } },
    } as const;
    const server = defineServer({ ...identity, tools: { t: tool({ output }, () => [1, 3] as never) } });
    const { tools } = resultOf(await sendAlone(server, "tools/list")) as unknown as { tools: JsonObject[] };
    assert.deepEqual(tools[0]?.outputSchema, output);
    assert.equal(resultOf(await sendAlone(server, "tools/call", { name: "t" })).isError, true);
  });
});

describe("arguments mirrored as headers", () => {
  const input = {
    type: "object",
    properties: {
      region: { type: ["string", "null"], "x-mcp-header": "Region" },
      count: { type: "integer", "x-mcp-header": "Count" },
    },
  } as const;
  let runs = 0;
  const mirrored = defineServer({
    ...identity,
    tools: {
      t: tool({ input }, () => {
        runs += 1;
        return "";
      }),
    },
  });

  async function codeWith(args: JsonObject, headers: { readonly [name: string]: string }): Promise<number | undefined> {
    const http: HttpDetails = { ...plainHttp, header: (name) => headers[name.toLowerCase()] };
    const response = await sendAlone(mirrored, "tools/call", { name: "t", arguments: args }, { http });
    return "error" in response ? response.error.code : undefined;
  }

  it("must be the same, before the tool runs [M-HDR-020] [M-HDR-021]", async () => {
    const before = runs;
    assert.equal(await codeWith({ region: "eu" }, {}), -32_020);
    assert.equal(await codeWith({ region: "eu" }, { "mcp-param-region": "us" }), -32_020);
    assert.equal(runs, before);
    assert.equal(
      await codeWith({ region: "eu", count: 42 }, { "mcp-param-region": "eu", "mcp-param-count": "42.0" }),
      undefined,
    );
    assert.equal(runs, before + 1);
  });

  it("have none where they are null or absent [M-HDR-019]", async () => {
    assert.equal(await codeWith({ region: null }, {}), undefined);
    assert.equal(await codeWith({}, {}), undefined);
    assert.equal(await codeWith({ region: null }, { "mcp-param-region": "eu" }), -32_020);
  });

  it("are not looked at without HTTP, or in a revision without them", async () => {
    assert.ok("result" in (await sendAlone(mirrored, "tools/call", { name: "t", arguments: { region: "eu" } })));
    const older = await send(mirrored, "tools/call", { name: "t", arguments: { region: "eu" } });
    assert.ok("result" in older);
  });

  it("must be asked for by the rules, or the tool is refused at once [M-HDR-017] [M-HDR-012] [M-HDR-013] [M-HDR-014]", () => {
    const wrong = [
      { properties: { a: { type: "number", "x-mcp-header": "A" } } },
      { properties: { a: { type: "string", "x-mcp-header": "" } } },
      { properties: { a: { type: "string", "x-mcp-header": "X" }, b: { type: "string", "x-mcp-header": "x" } } },
      { properties: { a: { type: "array", items: { type: "string", "x-mcp-header": "A" } } } },
    ];
    for (const schema of wrong) {
      const define = (): unknown =>
        defineServer({ ...identity, tools: { t: tool({ input: { type: "object", ...schema } }, () => "") } });
      assert.throws(define, { code: "MCP_USAGE", message: /tool "t".*x-mcp-header/ });
    }
  });
});

describe("extensions", () => {
  it("are announced in discovery by identifiers with a prefix [M-EXT-001]", async () => {
    const extensions = { "com.example/x": {}, "io.example.deep/y": { a: 1 } };
    const server = defineServer({ ...identity, extensions });
    const { capabilities } = resultOf(await sendAlone(server, "server/discover"));
    assert.deepEqual(capabilities, { extensions });
    for (const wrong of [{ foo: {} }, { "com.example/x": true }, { "-bad/x": {} }, { "com.example/x": [] }]) {
      assert.throws(() => defineServer({ ...identity, extensions: wrong as never }), { code: "MCP_USAGE" });
    }
  });

  it("can be demanded of the client, or done without [M-EXT-002]", async () => {
    const server = defineServer({
      ...identity,
      tools: {
        t: tool({ input: z.object({}) }, (_args, { client }) => {
          return client.capabilities.extensions?.["com.example/x"] === undefined ? "plain" : "extended";
        }),
      },
    });
    const call = async (capabilities: JsonObject): Promise<unknown> =>
      resultOf(await sendAlone(server, "tools/call", { name: "t" }, { capabilities })).content[0]?.text;
    assert.equal(await call({}), "plain");
    assert.equal(await call({ extensions: { "com.example/x": {} } }), "extended");
  });
});
