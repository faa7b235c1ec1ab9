import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { beginHeld, createTaskNodes, saying } from "../../test/fixtures/task-receiver.ts";
import { turn } from "../../test/fixtures/turn.ts";
import type { TaskRecord } from "./record.ts";

const refused = { rpcCode: -32_602, message: "params.taskId: there is no such task, or it has expired" };

describe("TaskReceiver", () => {
  it("begins a task that works, is found at once by every process, and comes to its result [TASK-020] [X-TASK-015]", async () => {
    const nodes = createTaskNodes();
    const here = nodes.node();
    const there = nodes.node();
    const { record, outcome } = await beginHeld(here);
    assert.equal(record.status, "working");
    assert.equal((await there.get(record.taskId, "alice")).status, "working");

    outcome.resolve(saying("done"));
    const over = await there.whenOver(record.taskId, "alice");
    assert.equal(over.status, "completed");
    assert.deepEqual(over.result, { content: [{ type: "text", text: "done" }] });
    assert.equal(here.runningTasks, 0);
  });

  it("waits for the end without asking the store again and again [TASK-029]", async () => {
    const nodes = createTaskNodes();
    const { store } = nodes;
    let reads = 0;
    const counted: typeof store = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (name === "get") {
          reads += 1;
        }
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const here = nodes.node();
    const there = nodes.node({ store: counted, leaseMs: 3_600_000 });
    await there.start();
    const { record, outcome } = await beginHeld(here);
    const waiting = there.whenOver(record.taskId, "alice");
    await turn();
    const before = reads;
    await nodes.clock.advance(9_000);
    assert.equal(reads, before);
    outcome.resolve(saying("done"));
    assert.equal((await waiting).status, "completed");
  });

  it("makes ids that nobody guesses, all of them different [TASK-016] [TASK-017] [X-TASK-018]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const ids = new Set<string>();
    for (let count = 0; count < 1_000; count += 1) {
      const { taskId } = await receiver.begin({ owner: undefined, method: "tools/call" }, async () => saying("done"));
      ids.add(taskId);
      await turn();
    }
    assert.equal(ids.size, 1_000);
    for (const id of ids) {
      // Six bits a character.
      assert.match(id, /^[A-Za-z0-9_-]{22,}$/);
    }
  });

  it("knows nobody else's tasks, and no others [TASK-049] [TASK-050] [X-TASK-034] [X-TASK-035]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record } = await beginHeld(receiver);
    for (const [taskId, owner] of [
      [record.taskId, "bob"],
      [record.taskId, undefined],
      ["nope", "alice"],
      ["../tasks-nodes", "alice"],
      ["", "alice"],
    ] as const) {
      await assert.rejects(receiver.get(taskId, owner), refused);
      await assert.rejects(receiver.whenOver(taskId, owner), refused);
      await assert.rejects(receiver.cancel(taskId, owner), refused);
      await assert.rejects(receiver.answer(taskId, owner, {}), refused);
      await assert.rejects(receiver.watch(taskId, owner, { changed: () => undefined, gone: () => undefined }), refused);
    }
    assert.equal((await receiver.get(record.taskId, "alice")).status, "working");
  });

  it("keeps a task for its time and no longer, and stops the work with it [TASK-042] [TASK-053] [X-TASK-025]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, run } = await beginHeld(receiver, { ttlMs: 60_000 });
    assert.equal(record.ttlMs, 60_000);
    await nodes.clock.advance(59_999);
    assert.equal((await receiver.get(record.taskId, "alice")).status, "working");
    const waiting = receiver.whenOver(record.taskId, "alice");
    waiting.catch(() => undefined);
    await nodes.clock.advance(10);
    await assert.rejects(receiver.get(record.taskId, "alice"), refused);
    await assert.rejects(waiting, refused);
    assert.equal(run.signal.aborted, true);
    for await (const key of nodes.store.keys(`tasks/${record.taskId}`)) {
      assert.fail(key);
    }
  });

  it("caps the time that a task is kept, and says which it is [TASK-041]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    assert.equal((await beginHeld(receiver, { ttlMs: 1e9 })).record.ttlMs, 86_400_000);
    assert.equal((await beginHeld(receiver)).record.ttlMs, 3_600_000);
    const unlimited = nodes.node({ limits: { maxTtlMs: Number.POSITIVE_INFINITY, ttlMs: Number.POSITIVE_INFINITY } });
    assert.equal((await beginHeld(unlimited)).record.ttlMs, null);
  });

  it("limits how many tasks a requestor has unfinished and kept [TASK-053]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node({ limits: { maxUnfinished: 2, maxKept: 3 } });
    const { outcome } = await beginHeld(receiver);
    await beginHeld(receiver);
    await assert.rejects(beginHeld(receiver), { rpcCode: -32_603, message: /^expected at most 2 tasks that are not/ });
    await beginHeld(receiver, { owner: "bob" });
    outcome.resolve(saying("done"));
    await turn();
    const { outcome: third } = await beginHeld(receiver);
    third.resolve(saying("done"));
    await turn();
    await assert.rejects(beginHeld(receiver), { rpcCode: -32_603, message: /^expected at most 3 tasks that are kept/ });
    await nodes.clock.advance(3_600_001);
    await beginHeld(receiver);
  });

  it("limits those together who are not identified", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node({ limits: { maxUnfinished: 1 } });
    const begun = await Promise.all(Array.from({ length: 10 }, () => beginHeld(receiver, { owner: undefined })));
    await assert.rejects(beginHeld(receiver, { owner: undefined }), { rpcCode: -32_603 });
    await receiver.cancel(begun[0]?.record.taskId ?? "", undefined);
    await beginHeld(receiver, { owner: undefined });
  });

  it("lists what a requestor has, page by page, each task once, nobody else's [TASK-043] [TASK-044] [TASK-051]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const mine: string[] = [];
    for (let count = 0; count < 25; count += 1) {
      mine.push((await beginHeld(receiver)).record.taskId);
      await beginHeld(receiver, { owner: "bob" });
    }
    await beginHeld(receiver, { ttlMs: 1_000 });
    await nodes.clock.advance(1_001);
    const listed: TaskRecord[] = [];
    let cursor: string | undefined;
    const there = nodes.node();
    do {
      const page = await there.list("alice", cursor, 10);
      assert.ok(page.tasks.length <= 10);
      listed.push(...page.tasks);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(
      listed.map(({ taskId }) => taskId),
      mine,
    );
    await assert.rejects(receiver.list("alice", "bogus", 10), { rpcCode: -32_602 });
    assert.deepEqual(await receiver.list("carol", undefined, 10), { tasks: [] });
  });

  it("makes a fault of the work an internal error that says nothing, and reports it [TASK-024]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, outcome } = await beginHeld(receiver);
    outcome.reject(new Error("secret"));
    const over = await receiver.whenOver(record.taskId, "alice");
    assert.equal(over.status, "failed");
    assert.deepEqual(over.error, { code: -32_603, message: "internal error" });
    assert.equal(over.statusMessage, "internal error");
    assert.equal(nodes.diagnostics[0]?.code, "MCP_D_TASK_FAULT");
  });

  it("tries again to keep an outcome while the store is away", async () => {
    const nodes = createTaskNodes();
    let isAway = false;
    const flaky = new Proxy(nodes.store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (isAway && name === "set") {
          return () => Promise.reject(new Error("away"));
        }
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const receiver = nodes.node({ store: flaky });
    const { record, outcome } = await beginHeld(receiver);
    isAway = true;
    outcome.resolve(saying("done"));
    await turn();
    assert.equal((await receiver.get(record.taskId, "alice")).status, "working");
    isAway = false;
    await nodes.clock.advance(1_001);
    await turn();
    assert.equal((await receiver.get(record.taskId, "alice")).status, "completed");
    assert.ok(nodes.diagnostics.some(({ code }) => code === "MCP_D_TASK_STORE"));
  });

  it("leaves no timer and takes no task once it is closed", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record } = await beginHeld(receiver);
    await receiver.close();
    await assert.rejects(beginHeld(receiver), { code: "MCP_CLOSED" });
    const over = await nodes.node().get(record.taskId, "alice");
    assert.equal(over.status, "failed");
    assert.match(over.statusMessage ?? "", /was stopped before it was done/);
    await nodes.store.close();
    assert.equal(nodes.clock.pendingTimers, 0);
  });
});
