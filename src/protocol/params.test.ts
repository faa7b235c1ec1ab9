import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { requestMethods } from "./methods.ts";
import { checkParams } from "./params.ts";

const message = { role: "user", content: { type: "text", text: "hi" } };

function sampling(extra: object): string | undefined {
  return checkParams("sampling/createMessage", { messages: [message], maxTokens: 10, ...extra });
}

function withContent(content: unknown): string | undefined {
  return sampling({ messages: [{ role: "user", content }] });
}

describe("checkParams", () => {
  it("wants params to be an object, of any method [BASE-020]", () => {
    for (const method of [...requestMethods(), "vendor/method"]) {
      assert.equal(checkParams(method, []), "params: expected an object, got an array", method);
      assert.equal(checkParams(method, "x"), 'params: expected an object, got "x"', method);
    }
  });

  it("lets params be absent where nothing is required", () => {
    assert.equal(checkParams("tools/list", undefined), undefined);
    assert.equal(checkParams("ping", undefined), undefined);
    assert.equal(checkParams("roots/list", undefined), undefined);
    assert.equal(checkParams("vendor/method", undefined), undefined);
    assert.equal(checkParams("tools/call", undefined), "params: expected an object, got nothing");
  });

  it("takes a progress token that is a string or an integer, and no other [PROG-001]", () => {
    for (const method of ["tools/list", "tools/call", "vendor/method"]) {
      const check = (progressToken: unknown) => checkParams(method, { name: "a", _meta: { progressToken } });
      assert.equal(check("t"), undefined);
      assert.equal(check(7), undefined);
      assert.equal(check(1.5), "params._meta.progressToken: expected a string or an integer, got 1.5");
      assert.equal(check({}), "params._meta.progressToken: expected a string or an integer, got an object");
    }
  });

  it("wants version, capabilities and client name and version to initialize [LIFE-002] [LIFE-003]", () => {
    const whole = {
      protocolVersion: "1",
      capabilities: {},
      clientInfo: { name: "c", version: "1", title: "C", websiteUrl: "https://c.example", icons: [{ src: "data:," }] },
    };
    assert.equal(checkParams("initialize", whole), undefined);
    for (const name of Object.keys(whole)) {
      assert.match(
        checkParams("initialize", { ...whole, [name]: undefined }) ?? "",
        new RegExp(`^params\\.${name}: expected `),
      );
    }
    assert.equal(
      checkParams("initialize", { ...whole, clientInfo: { name: "c" } }),
      "params.clientInfo.version: expected a string, got nothing",
    );
  });

  it("wants a string name and object arguments to call a tool [TOOL-007]", () => {
    assert.equal(checkParams("tools/call", { name: "add" }), undefined);
    assert.equal(checkParams("tools/call", { name: "add", arguments: { a: [1] } }), undefined);
    assert.equal(checkParams("tools/call", { name: 5 }), "params.name: expected a string, got 5");
    assert.equal(
      checkParams("tools/call", { name: "add", arguments: [] }),
      "params.arguments: expected an object, got an array",
    );
  });

  it("wants string values as arguments of a prompt [PROMPT-003]", () => {
    assert.equal(checkParams("prompts/get", { name: "p", arguments: { a: "1" } }), undefined);
    assert.equal(
      checkParams("prompts/get", { name: "p", arguments: { a: 1 } }),
      "params.arguments.a: expected a string, got 1",
    );
    assert.equal(checkParams("prompts/get", {}), "params.name: expected a string, got nothing");
  });

  it("knows two kinds of completion reference [COMP-002]", () => {
    const argument = { name: "a", value: "v" };
    assert.equal(checkParams("completion/complete", { ref: { type: "ref/prompt", name: "p" }, argument }), undefined);
    assert.equal(
      checkParams("completion/complete", { ref: { type: "ref/resource", uri: "file:///{x}" }, argument }),
      undefined,
    );
    assert.equal(
      checkParams("completion/complete", { ref: { type: "ref/tool", name: "t" }, argument }),
      'params.ref.type: expected "ref/prompt" or "ref/resource", got "ref/tool"',
    );
    assert.equal(
      checkParams("completion/complete", { ref: { type: "ref/prompt" }, argument }),
      "params.ref.name: expected a string, got nothing",
    );
  });

  it("wants string values to complete [COMP-008]", () => {
    const ref = { type: "ref/prompt", name: "p" };
    assert.equal(
      checkParams("completion/complete", { ref, argument: { name: "a", value: 1 } }),
      "params.argument.value: expected a string, got 1",
    );
    assert.equal(
      checkParams("completion/complete", { ref, argument: { name: "a", value: "" }, context: { arguments: { b: 1 } } }),
      "params.context.arguments.b: expected a string, got 1",
    );
  });

  it("knows eight log levels [LOG-003] [LOG-007]", () => {
    const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
    assert.ok(levels.every((level) => checkParams("logging/setLevel", { level }) === undefined));
    for (const level of ["warn", "verbose", 3, undefined]) {
      assert.match(checkParams("logging/setLevel", { level }) ?? "", /^params\.level: expected "debug", .+ got /);
    }
  });

  it("takes any JSON value as log data, null included [LOG-002]", () => {
    for (const data of [null, "x", 0, { a: 1 }]) {
      assert.equal(checkParams("notifications/message", { level: "info", data }), undefined);
    }
    assert.equal(checkParams("notifications/message", { level: "info" }), "params.data: expected a value, got nothing");
    assert.equal(
      checkParams("notifications/message", { level: "info", data: 1, logger: 5 }),
      "params.logger: expected a string, got 5",
    );
  });

  it("wants messages and an integer token limit to sample [SAMP-007]", () => {
    assert.equal(sampling({}), undefined);
    assert.equal(sampling({ maxTokens: undefined }), "params.maxTokens: expected an integer, got nothing");
    assert.equal(sampling({ maxTokens: 1.5 }), "params.maxTokens: expected an integer, got 1.5");
    assert.equal(sampling({ messages: "hi" }), 'params.messages: expected an array, got "hi"');
  });

  it("takes one block or a list of blocks from a user or an assistant [SAMP-010]", () => {
    assert.equal(withContent({ type: "text", text: "a" }), undefined);
    assert.equal(withContent([{ type: "text", text: "a" }]), undefined);
    assert.equal(withContent("a"), 'params.messages[0].content: expected an object, got "a"');
    assert.equal(
      sampling({ messages: [{ ...message, role: "system" }] }),
      'params.messages[0].role: expected "user" or "assistant", got "system"',
    );
  });

  it("keeps resources out of sampling messages [SAMP-011]", () => {
    const allowed = [
      { type: "text", text: "" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "tool_use", id: "1", name: "t", input: {} },
      { type: "tool_result", toolUseId: "1", content: [] },
    ];
    assert.equal(withContent(allowed), undefined);
    for (const type of ["resource", "resource_link", "video"]) {
      assert.match(withContent({ type }) ?? "", /content\.type: expected "text", .+, got /);
    }
  });

  it("wants object input of a tool use and a list as content of a tool result [SAMP-014] [SAMP-015]", () => {
    assert.equal(
      withContent({ type: "tool_use", id: "1", name: "t", input: "{}" }),
      'params.messages[0].content.input: expected an object, got "{}"',
    );
    assert.equal(
      withContent({ type: "tool_result", toolUseId: "1", content: "done" }),
      'params.messages[0].content.content: expected an array, got "done"',
    );
  });

  it("refuses invalid base64 in sampling messages", () => {
    assert.match(
      withContent({ type: "image", data: "@@", mimeType: "image/png" }) ?? "",
      /content\.data: expected base64/,
    );
  });

  it("keeps priorities within 0 and 1 [SAMP-031]", () => {
    for (const name of ["costPriority", "speedPriority", "intelligencePriority"]) {
      assert.equal(sampling({ modelPreferences: { [name]: 1 } }), undefined);
      assert.equal(
        sampling({ modelPreferences: { [name]: 1.5 } }),
        `params.modelPreferences.${name}: expected a number from 0 to 1, got 1.5`,
      );
    }
  });

  it("takes an elicitation without mode as a form, which has a message and a schema [ELIC-004] [ELIC-006]", () => {
    const requestedSchema = { type: "object", properties: { a: { type: "string" } } };
    assert.equal(checkParams("elicitation/create", { message: "m", requestedSchema }), undefined);
    assert.equal(
      checkParams("elicitation/create", { requestedSchema }),
      "params.message: expected a string, got nothing",
    );
    assert.equal(
      checkParams("elicitation/create", { message: "m", requestedSchema: { type: "array", items: {} } }),
      'params.requestedSchema.type: expected "object", got "array"',
    );
    assert.equal(
      checkParams("elicitation/create", { message: "m", mode: "voice" }),
      'params.mode: expected "form" or "url", got "voice"',
    );
  });

  it("wants an id and a valid URL to elicit by URL, and leaves the id alone [ELIC-017] [ELIC-018]", () => {
    const whole = { mode: "url", message: "m", url: "https://a.example", elicitationId: " odd\u0000/id " };
    assert.equal(checkParams("elicitation/create", whole), undefined);
    assert.equal(
      checkParams("elicitation/create", { ...whole, url: "not a url" }),
      'params.url: expected a URL, got "not a url"',
    );
    assert.equal(
      checkParams("elicitation/create", { ...whole, elicitationId: undefined }),
      "params.elicitationId: expected a string, got nothing",
    );
  });

  it("wants a URI to read, subscribe and unsubscribe [RES-004] [RES-008]", () => {
    for (const method of ["resources/read", "resources/subscribe", "resources/unsubscribe"]) {
      assert.equal(checkParams(method, { uri: "a:b" }), undefined);
      assert.equal(checkParams(method, {}), "params.uri: expected a string, got nothing");
    }
  });

  it("wants cursors to be strings, on every list [PAGE-001]", () => {
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list", "tasks/list"]) {
      assert.equal(checkParams(method, { cursor: "" }), undefined);
      assert.equal(checkParams(method, { cursor: 3 }), "params.cursor: expected a string, got 3");
    }
  });

  it("checks progress and cancellation", () => {
    assert.equal(checkParams("notifications/progress", { progressToken: 1, progress: 0.5, total: 1 }), undefined);
    assert.equal(
      checkParams("notifications/progress", { progressToken: 1 }),
      "params.progress: expected a number, got nothing",
    );
    assert.equal(
      checkParams("notifications/cancelled", { requestId: null }),
      "params.requestId: expected a string or an integer, got null",
    );
  });

  it("checks requests about tasks and listening", () => {
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      assert.equal(checkParams(method, { taskId: 1 }), "params.taskId: expected a string, got 1");
    }
    assert.equal(
      checkParams("subscriptions/listen", { notifications: { resourceSubscriptions: "a:b" } }),
      'params.notifications.resourceSubscriptions: expected an array, got "a:b"',
    );
    assert.equal(
      checkParams("tasks/update", { taskId: "1", inputResponses: { a: 1 } }),
      "params.inputResponses.a: expected an object, got 1",
    );
  });
});
