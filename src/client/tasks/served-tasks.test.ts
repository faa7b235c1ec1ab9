import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coreCapabilities, openCoreSession } from "../../../test/fixtures/task-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { checkResult } from "../../protocol/results.ts";
import type { CoreTask } from "../../protocol/types/tasks.ts";
import type { ClientOptions } from "../options.ts";

const relatedTask = "io.modelcontextprotocol/related-task";
const message = { role: "assistant" as const, content: { type: "text" as const, text: "yo" }, model: "m" };
const request = { maxTokens: 5, messages: [{ role: "user", content: { type: "text", text: "hi" } }] };
const requestedSchema = { type: "object", properties: { name: { type: "string" } } };

/** A client whose model answers when a test says so, and what a server may ask of it. */
async function open(
  options: Partial<ClientOptions> & { tasks?: ClientOptions["tasks"] } = {},
  acceptance: boolean | "required" = true,
) {
  const answer = createDeferred<typeof message>();
  const signals: AbortSignal[] = [];
  const seen: unknown[] = [];
  const session = await openCoreSession(
    {
      sampling: {
        tasks: acceptance,
        createMessage: (params, { signal }) => {
          seen.push(params);
          signals.push(signal);
          return answer.promise;
        },
      },
      ...options,
    },
    [],
  );
  const { server } = session;
  const begin = async (task: JsonObject = {}): Promise<CoreTask> => {
    const { result, error } = await server.ask("sampling/createMessage", { ...request, task });
    assert.equal(error, undefined);
    return result?.task as CoreTask;
  };
  const about = (method: string, taskId: string) => server.ask(method, { taskId });
  return { ...session, answer, seen, signals, begin, about };
}

describe("a client that takes requests as tasks", () => {
  it("announces exactly what it takes so, and nothing without [TASK-001] [TASK-002]", async () => {
    const form = () => ({ action: "cancel" as const });
    const createMessage = () => message;
    const cases: [Partial<ClientOptions>, unknown][] = [
      [{ sampling: { createMessage }, elicitation: { form } }, undefined],
      [{ sampling: { createMessage, tasks: true } }, { sampling: { createMessage: {} } }],
      [{ elicitation: { form, tasks: "required" } }, { elicitation: { create: {} } }],
      [
        { sampling: { createMessage, tasks: true }, elicitation: { form, tasks: true } },
        { sampling: { createMessage: {} }, elicitation: { create: {} } },
      ],
    ];
    for (const [options, requests] of cases) {
      const { client, server, session } = await openCoreSession(options, []);
      const expected = requests === undefined ? undefined : { list: {}, cancel: {}, requests };
      assert.deepEqual(client.capabilities.tasks, expected);
      await session.close();
      server.received.length = 0;
    }
  });

  it("answers at once, works on it meanwhile, and gives the result when it is asked for [TASK-014] [TASK-020] [TASK-018] [TASK-025]", async () => {
    const { session, begin, about, answer, seen, server } = await open();
    const task = await begin({ ttl: 5_000 });
    assert.equal(task.status, "working");
    assert.equal(task.ttl, 5_000);
    assert.deepEqual(seen, [request], "the handler sees what is asked, and no task");
    assert.deepEqual((await about("tasks/get", task.taskId)).result, task);
    const waiting = about("tasks/result", task.taskId);
    await turn();
    answer.resolve(message);
    const { result } = await waiting;
    assert.deepEqual(result, { ...message, _meta: { [relatedTask]: { taskId: task.taskId } } });
    const state = (await about("tasks/get", task.taskId)).result;
    assert.equal(state?.status, "completed");
    assert.equal(checkResult("tasks/get", state), undefined);
    assert.ok(!("_meta" in (state ?? {})), "its state names no task beside its own");
    const [notice] = server.paramsOf("notifications/tasks/status");
    assert.deepEqual(notice, state);
    await session.close();
  });

  it("takes elicitation the same way", async () => {
    const form = () => ({ action: "accept" as const, content: { name: "Ann" } });
    const { session, server, about } = await open({ elicitation: { form, tasks: true } });
    const params = { message: "Who?", requestedSchema, task: {} };
    const created = (await server.ask("elicitation/create", params)).result?.task as CoreTask;
    const { result } = await about("tasks/result", created.taskId);
    assert.deepEqual([result?.action, result?.content], ["accept", { name: "Ann" }]);
    await session.close();
  });

  it("answers without a task where none is asked for, or where that was not announced [TASK-005]", async () => {
    const { session, server, answer } = await open({ elicitation: { form: () => ({ action: "decline" }) } });
    answer.resolve(message);
    assert.deepEqual((await server.ask("sampling/createMessage", request)).result, message);
    const asked = await server.ask("elicitation/create", { message: "Who?", requestedSchema, task: { ttl: 5 } });
    assert.deepEqual(asked.result, { action: "decline" });
    await session.close();
    const plain = await open({}, false);
    plain.answer.resolve(message);
    assert.deepEqual((await plain.server.ask("sampling/createMessage", { ...request, task: {} })).result, message);
    for (const method of ["tasks/get", "tasks/result", "tasks/list", "tasks/cancel"]) {
      assert.equal((await plain.about(method, "x")).error?.code, -32601, method);
    }
    await plain.session.close();
  });

  it("may take a request in no other way [TASK-006]", async () => {
    const { session, server, begin, seen } = await open({}, "required");
    const { error } = await server.ask("sampling/createMessage", request);
    assert.equal(error?.code, -32600);
    assert.deepEqual(seen, []);
    assert.equal((await begin()).status, "working");
    await session.close();
  });

  it("fails a task with the error that the request would have had, and tells no more of a fault [TASK-030] [TASK-023] [TASK-024]", async () => {
    const { session, begin, about, answer, codes } = await open();
    const { taskId } = await begin();
    answer.reject(new Error("a secret of this machine"));
    const { error } = await about("tasks/result", taskId);
    assert.deepEqual(error, { code: -32603, message: "internal error" });
    const { result } = await about("tasks/get", taskId);
    assert.deepEqual([result?.status, result?.statusMessage], ["failed", "internal error"]);
    assert.deepEqual(codes(), ["MCP_D_HANDLER_FAULT"]);
    await session.close();
    const rejecting = await open({
      sampling: { tasks: true, createMessage: () => message, approveRequest: () => false },
    });
    const rejected = await rejecting.begin();
    const refusal = await rejecting.about("tasks/result", rejected.taskId);
    assert.equal(refusal.error?.code, -1);
    await rejecting.session.close();
  });

  it("stops work that is cancelled, for good and only once [TASK-045] [TASK-046] [TASK-047]", async () => {
    const { session, begin, about, answer, signals } = await open();
    const { taskId } = await begin();
    const { result } = await about("tasks/cancel", taskId);
    assert.equal(result?.status, "cancelled");
    assert.ok(signals[0]?.aborted);
    answer.resolve(message);
    await turn();
    assert.equal((await about("tasks/get", taskId)).result?.status, "cancelled");
    assert.equal((await about("tasks/cancel", taskId)).error?.code, -32602);
    assert.ok((await about("tasks/result", taskId)).error);
    await session.close();
  });

  it("lists tasks page by page, and knows none that were not begun here [TASK-043] [TASK-044] [TASK-049]", async () => {
    const { session, server, begin, about } = await open({
      sampling: { tasks: true, createMessage: () => message, rateLimit: { maxRequests: 1_000, perMs: 1 } },
    });
    const begun: string[] = [];
    for (let count = 0; count < 100; count += 1) {
      begun.push((await begin()).taskId);
      await turn();
    }
    begun.push((await begin()).taskId);
    const listed: string[] = [];
    let cursor: unknown;
    do {
      const { result } = await server.ask("tasks/list", cursor === undefined ? {} : { cursor });
      const page = result as { tasks: CoreTask[]; nextCursor?: string };
      listed.push(...page.tasks.map(({ taskId }) => taskId));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual([...listed].sort(), [...begun].sort());
    assert.equal((await server.ask("tasks/list", { cursor: "bogus" })).error?.code, -32602);
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      assert.equal((await about(method, "nope")).error?.code, -32602);
      assert.equal((await server.ask(method, {})).error?.code, -32602);
    }
    await session.close();
  });

  it("takes no more than its limits allow, and keeps none longer than that [TASK-053] [TASK-041] [TASK-042]", async () => {
    const limits = { maxUnfinished: 2, maxTtlMs: 10_000 };
    const { session, server, clock, begin, about } = await open({ tasks: { limits } });
    const { taskId, ttl } = await begin({ ttl: 1_000_000 });
    assert.equal(ttl, 10_000);
    await begin();
    assert.ok((await server.ask("sampling/createMessage", { ...request, task: {} })).error);
    await clock.advance(10_001);
    assert.equal((await about("tasks/get", taskId)).error?.code, -32602);
    assert.equal((await begin()).status, "working");
    assert.equal((await server.ask("sampling/createMessage", { ...request, task: { ttl: "x" } })).error?.code, -32602);
    await session.close();
  });

  it("ends its work with the session, and leaves no timer behind", async () => {
    const { session, begin, signals, clock } = await open();
    await begin();
    await session.close();
    await turn();
    assert.ok(signals[0]?.aborted);
    await turn();
    assert.equal(clock.pendingTimers, 0);
  });

  it("refuses limits that are none when it is defined", async () => {
    await assert.rejects(openCoreSession({ tasks: { limits: { maxUnfinished: 0 } } }, [], coreCapabilities), {
      code: "MCP_USAGE",
    });
  });
});
