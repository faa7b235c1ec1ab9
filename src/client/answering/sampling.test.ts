import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { CreateMessageRequestParams, CreateMessageResult } from "../../protocol/types/sampling.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { SamplingOptions } from "./sampling.ts";

const answer: CreateMessageResult = { role: "assistant", content: { type: "text", text: "hi" }, model: "m-1" };
const request = { messages: [{ role: "user", content: { type: "text", text: "hello" } }], maxTokens: 10 };

async function open(options: Partial<SamplingOptions> = {}) {
  const clock = createFakeClock();
  const server = new FakeServer();
  const seen: CreateMessageRequestParams[] = [];
  const createMessage = (params: CreateMessageRequestParams): CreateMessageResult => {
    seen.push(params);
    return answer;
  };
  const client = defineClient({ name: "c", version: "1", clock, sampling: { createMessage, ...options } });
  const session = await client.connect(server.channel);
  const ask = (params: object = request) => server.ask("sampling/createMessage", { ...params });
  return { clock, server, client, session, seen, ask };
}

describe("sampling", () => {
  it("announces what its options say [SAMP-001] [LIFE-018]", () => {
    const announced = (options: object): unknown =>
      defineClient({ name: "c", version: "1", sampling: { createMessage: () => answer, ...options } }).capabilities
        .sampling;
    assert.deepEqual(announced({}), {});
    assert.deepEqual(announced({ tools: true, context: true }), { tools: {}, context: {} });
    assert.equal(defineClient({ name: "c", version: "1" }).capabilities.sampling, undefined);
  });

  it("gives the handler the request and the server the result [SAMP-010] [SAMP-012]", async () => {
    const { session, seen, ask } = await open();
    assert.deepEqual((await ask()).result, answer);
    const blocks = {
      ...request,
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    };
    assert.deepEqual((await ask(blocks)).result, answer);
    assert.deepEqual(seen, [request, blocks]);
    await session.close();
  });

  it("refuses tools and toolChoice unless it announced them, without running the handler [SAMP-004]", async () => {
    const { session, seen, ask } = await open();
    const tools = [{ name: "t", inputSchema: { type: "object" } }];
    assert.equal((await ask({ ...request, tools })).error?.code, -32602);
    assert.equal((await ask({ ...request, toolChoice: { mode: "none" } })).error?.code, -32602);
    assert.deepEqual(seen, []);
    await session.close();
  });

  it("passes tools and the mode of their choice on when it announced them [SAMP-020]", async () => {
    const { session, seen, ask } = await open({ tools: true });
    const tools = [{ name: "t", inputSchema: { type: "object" } }];
    for (const mode of ["auto", "required", "none"]) {
      assert.ok((await ask({ ...request, tools, toolChoice: { mode } })).result);
    }
    assert.ok((await ask({ ...request, tools })).result);
    assert.deepEqual(
      seen.map(({ toolChoice }) => toolChoice?.mode),
      ["auto", "required", "none", undefined],
    );
    await session.close();
  });

  it("answers although it does not honour includeContext [SAMP-006]", async () => {
    const { session, seen, ask } = await open();
    assert.ok((await ask({ ...request, includeContext: "allServers" })).result);
    assert.equal(seen[0]?.includeContext, "allServers");
    await session.close();
  });

  it("refuses content that has no place in sampling, and media that is not base64 [SAMP-011] [SAMP-015] [SAMP-026]", async () => {
    const { session, seen, ask } = await open({ tools: true });
    const bad = [
      { type: "resource", resource: { uri: "a:b", text: "" } },
      { type: "resource_link", uri: "a:b", name: "n" },
      { type: "image", data: "not base64!", mimeType: "image/png" },
      { type: "tool_result", toolUseId: "1", content: "text" },
      { type: "tool_use", id: "1", name: "t", input: [] },
    ];
    for (const content of bad) {
      assert.equal(
        (await ask({ ...request, messages: [{ role: "user", content }] })).error?.code,
        -32602,
        content.type,
      );
    }
    assert.deepEqual(seen, []);
    await session.close();
  });

  it("refuses unbalanced tool uses and results [SAMP-017] [SAMP-018]", async () => {
    const { session, seen, ask } = await open({ tools: true });
    const use = { role: "assistant", content: { type: "tool_use", id: "1", name: "t", input: {} } };
    const text = { role: "user", content: { type: "text", text: "and?" } };
    const result = { type: "tool_result", toolUseId: "1", content: [] };
    for (const messages of [
      [use, text],
      [use],
      [use, { role: "user", content: [result, { type: "text", text: "x" }] }],
      [{ role: "user", content: result }],
    ]) {
      assert.equal((await ask({ ...request, messages })).error?.code, -32602);
    }
    assert.deepEqual(seen, []);
    assert.ok((await ask({ ...request, messages: [use, { role: "user", content: result }] })).result);
    await session.close();
  });

  it("does not answer with the use of a tool where nobody offered one [SAMP-003]", async () => {
    const content = { type: "tool_use", id: "1", name: "t", input: {} } as const;
    const { session, ask } = await open({ createMessage: () => ({ role: "assistant", content, model: "m" }) });
    assert.equal((await ask()).error?.code, -32603);
    await session.close();
  });

  it("keeps _meta of tool traffic in both directions [SAMP-023] [SAMP-014]", async () => {
    const content = { type: "tool_use", id: "1", name: "t", input: {}, _meta: { "com.example/k": [1] } } as const;
    const { session, seen, ask } = await open({
      tools: true,
      createMessage: (params) => {
        seen.push(params);
        return { role: "assistant", content, model: "m", stopReason: "toolUse" };
      },
    });
    const first = await ask({ ...request, tools: [{ name: "t", inputSchema: { type: "object" } }] });
    assert.deepEqual(first.result, { role: "assistant", content, model: "m", stopReason: "toolUse" });
    const messages = [
      { role: "assistant", content },
      { role: "user", content: { type: "tool_result", toolUseId: "1", content: [], _meta: { "com.example/r": 2 } } },
    ];
    await ask({ ...request, messages });
    assert.deepEqual(seen[1]?.messages, messages);
    await session.close();
  });

  it("may choose its own model, fewer tokens and any stop reason [SAMP-009] [SAMP-013]", async () => {
    const other: CreateMessageResult = { ...answer, model: "another", stopReason: "custom_x" };
    const { session, ask } = await open({ createMessage: () => other });
    assert.deepEqual((await ask({ ...request, systemPrompt: "be brief" })).result, other);
    await session.close();
  });

  it("sends no result that lacks a model [SAMP-012]", async () => {
    const { session, ask } = await open({ createMessage: () => ({ ...answer, model: undefined }) as never });
    const { error, result } = await ask();
    assert.equal(error?.code, -32603);
    assert.equal(result, undefined);
    await session.close();
  });

  it("lets a person refuse before and after the model, with -1 [SAMP-024] [SAMP-025]", async () => {
    const before = await open({ approveRequest: () => false });
    assert.equal((await before.ask()).error?.code, -1);
    assert.deepEqual(before.seen, []);
    await before.session.close();
    const after = await open({ approveResult: async () => false });
    assert.equal((await after.ask()).error?.code, -1);
    assert.equal(after.seen.length, 1);
    await after.session.close();
  });

  it("lets a person edit the request and the answer, seeing who asks [SAMP-025]", async () => {
    const askers: string[] = [];
    const { session, seen, ask } = await open({
      approveRequest: (proposed, { server }) => {
        askers.push(server.info.name);
        return { ...proposed, systemPrompt: "edited" };
      },
      approveResult: (proposed) => ({ ...proposed, content: { type: "text", text: "edited" } }),
    });
    assert.deepEqual((await ask()).result?.content, { type: "text", text: "edited" });
    assert.equal(seen[0]?.systemPrompt, "edited");
    assert.deepEqual(askers, ["fake"]);
    await session.close();
  });

  it("refuses a flood, and goes on later [SAMP-026]", async () => {
    const { clock, session, seen, ask } = await open({ rateLimit: { maxRequests: 2, perMs: 1_000 } });
    const answers = await Promise.all([ask(), ask(), ask()]);
    assert.deepEqual(
      answers.map(({ error }) => error?.code),
      [undefined, undefined, -32603],
    );
    assert.equal(seen.length, 2);
    await clock.advance(1_000);
    assert.ok((await ask()).result);
    await session.close();
  });

  it("keeps what was said out of diagnostics [SAMP-027]", async () => {
    const diagnostics: Diagnostic[] = [];
    const secret = { role: "user", content: { type: "text", text: "my password is hunter2" } };
    let failure: () => never = () => {
      throw new Error("model is down");
    };
    const server = new FakeServer();
    const session = await defineClient({
      name: "c",
      version: "1",
      onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
      sampling: { createMessage: () => failure(), rateLimit: { maxRequests: 2, perMs: 1_000_000 } },
    }).connect(server.channel);
    const ask = (params: object) => server.ask("sampling/createMessage", { ...params });
    await ask({ messages: [secret], maxTokens: 5 });
    failure = () => "nothing like a result" as never;
    await ask({ messages: [secret], maxTokens: 5 });
    await ask({ messages: [secret], maxTokens: 5 });
    await ask({ messages: [secret, 5], maxTokens: "x" });
    assert.ok(diagnostics.length >= 2);
    assert.ok(!diagnostics.some(({ message, detail }) => `${message} ${String(detail)}`.includes("hunter2")));
    await session.close();
  });
});
