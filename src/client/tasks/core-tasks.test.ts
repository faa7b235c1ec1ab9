import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { metaOf } from "../../../test/fixtures/fake-session.ts";
import { coreTask } from "../../../test/fixtures/task-holder.ts";
import { coreTools, openCoreSession } from "../../../test/fixtures/task-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Progress } from "../../protocol/outgoing.ts";

const plain = { content: [{ type: "text", text: "plain" }] };
const done = { content: [{ type: "text", text: "done" }] };
const completed = coreTask("completed");
const relatedTask = "io.modelcontextprotocol/related-task";

describe("a call of a tool that says how it may be called", () => {
  it("asks for a task where the tool has to be called so, and simply takes longer [TASK-010] [PP-115]", async () => {
    const { session, server, clock } = await openCoreSession({}, [coreTask("working"), completed]);
    const result = session.callTool("required", { x: 1 });
    await turn();
    await clock.advance(1_000);
    await turn();
    assert.deepEqual(await result, done);
    const [call] = server.paramsOf("tools/call");
    assert.deepEqual(call?.task, {});
    assert.deepEqual(server.methods, ["tools/list", "tools/call", "tasks/get", "tasks/get", "tasks/result"]);
    for (const method of ["tasks/get", "tasks/result"]) {
      for (const params of server.paramsOf(method)) {
        assert.ok(!(relatedTask in (metaOf(params) ?? {})), "the id in the params rules");
      }
    }
    await session.close();
  });

  it("asks for one where the tool allows it and the caller wishes it, with the lifetime that is wished [TASK-008] [TASK-013]", async () => {
    const { session, server, clock } = await openCoreSession({}, [completed]);
    assert.deepEqual(await session.callTool("optional"), plain);
    for (const task of [true, { ttlMs: 60_000 }]) {
      const result = session.callTool("optional", {}, { task });
      await turn();
      await clock.advance(500);
      await turn();
      assert.deepEqual(await result, done);
    }
    assert.deepEqual(
      server.paramsOf("tools/call").map(({ task }) => task),
      [undefined, {}, { ttl: 60_000 }],
    );
    await session.close();
  });

  it("is refused here where the tool allows no task, says nothing of them, or is not listed [TASK-008] [TASK-003]", async () => {
    const { session, server } = await openCoreSession({}, []);
    for (const name of ["forbidden", "silent", "unlisted"]) {
      await assert.rejects(session.callTool(name, {}, { task: true }), {
        code: "MCP_MISSING_CAPABILITY",
        remote: false,
      });
      assert.deepEqual(await session.callTool(name), plain);
    }
    assert.equal(server.paramsOf("tools/list").length, 1, "one list tells of all of them");
    assert.ok(server.paramsOf("tools/call").every(({ task }) => task === undefined));
    await session.close();
  });

  it("asks for none of a server that does not declare them, whatever its tools say [TASK-007] [TASK-003]", async () => {
    for (const tasks of [undefined, {}, { requests: {} }, { requests: { tools: {} } }]) {
      const { session, server } = await openCoreSession({}, [], { tools: {}, ...(tasks && { tasks }) });
      await session.listTools().all();
      assert.deepEqual(await session.callTool("required"), plain);
      await assert.rejects(session.callTool("required", {}, { task: true }), { code: "MCP_MISSING_CAPABILITY" });
      assert.deepEqual(
        server.paramsOf("tools/call").map(({ task }) => task),
        [undefined],
      );
      await session.close();
    }
  });

  it("has neither tasks nor lists to fetch for them in a revision without [TASK-003]", async () => {
    const { session, server } = await openCoreSession({}, [], { tools: {} }, "2025-06-18");
    assert.deepEqual(await session.callTool("required"), plain);
    await assert.rejects(session.callTool("required", {}, { task: true }), { code: "MCP_MISSING_CAPABILITY" });
    assert.throws(() => session.tasks.follow("t1"), { code: "MCP_MISSING_CAPABILITY" });
    assert.deepEqual(server.methods, ["tools/call"]);
    await session.close();
  });

  it("fails here where the tool can be called in no other way and tasks are switched off [TASK-010]", async () => {
    const { session, server } = await openCoreSession({ tasks: false }, []);
    await assert.rejects(session.callTool("required"), { code: "MCP_MISSING_CAPABILITY", message: /switched off/ });
    assert.deepEqual(server.paramsOf("tools/call"), []);
    await session.close();
  });

  it("looks at the list again once that has changed", async () => {
    const { session, server, clock } = await openCoreSession({}, [completed]);
    assert.deepEqual(await session.callTool("late"), plain);
    server.answers.set("tools/list", () => ({ tools: [{ ...coreTools[0], name: "late" }] }));
    server.notify("notifications/tools/list_changed");
    await turn();
    const result = session.callTool("late");
    await turn();
    await clock.advance(500);
    await turn();
    assert.deepEqual(await result, done);
    await session.close();
  });

  it("takes a result for a result where the server ignores the wish [TASK-005]", async () => {
    const { session, server } = await openCoreSession({}, []);
    server.answers.set("tools/call", () => ({ ...plain, task: "a member of its own" }));
    assert.deepEqual(await session.callTool("required"), { ...plain, task: "a member of its own" });
    await session.close();
  });
});

describe("a call that is a task of the core form", () => {
  it("takes no word of the extension for one, and no task that it did not ask for [X-TASK-008]", async () => {
    const { session, server } = await openCoreSession({}, []);
    for (const reply of [
      { resultType: "task", taskId: "t", status: "working", ttlMs: 5 },
      { task: coreTask("working") },
    ]) {
      server.answers.set("tools/call", () => reply);
      await assert.rejects(session.callTool("optional"), { code: "MCP_PEER" });
    }
    await session.close();
  });

  it("announces no extension in the handshake, nor anything of tasks of its own [X-TASK-008] [TASK-001]", async () => {
    const { client } = await openCoreSession({}, []);
    const fresh = await openCoreSession({ capabilities: { extensions: { "com.example/x": {} } } }, []);
    let seen: unknown;
    fresh.server.answers.set("initialize", ({ capabilities }) => {
      seen = capabilities;
      return { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "s", version: "1" } };
    });
    const session = await fresh.client.connect(fresh.server.channel, { revision: "2025-11-25" });
    assert.deepEqual(seen, { extensions: { "com.example/x": {} } });
    assert.ok(client.capabilities.tasks === undefined);
    await session.close();
  });

  it("hears of its progress to its end, and not beyond [PROG-007]", async () => {
    const { session, server, clock } = await openCoreSession({}, [coreTask("working"), completed]);
    const seen: number[] = [];
    const onProgress = ({ progress }: Progress): unknown => seen.push(progress);
    const result = session.callTool("required", {}, { onProgress });
    await turn();
    const { progressToken } = metaOf(server.paramsOf("tools/call")[0]);
    for (const progress of [1, 2]) {
      server.notify("notifications/progress", { progressToken, progress, _meta: { [relatedTask]: { taskId: "t1" } } });
      await turn();
      await clock.advance(500);
      await turn();
    }
    assert.deepEqual(await result, done);
    server.notify("notifications/progress", { progressToken, progress: 3 });
    await turn();
    assert.deepEqual(seen, [1, 2]);
    await session.close();
  });

  it("is cancelled by tasks/cancel when it is given up, also before its id is known [CANCEL-004]", async () => {
    for (const isEarly of [true, false]) {
      const { session, server, clock } = await openCoreSession({}, [coreTask("working")]);
      const reply = createDeferred<JsonObject>();
      server.answers.set("tools/call", () => reply.promise);
      const controller = new AbortController();
      const reason = new Error("enough");
      const failed = assert.rejects(
        session.callTool("required", {}, { signal: controller.signal }),
        (error) => error === reason,
      );
      await turn();
      if (isEarly) {
        controller.abort(reason);
        await failed;
      }
      reply.resolve({ task: coreTask("working") });
      await turn();
      await clock.advance(600);
      await turn();
      controller.abort(reason);
      await failed;
      await turn();
      assert.deepEqual(
        server.paramsOf("tasks/cancel").map(({ taskId }) => taskId),
        ["t1"],
      );
      assert.ok(!server.methods.includes("notifications/cancelled"));
      await session.close();
    }
  });

  it("goes on at a server that cancels none when it is given up, which is reported [TASK-004]", async () => {
    const capabilities = { tools: {}, tasks: { requests: { tools: { call: {} } } } };
    const { session, server, codes } = await openCoreSession({}, [], capabilities);
    const controller = new AbortController();
    const failed = assert.rejects(session.callTool("required", {}, { signal: controller.signal }));
    await turn();
    controller.abort();
    await failed;
    await turn();
    assert.ok(!server.methods.includes("tasks/cancel"));
    assert.deepEqual(codes(), ["MCP_D_TASK_UNCANCELLED"]);
    await assert.rejects(session.tasks.cancel("t1"), { code: "MCP_MISSING_CAPABILITY", capability: "tasks.cancel" });
    await assert.rejects(session.tasks.list().all(), { code: "MCP_MISSING_CAPABILITY", capability: "tasks.list" });
    await session.close();
  });

  it("answers what is asked for it on any stream by the usual handlers, and names the task in the answer [TASK-033] [TASK-034] [TASK-035]", async () => {
    const elicitation = { form: () => ({ action: "decline" as const }) };
    const { session, server, clock } = await openCoreSession({ elicitation }, [coreTask("input_required"), completed]);
    const end = createDeferred<JsonObject>();
    server.answers.set("tasks/result", () => end.promise);
    const result = session.callTool("required");
    await turn();
    await clock.advance(500);
    await turn();
    assert.deepEqual(server.methods.slice(-2), ["tasks/get", "tasks/result"]);
    const requestedSchema = { type: "object", properties: {} };
    const related = { [relatedTask]: { taskId: "t1" } };
    const answer = await server.ask("elicitation/create", { message: "?", requestedSchema, _meta: related });
    assert.deepEqual(answer.result, { action: "decline", _meta: related });
    const other = await server.ask("elicitation/create", { message: "?", requestedSchema });
    assert.deepEqual(other.result, { action: "decline" });
    end.resolve(done);
    await turn();
    assert.deepEqual(await result, done);
    await session.close();
  });

  it("is told of its end by a notification, and needs none [TASK-039] [TASK-040]", async () => {
    const { session, server } = await openCoreSession({}, []);
    const result = session.callTool("required");
    await turn();
    server.notify("notifications/tasks/status", coreTask("completed", { lastUpdatedAt: new Date(5).toISOString() }));
    server.notify("notifications/tasks/status", coreTask("working", { taskId: "of somebody else" }));
    await turn();
    assert.deepEqual(await result, done);
    assert.deepEqual(server.methods.slice(-1), ["tasks/result"]);
    await session.close();
  });

  it("fails with the error of its request, code and data untouched [TASK-030]", async () => {
    const { session, server, clock } = await openCoreSession({}, [coreTask("failed")]);
    server.answers.set("tasks/result", () => {
      throw new RpcError(-32055, "no luck", { data: { a: 1 } });
    });
    const failed = assert.rejects(session.callTool("required"), {
      rpcCode: -32055,
      message: "no luck",
      data: { a: 1 },
      remote: true,
    });
    await turn();
    await clock.advance(500);
    await turn();
    await failed;
    assert.ok(!server.methods.includes("tasks/cancel"));
    await session.close();
  });

  it("is made again once the page has been visited that it failed for, as a plain call is [ELIC-027]", async () => {
    const page = { mode: "url", message: "Sign in", url: "https://a.test/in", elicitationId: "e1" };
    const opened: string[] = [];
    const url = { consent: () => "accept" as const, open: (href: string) => void opened.push(href) };
    const { session, server, clock } = await openCoreSession({ elicitation: { url } }, [coreTask("failed")]);
    server.answers.set("tasks/result", () => {
      throw new RpcError(-32042, "sign in first", { data: { elicitations: [page] } });
    });
    const result = session.callTool("required");
    await turn();
    await clock.advance(500);
    await turn();
    assert.deepEqual(opened, [page.url]);
    server.answers.set("tasks/get", () => completed);
    server.answers.set("tasks/result", () => done);
    server.notify("notifications/elicitation/complete", { elicitationId: "e1" });
    await turn();
    await clock.advance(500);
    await turn();
    assert.deepEqual(await result, done);
    assert.equal(server.paramsOf("tools/call").length, 2);
    await session.close();
  });
});
