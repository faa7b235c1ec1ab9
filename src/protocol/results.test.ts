import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requestMethods } from "./methods.ts";
import { checkResult } from "./results.ts";

const tool = { name: "t", inputSchema: { type: "object" } };

describe("checkResult", () => {
  it("wants results to be objects, of any method [BASE-008]", () => {
    for (const method of [...requestMethods(), "vendor/method"]) {
      assert.equal(checkResult(method, null), "result: expected an object, got null", method);
    }
  });

  it("tolerates members it does not know [BASE-021]", () => {
    const result = {
      protocolVersion: "1",
      capabilities: { novel: 1, tools: { novel: 1 } },
      serverInfo: { name: "s", version: "1", novel: 1 },
      novel: 1,
    };
    assert.equal(checkResult("initialize", result), undefined);
    assert.equal(checkResult("tools/list", { tools: [{ ...tool, novel: 1 }], novel: 1 }), undefined);
    assert.equal(checkResult("tools/call", { content: [{ type: "text", text: "a", novel: 1 }], novel: 1 }), undefined);
  });

  it("wants version, capabilities and server info of an initialize result [LIFE-003] [LIFE-004]", () => {
    const whole = { protocolVersion: "1", capabilities: {}, serverInfo: { name: "s", version: "1" } };
    for (const name of Object.keys(whole)) {
      assert.match(
        checkResult("initialize", { ...whole, [name]: undefined }) ?? "",
        new RegExp(`^result\\.${name}: expected `),
      );
    }
    assert.equal(
      checkResult("initialize", { ...whole, instructions: 5 }),
      "result.instructions: expected a string, got 5",
    );
    assert.equal(
      checkResult("initialize", { ...whole, serverInfo: { name: "s" } }),
      "result.serverInfo.version: expected a string, got nothing",
    );
  });

  it("wants a name and an object schema of every tool listed [TOOL-002] [TOOL-003]", () => {
    assert.equal(checkResult("tools/list", { tools: [tool] }), undefined);
    assert.equal(
      checkResult("tools/list", { tools: [tool, { name: "u", inputSchema: null }] }),
      "result.tools[1].inputSchema: expected an object, got null",
    );
    assert.equal(
      checkResult("tools/list", { tools: [{ name: "u", inputSchema: { type: "string" } }] }),
      'result.tools[0].inputSchema.type: expected "object", got "string"',
    );
  });

  it("wants content of a tool result, of known kinds with their members [TOOL-008] [TOOL-009] [TOOL-010]", () => {
    const content = [
      { type: "text", text: "a", annotations: { priority: 0.5, audience: ["user"] } },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource_link", uri: "a:b", name: "n" },
      { type: "resource", resource: { uri: "a:b", text: "t" } },
      { type: "resource", resource: { uri: "a:b", blob: "AAAA" } },
    ];
    assert.equal(checkResult("tools/call", { content }), undefined);
    assert.equal(
      checkResult("tools/call", { structuredContent: {} }),
      "result.content: expected an array, got nothing",
    );
    for (const block of content) {
      const [, needed = ""] = Object.keys(block);
      const { [needed as "type"]: _, ...rest } = block;
      assert.match(
        checkResult("tools/call", { content: [rest] }) ?? "",
        new RegExp(`^result\\.content\\[0\\]\\.${needed}: expected `),
      );
    }
    assert.match(
      checkResult("tools/call", { content: [{ type: "video" }] }) ?? "",
      /^result\.content\[0\]\.type: expected "text", .+ got "video"$/,
    );
  });

  it("tolerates the annotations of an embedded resource inside the resource", () => {
    const resource = { uri: "a:b", text: "t", annotations: { audience: ["user"] } };
    assert.equal(checkResult("tools/call", { content: [{ type: "resource", resource }] }), undefined);
  });

  it("wants either text or a blob of resource contents [RES-004]", () => {
    const read = (item: object) => checkResult("resources/read", { contents: [{ uri: "a:b", ...item }] });
    assert.equal(read({ text: "" }), undefined);
    assert.equal(read({ blob: "" }), undefined);
    assert.equal(read({}), "result.contents[0]: expected either text or blob, got neither");
    assert.equal(read({ text: "", blob: "" }), "result.contents[0]: expected either text or blob, got both");
    assert.equal(read({ blob: 5 }), "result.contents[0].blob: expected a string, got 5");
  });

  it("wants a URI and a name of every resource and template [RES-002] [RES-003]", () => {
    assert.equal(
      checkResult("resources/list", { resources: [{ uri: "a:b" }] }),
      "result.resources[0].name: expected a string, got nothing",
    );
    assert.equal(
      checkResult("resources/templates/list", { resourceTemplates: [{ name: "n" }] }),
      "result.resourceTemplates[0].uriTemplate: expected a string, got nothing",
    );
  });

  it("wants one content block per prompt message [PROMPT-004]", () => {
    const block = { type: "text", text: "a" };
    assert.equal(checkResult("prompts/get", { messages: [{ role: "user", content: block }] }), undefined);
    assert.equal(
      checkResult("prompts/get", { messages: [{ role: "user", content: [block] }] }),
      "result.messages[0].content: expected an object, got an array",
    );
    assert.equal(
      checkResult("prompts/get", { messages: [{ role: "system", content: block }] }),
      'result.messages[0].role: expected "user" or "assistant", got "system"',
    );
  });

  it("wants a name of every prompt and prompt argument [PROMPT-002]", () => {
    assert.equal(
      checkResult("prompts/list", { prompts: [{}] }),
      "result.prompts[0].name: expected a string, got nothing",
    );
    assert.equal(
      checkResult("prompts/list", { prompts: [{ name: "p", arguments: [{}] }] }),
      "result.prompts[0].arguments[0].name: expected a string, got nothing",
    );
  });

  it("takes completions with a total larger than what was sent [COMP-005]", () => {
    assert.equal(checkResult("completion/complete", { completion: { values: ["a"], total: 150 } }), undefined);
    assert.equal(checkResult("completion/complete", { completion: { values: ["a"] } }), undefined);
    assert.equal(
      checkResult("completion/complete", { completion: { values: [1] } }),
      "result.completion.values[0]: expected a string, got 1",
    );
  });

  it("wants role, content and model of a sampling result, with any stop reason [SAMP-012] [SAMP-013]", () => {
    const whole = { role: "assistant", content: { type: "text", text: "a" }, model: "m", stopReason: "custom_x" };
    assert.equal(checkResult("sampling/createMessage", whole), undefined);
    for (const name of ["role", "content", "model"]) {
      assert.match(
        checkResult("sampling/createMessage", { ...whole, [name]: undefined }) ?? "",
        new RegExp(`^result\\.${name}: expected `),
      );
    }
  });

  it("wants one of three actions and flat content of an elicitation result [ELIC-019] [ELIC-020]", () => {
    for (const action of ["accept", "decline", "cancel"]) {
      assert.equal(checkResult("elicitation/create", { action }), undefined);
    }
    assert.equal(
      checkResult("elicitation/create", { action: "ok" }),
      'result.action: expected "accept", "decline" or "cancel", got "ok"',
    );
    const content = { a: "x", b: 1.5, c: true, d: ["x"] };
    assert.equal(checkResult("elicitation/create", { action: "accept", content }), undefined);
    for (const value of [{}, null, [1]]) {
      assert.match(
        checkResult("elicitation/create", { action: "accept", content: { a: value } }) ?? "",
        /^result\.content\.a: expected /,
      );
    }
  });

  it("wants file URIs of roots [ROOT-002] [ROOT-003]", () => {
    assert.equal(checkResult("roots/list", { roots: [{ uri: "file:///a", name: "A", _meta: {} }] }), undefined);
    assert.equal(checkResult("roots/list", {}), "result.roots: expected an array, got nothing");
    assert.equal(
      checkResult("roots/list", { roots: [{ uri: "https://x" }] }),
      'result.roots[0].uri: expected a URI that starts with file://, got "https://x"',
    );
  });

  it("wants cursors to be strings, on every list [PAGE-001]", () => {
    assert.equal(checkResult("tools/list", { tools: [], nextCursor: "" }), undefined);
    assert.equal(
      checkResult("tools/list", { tools: [], nextCursor: 3 }),
      "result.nextCursor: expected a string, got 3",
    );
  });

  it("takes a result that asks for input where that is allowed", () => {
    const ask = { resultType: "input_required", inputRequests: { a: { method: "roots/list" } } };
    for (const method of ["tools/call", "prompts/get", "resources/read"]) {
      assert.equal(checkResult(method, ask), undefined);
    }
    assert.equal(checkResult("tools/list", ask), 'result.resultType: expected "complete", got "input_required"');
    assert.equal(
      checkResult("tools/call", { resultType: "input_required" }),
      "result: expected inputRequests or requestState, got neither",
    );
    assert.equal(
      checkResult("tools/call", { ...ask, inputRequests: { a: { method: "ping" } } }),
      'result.inputRequests.a.method: expected "sampling/createMessage", "elicitation/create" or "roots/list", got "ping"',
    );
  });

  it("lets an elicitation inside a result do without an id", () => {
    const params = { mode: "url", message: "m", url: "https://a.example" };
    const ask = { resultType: "input_required", inputRequests: { a: { method: "elicitation/create", params } } };
    assert.equal(checkResult("tools/call", ask), undefined);
  });

  it("takes a task for a tool call only, and no unknown kind of result", () => {
    const task = {
      resultType: "task",
      taskId: "1",
      status: "working",
      createdAt: "2000-01-01T00:00:00Z",
      lastUpdatedAt: "2000-01-01T00:00:00Z",
      ttlMs: null,
    };
    assert.equal(checkResult("tools/call", task), undefined);
    assert.match(checkResult("prompts/get", task) ?? "", /^result\.resultType: expected .+, got "task"$/);
    assert.equal(
      checkResult("tools/call", { content: [], resultType: "novel" }),
      'result.resultType: expected "complete", "input_required" or "task", got "novel"',
    );
  });
});
