import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { metaOf } from "../../../test/fixtures/fake-session.ts";
import { form } from "../../../test/fixtures/question-rounds.ts";
import { extensionTask } from "../../../test/fixtures/task-holder.ts";
import { openTaskSession } from "../../../test/fixtures/task-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { envelopeKeys } from "../../protocol/envelope.ts";
import type { ClientOptions } from "../options.ts";
import type { CallRecord } from "../tools/call-policy.ts";

const done = { content: [{ type: "text", text: "done" }] };
const working = extensionTask("working");
const completed = extensionTask("completed", { result: done });
const created = extensionTask("working", { resultType: "task" });

describe("a call that a server makes a task of", () => {
  it("simply takes longer, like any other call [X-TASK-011] [X-TASK-042] [PP-115]", async () => {
    const { session, server, clock } = await openTaskSession({}, working, completed);
    const replies = [done, created, done, created];
    server.answers.set("tools/call", () => replies.shift());
    for (const expected of [0, 2, 2, 3]) {
      const result = session.callTool("t", { x: 1 });
      await turn();
      await clock.advance(1_000);
      assert.deepEqual(await result, done);
      assert.equal(server.paramsOf("tasks/get").length, expected);
    }
    await session.close();
  });

  it("is the same for tools as functions and for requests of any kind [X-TASK-011]", async () => {
    const { session, clock } = await openTaskSession(
      {},
      extensionTask("completed", { result: { ...done, structuredContent: { n: 1 } } }),
    );
    const tools = session.tools as unknown as { add(args: JsonObject): Promise<unknown> };
    const value = tools.add({ a: 1 });
    const raw = session.request("tools/call", { name: "t" });
    const batch = Promise.all([value, raw]);
    await turn();
    await clock.advance(500);
    const [structured, result] = await batch;
    assert.deepEqual(structured, { n: 1 });
    assert.deepEqual(result.content, done.content);
    await session.close();
  });

  it("declares with every request that it may become one, those about it included [X-TASK-001] [M-BASE-007]", async () => {
    const { session, server, clock } = await openTaskSession(
      {},
      extensionTask("input_required", { inputRequests: { a: form } }),
    );
    const controller = new AbortController();
    const failed = assert.rejects(session.callTool("t", {}, { signal: controller.signal, task: undefined }));
    await turn();
    await clock.advance(500);
    await turn();
    controller.abort();
    await failed;
    await turn();
    const methods = ["tools/call", "tasks/get", "tasks/cancel"];
    for (const method of methods) {
      const [params] = server.paramsOf(method);
      const declared = metaOf(params)[envelopeKeys.clientCapabilities] as JsonObject;
      assert.deepEqual(declared, { extensions: { "io.modelcontextprotocol/tasks": {} } }, method);
    }
    await session.close();
  });

  it("is none for clients that switch that off, and none for other methods [X-TASK-012] [X-TASK-010]", async () => {
    const { session, server } = await openTaskSession({}, completed);
    server.answers.set("prompts/get", () => created);
    await assert.rejects(session.getPrompt("p"), { code: "MCP_PEER", message: /resultType/ });
    await session.close();
    const off = await openTaskSession({ tasks: false }, completed);
    await assert.rejects(off.session.callTool("t"), { code: "MCP_PEER" });
    const [params] = off.server.paramsOf("tools/call");
    assert.deepEqual(metaOf(params)[envelopeKeys.clientCapabilities], {});
    await assert.rejects(off.session.request("tasks/get", { taskId: "t1" }), { code: "MCP_MISSING_CAPABILITY" });
    await off.session.close();
  });

  it("is cancelled by tasks/cancel when it is given up, and never by a notification [X-TASK-032] [X-TASK-033] [CANCEL-004]", async () => {
    const { session, server, clock } = await openTaskSession({}, working);
    const controller = new AbortController();
    const reason = new Error("enough");
    const failed = assert.rejects(
      session.callTool("t", {}, { signal: controller.signal }),
      (error) => error === reason,
    );
    await turn();
    await clock.advance(700);
    await turn();
    controller.abort(reason);
    await failed;
    await turn();
    assert.deepEqual(
      server.paramsOf("tasks/cancel").map(({ taskId }) => taskId),
      ["t1"],
    );
    await clock.advance(60_000);
    assert.equal(server.paramsOf("tasks/get").length, 1);
    assert.ok(!server.methods.includes("notifications/cancelled"));
    await session.close();
  });

  it("tells whoever is responsible when a task that was given up could not be cancelled", async () => {
    const { session, server, clock, codes } = await openTaskSession({}, working);
    server.answers.set("tasks/cancel", () => {
      throw new RpcError(-32603, "not now");
    });
    const failed = assert.rejects(session.callTool("t", {}, { totalTimeoutMs: 600 }), {
      code: "MCP_TIMEOUT",
      limit: "total",
    });
    await turn();
    await clock.advance(600);
    await failed;
    await turn();
    assert.deepEqual(codes(), ["MCP_D_TASK_UNCANCELLED"]);
    await session.close();
  });

  it("may take any time in silence, but no longer altogether than it is given", async () => {
    const { session, server, clock } = await openTaskSession({}, extensionTask("working", { pollIntervalMs: 50_000 }));
    const limits = { idleTimeoutMs: 1_000, totalTimeoutMs: 600_000 };
    const failed = assert.rejects(session.callTool("t", {}, limits), {
      code: "MCP_TIMEOUT",
      limit: "total",
      timeoutMs: 600_000,
    });
    await turn();
    for (let passed = 0; passed < 600_000; passed += 50_000) {
      await clock.advance(50_000);
      await turn();
    }
    await failed;
    await turn();
    assert.equal(server.paramsOf("tasks/cancel").length, 1);
    await session.close();
  });

  it("counts no time while a person is asked for it, and answers by the handlers of direct questions [X-TASK-026] [X-TASK-027]", async () => {
    const asks = extensionTask("input_required", { inputRequests: { who: form } });
    const seen: string[] = [];
    let accept = (): void => undefined;
    const elicitation: ClientOptions["elicitation"] = {
      form: ({ message }) => {
        seen.push(message);
        return new Promise((resolve) => {
          accept = () => resolve({ action: "accept", content: { name: "Ann" } });
        });
      },
    };
    const { session, server, clock } = await openTaskSession({ elicitation }, asks);
    const result = session.callTool("t", {}, { totalTimeoutMs: 2_000 });
    await turn();
    for (let step = 0; step < 20; step += 1) {
      await clock.advance(500);
      await turn();
    }
    assert.deepEqual(seen, ["Who?"]);
    accept();
    await turn();
    server.answers.set("tasks/get", () => completed);
    await clock.advance(500);
    await turn();
    assert.deepEqual(await result, done);
    const [update] = server.paramsOf("tasks/update");
    assert.deepEqual(update?.inputResponses, { who: { action: "accept", content: { name: "Ann" } } });
    assert.equal(server.paramsOf("tasks/update").length, 1);
    await session.close();
  });

  it("runs nothing that this client did not declare, and has the task cancelled [X-TASK-026]", async () => {
    const { session, server, clock } = await openTaskSession(
      {},
      extensionTask("input_required", { inputRequests: { who: form } }),
    );
    const failed = assert.rejects(session.callTool("t"), { code: "MCP_INPUT", reason: "refused", message: /"who"/ });
    await turn();
    await clock.advance(500);
    await failed;
    await turn();
    assert.deepEqual(server.methods.slice(-2), ["tasks/get", "tasks/cancel"]);
    await session.close();
  });

  it("is one call for approval and for the record, which ends with the task", async () => {
    const records: CallRecord[] = [];
    let approvals = 0;
    const approve = (): boolean => {
      approvals += 1;
      return true;
    };
    const { session, clock } = await openTaskSession(
      { approve, onCall: (record) => records.push(record) },
      working,
      completed,
    );
    const result = session.callTool("t", { x: 1 });
    await turn();
    await clock.advance(500);
    assert.deepEqual(records, []);
    await turn();
    await clock.advance(500);
    await result;
    assert.equal(approvals, 1);
    assert.deepEqual(
      records.map(({ name, outcome, durationMs }) => [name, outcome, durationMs]),
      [["t", "ok", 1_000]],
    );
    await session.close();
  });

  it("fails as the call itself would have failed, in the class that fits, or with what became of the task", async () => {
    const error = { code: -32602, message: "no such tool", data: { name: "t" } };
    const ends: [unknown, object][] = [
      [extensionTask("failed", { error }), { code: "MCP_INVALID_PARAMS", message: "no such tool", remote: true }],
      [extensionTask("cancelled"), { code: "MCP_TASK", reason: "cancelled" }],
      [extensionTask("completed", { result: { content: 5 } }), { code: "MCP_PEER", message: /content/ }],
      [extensionTask("completed", { result: { ...done, resultType: "task" } }), { code: "MCP_PEER" }],
    ];
    for (const [state, expected] of ends) {
      const { session, server, clock } = await openTaskSession({}, state);
      const failed = assert.rejects(session.callTool("t"), expected);
      await turn();
      await clock.advance(500);
      await failed;
      await turn();
      assert.ok(!server.methods.includes("tasks/cancel"), "it is over");
      await session.close();
    }
  });

  it("is judged by the output schema that was listed when it began", async () => {
    const { session, server, clock } = await openTaskSession({}, completed);
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const tools = [{ name: "t", inputSchema: { type: "object" }, outputSchema }];
    server.answers.set("tools/list", () => ({ tools }));
    await session.listTools().all();
    const failed = assert.rejects(session.callTool("t"), { code: "MCP_PEER", message: /structuredContent/ });
    await turn();
    await clock.advance(500);
    await failed;
    await session.close();
  });

  it("ends with the session, without a word to the server", async () => {
    const { session, server, clock } = await openTaskSession({}, working);
    const failed = assert.rejects(session.callTool("t"), { code: "MCP_CLOSED" });
    await turn();
    await session.close();
    await failed;
    assert.equal(clock.pendingTimers, 0);
    assert.ok(!server.methods.includes("tasks/cancel"));
  });
});
