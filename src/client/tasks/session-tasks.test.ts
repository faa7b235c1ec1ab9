import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coreTask, extensionTask, unknownTask } from "../../../test/fixtures/task-holder.ts";
import { openCoreSession, openTaskSession } from "../../../test/fixtures/task-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { FakeClock } from "../../test/clock.ts";
import type { CallRecord } from "../tools/call-policy.ts";
import type { TaskHandle } from "./task-handle.ts";

const done = { content: [{ type: "text", text: "done" }] };
const working = extensionTask("working");
const completed = extensionTask("completed", { result: done });

/** Lets some looks happen. */
async function pass(clock: FakeClock, looks: number): Promise<void> {
  for (let look = 0; look < looks; look += 1) {
    await turn();
    await clock.advance(500);
  }
  await turn();
}

/** What walking a handle shows, and how it ended. */
async function walk(handle: TaskHandle): Promise<string[]> {
  const seen: string[] = [];
  for await (const { status } of handle) {
    seen.push(status);
  }
  return seen;
}

describe("SessionTasks.call", () => {
  it("hands the task out at once, and looks at it only for who wants to know something [X-TASK-042] [PP-115]", async () => {
    const { session, server, clock } = await openTaskSession({}, working, completed);
    const handle = await session.tasks.call("t", { x: 1 });
    assert.equal(handle.id, "t1");
    assert.equal(handle.status, "working");
    await pass(clock, 10);
    assert.equal(server.paramsOf("tasks/get").length, 0);
    const [one, other] = [handle.result(), handle.result()];
    await pass(clock, 2);
    assert.deepEqual(await one, done);
    assert.deepEqual(await other, done);
    assert.deepEqual(await handle.result(), done);
    assert.equal(handle.status, "completed");
    assert.equal(server.paramsOf("tasks/get").length, 2);
    await session.close();
  });

  it("shows where the task stands, each change once, until it is over", async () => {
    const { session, clock } = await openTaskSession(
      {},
      working,
      extensionTask("working", { statusMessage: "half" }),
      completed,
    );
    const handle = await session.tasks.call("t");
    const heard: string[] = [];
    handle.onStatus(({ status, statusMessage }) => heard.push(statusMessage ?? status));
    const walked = walk(handle);
    await pass(clock, 3);
    assert.deepEqual(await walked, ["working", "working", "completed"]);
    assert.deepEqual(heard, ["half", "completed"]);
    assert.deepEqual(await walk(handle), ["completed"]);
    await session.close();
  });

  it("stops looking when nobody wants to know any more, and leaves the task alone", async () => {
    const { session, server, clock } = await openTaskSession({}, working);
    const handle = await session.tasks.call("t");
    const stop = handle.onStatus(() => undefined);
    const controller = new AbortController();
    const failed = assert.rejects(handle.result({ signal: controller.signal }), (reason) => reason === "later");
    await pass(clock, 2);
    controller.abort("later");
    await failed;
    await pass(clock, 1);
    assert.equal(server.paramsOf("tasks/get").length, 3);
    stop();
    await pass(clock, 10);
    assert.equal(server.paramsOf("tasks/get").length, 3);
    assert.ok(!server.methods.includes("tasks/cancel"));
    assert.equal(clock.pendingTimers, 0);
    server.answers.set("tasks/get", () => completed);
    const again = handle.result();
    await pass(clock, 1);
    assert.deepEqual(await again, done);
    await session.close();
  });

  it("gives up and takes up again in one turn", async () => {
    const { session, clock } = await openTaskSession({}, completed);
    const handle = await session.tasks.call("t");
    handle.onStatus(() => undefined)();
    const result = handle.result();
    await pass(clock, 2);
    assert.deepEqual(await result, done);
    await session.close();
  });

  it("gives what to tell the model meanwhile: the server's words, or its own [TASK-015]", async () => {
    const { session, server } = await openCoreSession({}, []);
    assert.match((await session.tasks.call("optional")).immediateResponse, /optional .*background/);
    const _meta = { "io.modelcontextprotocol/model-immediate-response": "Baking; ask me about something else." };
    server.answers.set("tools/call", () => ({ task: coreTask("working"), _meta }));
    assert.equal((await session.tasks.call("optional")).immediateResponse, "Baking; ask me about something else.");
    await session.close();
  });

  it("gives a result at once where the server makes no task [X-TASK-010] [X-TASK-011]", async () => {
    const { session, server } = await openTaskSession({}, working);
    server.answers.set("tools/call", () => done);
    const handle = await session.tasks.call("t");
    assert.equal(handle.id, undefined);
    assert.equal(handle.status, "completed");
    assert.deepEqual(await handle.result(), done);
    assert.deepEqual(await walk(handle), []);
    await handle.cancel();
    assert.ok(!server.methods.includes("tasks/cancel"));
    await session.close();
  });

  it("is refused here where no task may be made [TASK-003] [TASK-008]", async () => {
    const core = await openCoreSession({}, []);
    await assert.rejects(core.session.tasks.call("forbidden"), { code: "MCP_MISSING_CAPABILITY" });
    await core.session.close();
    const off = await openTaskSession({ tasks: false }, working);
    await assert.rejects(off.session.tasks.call("t"), { code: "MCP_MISSING_CAPABILITY" });
    assert.deepEqual(off.server.paramsOf("tools/call"), []);
    await off.session.close();
  });

  it("is on record once it is known what came of it", async () => {
    const records: CallRecord[] = [];
    const { session, clock } = await openTaskSession({ onCall: (record) => records.push(record) }, working, completed);
    const handle = await session.tasks.call("t");
    assert.deepEqual(records, []);
    const results = [handle.result(), handle.result()];
    await pass(clock, 2);
    await Promise.all(results);
    await handle.result();
    assert.deepEqual(
      records.map(({ name, outcome }) => [name, outcome]),
      [["t", "ok"]],
    );
    await session.close();
  });
});

describe("TaskHandle.cancel", () => {
  it("asks for it, and everybody who waits hears of it where the server does it [X-TASK-031] [TASK-046]", async () => {
    const records: CallRecord[] = [];
    const { session, server, clock } = await openCoreSession({ onCall: (record) => records.push(record) }, []);
    const handle = await session.tasks.call("optional");
    const failed = assert.rejects(handle.result(), { code: "MCP_TASK", reason: "cancelled", taskId: "t1" });
    const walked = walk(handle);
    await turn();
    await handle.cancel();
    await failed;
    assert.deepEqual(await walked, ["working", "cancelled"]);
    assert.deepEqual(
      records.map(({ outcome }) => outcome),
      ["cancelled"],
    );
    assert.deepEqual(server.methods.slice(-1), ["tasks/cancel"]);
    await pass(clock, 10);
    assert.deepEqual(server.methods.slice(-1), ["tasks/cancel"], "no look follows");
    await session.close();
  });
});

describe("SessionTasks.follow", () => {
  it("goes on with a task by its id alone, as another process does [X-TASK-023]", async () => {
    const { session, server, clock } = await openTaskSession({}, working, completed);
    const handle = session.tasks.follow("t1");
    assert.deepEqual([handle.id, handle.status, handle.task], ["t1", undefined, undefined]);
    const result = handle.result();
    await turn();
    assert.equal(handle.status, "working");
    await pass(clock, 1);
    assert.deepEqual(await result, done);
    assert.deepEqual(server.methods, ["server/discover", "tasks/get", "tasks/get"]);
    await session.close();
  });

  it("says what became of a task that is not there, and what keeps it from being followed", async () => {
    const { session, server, clock, codes } = await openTaskSession({}, unknownTask());
    await assert.rejects(session.tasks.follow("t1").result(), { code: "MCP_TASK", reason: "gone" });
    server.answers.set("tasks/get", () => ({ no: "task" }));
    await assert.rejects(walk(session.tasks.follow("t1")), { code: "MCP_PEER" });
    const stop = session.tasks.follow("t1").onStatus(() => undefined);
    await turn();
    stop();
    assert.deepEqual(codes(), ["MCP_D_TASK_UNFOLLOWED"]);
    assert.equal(clock.pendingTimers, 0);
    await session.close();
  });
});

describe("SessionTasks", () => {
  it("looks at one task, in the same words for either form [TASK-025]", async () => {
    const expected = { taskId: "t1", status: "working", ttlMs: 60_000, pollIntervalMs: 500 };
    const sessions = [await openTaskSession({}, working), await openCoreSession({}, [coreTask("working")])];
    for (const { session, server } of sessions) {
      const { createdAt: _created, lastUpdatedAt: _updated, ...rest } = await session.tasks.get("t1");
      assert.deepEqual(rest, expected);
      server.answers.set("tasks/get", () => {
        throw unknownTask();
      });
      await assert.rejects(session.tasks.get("t1"), { code: "MCP_TASK", reason: "gone", taskId: "t1" });
      await session.close();
    }
  });

  it("lists all tasks page by page, where there is such a list [TASK-043] [TASK-044]", async () => {
    const { session, server } = await openCoreSession({}, []);
    const pages: { [cursor: string]: JsonObject } = {
      "": { tasks: [coreTask("working", { taskId: "a" })], nextCursor: "2" },
      2: { tasks: [coreTask("failed", { taskId: "b", ttl: null })] },
    };
    server.answers.set("tasks/list", ({ cursor }) => pages[String(cursor ?? "")]);
    const tasks = await session.tasks.list().all();
    assert.deepEqual(
      tasks.map(({ taskId, ttlMs }) => [taskId, ttlMs]),
      [
        ["a", 60_000],
        ["b", null],
      ],
    );
    await session.close();
    const extension = await openTaskSession({}, working);
    await assert.rejects(extension.session.tasks.list().all(), { code: "MCP_MISSING_CAPABILITY" });
    await extension.session.close();
  });

  it("has a task cancelled by its id [X-TASK-031] [TASK-045]", async () => {
    const { session, server } = await openTaskSession({}, working);
    await session.tasks.cancel("t9");
    assert.deepEqual(
      server.paramsOf("tasks/cancel").map(({ taskId }) => taskId),
      ["t9"],
    );
    server.answers.set("tasks/cancel", () => {
      throw unknownTask();
    });
    await assert.rejects(session.tasks.cancel("t9"), { code: "MCP_TASK", reason: "gone" });
    await session.close();
    const core = await openCoreSession({}, []);
    core.server.answers.set("tasks/cancel", () => {
      throw unknownTask();
    });
    await assert.rejects(core.session.tasks.cancel("t9"), { code: "MCP_INVALID_PARAMS" });
    await core.session.close();
  });
});
