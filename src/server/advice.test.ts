import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { call, resultOf, withTools } from "../../test/fixtures/server-calls.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import type { CallToolResult } from "../protocol/types/tools.ts";
import { adviseOnHints, adviseOnText } from "./advice.ts";
import { text } from "./features/content.ts";
import { tool } from "./features/tool.ts";

describe("adviseOnHints", () => {
  it("tells of a tool without a single hint, at registration [PP-070]", () => {
    const told: Diagnostic[] = [];
    const silent = tool({ annotations: { title: "Silent" } }, () => "");
    const app = withTools(
      { silent, read: tool({ annotations: { readOnlyHint: true } }, () => "") },
      {
        onAdvice: (advice) => told.push(advice),
      },
    );
    app.tools.set(
      "later",
      tool({}, () => ""),
    );
    assert.deepEqual(
      told.map(({ code, message }) => [code, /tool "\w+"/.exec(message)?.[0]]),
      [
        ["MCP_D_NO_HINTS", 'tool "silent"'],
        ["MCP_D_NO_HINTS", 'tool "later"'],
      ],
    );
  });

  it("counts a hint that is false, and not one that is undefined", () => {
    const told: Diagnostic[] = [];
    const tell = (advice: Diagnostic): unknown => told.push(advice);
    adviseOnHints(tell, "a", { openWorldHint: false });
    assert.equal(told.length, 0);
    adviseOnHints(tell, "b", { readOnlyHint: undefined } as never);
    assert.equal(told.length, 1);
  });
});

describe("adviseOnHeaders", () => {
  it("tells of arguments that look like a secret or personal data and would be headers [M-HDR-025]", () => {
    const told: string[] = [];
    const property = (name: string) => ({ type: "string", "x-mcp-header": name });
    const input = {
      type: "object",
      properties: {
        region: property("Region"),
        domain: property("Domain"),
        apiKey: property("Key"),
        mailbox: property("User-Email"),
        inner: { type: "object", properties: { accessToken: property("A") } },
        phoneNumber: property("P"),
        password: { type: "string" },
      },
    } as const;
    withTools(
      { t: tool({ input, annotations: { readOnlyHint: true } }, () => "") },
      { onAdvice: ({ code, message }) => told.push(`${code} ${/argument "([^"]+)"/.exec(message)?.[1]}`) },
    );
    assert.deepEqual(
      told.sort(),
      ["apiKey", "inner.accessToken", "mailbox", "phoneNumber"].map((name) => `MCP_D_SECRET_HEADER ${name}`),
    );
  });
});

describe("adviseOnText", () => {
  /** What is said about a result. */
  function adviceOn(result: CallToolResult): string[] {
    const codes: string[] = [];
    adviseOnText(({ code }) => codes.push(code), "t", result);
    return codes;
  }

  it("tells of a text that is JSON and contradicts the structured content [PP-058]", async () => {
    const told: Diagnostic[] = [];
    const output = z.object({ sum: z.number() });
    const app = withTools(
      {
        add: tool({ output }, () => ({
          content: [text('{"sum":4}')],
          structuredContent: { sum: 3 },
        })),
        drawn: tool({ output, render: () => '{"total":3}' }, () => ({ sum: 3 })),
        plain: tool({ output }, () => ({ sum: 3 })),
      },
      { onAdvice: (advice) => advice.code === "MCP_D_TEXT_DIFFERS" && told.push(advice) },
    );
    const result = resultOf(await call(app, "add"));
    assert.equal(result.content[0]?.text, '{"sum":4}', "the result goes out as it is");
    assert.deepEqual(result.structuredContent, { sum: 3 });
    await call(app, "drawn");
    await call(app, "plain");
    assert.deepEqual(
      told.map(({ message }) => /result of "\w+"/.exec(message)?.[0]),
      ['result of "add"', 'result of "drawn"'],
    );
    assert.deepEqual(told[0]?.detail, { text: '{"sum":4}', structuredContent: { sum: 3 } });
  });

  it("takes words, bare values, several blocks and other orders of members for no contradiction", () => {
    const structuredContent = { b: [{ d: 1, c: 2 }], a: undefined };
    const texts = ["three", "3", "null", "[1]", '{ "b": [{ "c": 2, "d": 1 }] }', "{"];
    for (const text of texts) {
      assert.deepEqual(adviceOn({ content: [{ type: "text", text }], structuredContent }), [], text);
    }
    const block = { type: "text" as const, text: '{"x":1}' };
    assert.deepEqual(adviceOn({ content: [block, block], structuredContent }), []);
    assert.deepEqual(adviceOn({ content: [block] }), []);
    assert.deepEqual(adviceOn({ content: [block], structuredContent }), ["MCP_D_TEXT_DIFFERS"]);
  });
});
