import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { beginHeld, createTaskNodes, question, saying } from "../../test/fixtures/task-receiver.ts";
import { turn } from "../../test/fixtures/turn.ts";
import { RpcError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

const accepted = { action: "accept", content: {} };

describe("questions of a TaskReceiver", () => {
  it("cancels before it answers, tells the work wherever it is done, and drops what that comes to [TASK-022] [TASK-046] [TASK-047] [X-TASK-019]", async () => {
    const nodes = createTaskNodes();
    const here = nodes.node();
    const there = nodes.node();
    const { record, run, outcome } = await beginHeld(here);
    const cancelled = await there.cancel(record.taskId, "alice");
    assert.equal(cancelled.isChanged, true);
    assert.equal(cancelled.record.status, "cancelled");
    await turn();
    assert.equal(run.signal.aborted, true);

    outcome.resolve(saying("too late"));
    await turn();
    const after = await there.get(record.taskId, "alice");
    assert.equal(after.status, "cancelled");
    assert.equal(after.result, undefined);
    assert.equal((await there.cancel(record.taskId, "alice")).isChanged, false);
  });

  it("hands questions to whoever comes for them, and the answers to the work [TASK-032] [X-TASK-020]", async () => {
    const nodes = createTaskNodes();
    const here = nodes.node();
    const there = nodes.node();
    const { record, run, outcome } = await beginHeld(here);
    const answer = run.ask(question, "first");
    const [other] = [run.ask(question, "second")];
    await turn();
    const asking = await there.get(record.taskId, "alice");
    assert.equal(asking.status, "input_required");
    const [first = "", second = ""] = Object.keys(asking.questions);

    await there.answer(record.taskId, "alice", { [first]: accepted, unknown: { odd: true } });
    const half = await there.get(record.taskId, "alice");
    assert.equal(half.status, "input_required");
    assert.deepEqual(Object.keys(half.questions), [second]);
    assert.deepEqual(await answer, accepted);

    await there.answer(record.taskId, "alice", { [first]: { action: "decline" }, [second]: accepted });
    assert.equal((await there.get(record.taskId, "alice")).status, "working");
    assert.deepEqual(await other, accepted);
    outcome.resolve(saying("done"));
    assert.equal((await there.whenOver(record.taskId, "alice")).status, "completed");
  });

  it("never uses the key of a question again, and ignores answers to what is not asked [X-TASK-028] [X-TASK-030]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, run } = await beginHeld(receiver);
    const keys: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const answer = run.ask(question, "same");
      await turn();
      const [key = ""] = Object.keys((await receiver.get(record.taskId, "alice")).questions);
      keys.push(key);
      await receiver.answer(record.taskId, "alice", { [key]: { action: "accept", content: { round } } });
      assert.deepEqual(await answer, { action: "accept", content: { round } });
      await receiver.answer(record.taskId, "alice", { [key]: { action: "cancel" } });
      await run.save(round);
    }
    assert.equal(new Set(keys).size, 3);
  });

  it("refuses an answer that is none to its question, and goes on asking", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, run } = await beginHeld(receiver);
    const answer = run.ask(question, "first");
    await turn();
    const [key = ""] = Object.keys((await receiver.get(record.taskId, "alice")).questions);
    await assert.rejects(receiver.answer(record.taskId, "alice", { [key]: { action: "maybe" } }), {
      rpcCode: -32_602,
      message: /^params\.inputResponses\["first\.0\.1"\], as result\.action: /,
    });
    await receiver.answer(record.taskId, "alice", { [key]: accepted });
    assert.deepEqual(await answer, accepted);
  });

  it("has each question asked once, of however many wait for the result, on whichever process [TASK-034]", async () => {
    const nodes = createTaskNodes();
    const here = nodes.node();
    const there = nodes.node();
    const { record, run, outcome } = await beginHeld(here);
    const asked: JsonObject[] = [];
    const ask = async (call: { params?: JsonObject | undefined }): Promise<JsonObject> => {
      asked.push(call.params ?? {});
      await turn();
      return accepted;
    };
    const waits = [here, there, there].map((node) => node.whenOver(record.taskId, "alice", { ask }));
    await turn();
    assert.deepEqual(await run.ask(question, "first"), accepted);
    assert.equal(asked.length, 1);
    outcome.resolve(saying("done"));
    for (const over of await Promise.all(waits)) {
      assert.equal(over.status, "completed");
    }
  });

  it("leaves a question to the next who waits, when the one who asked it goes away [TASK-028]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, run } = await beginHeld(receiver);
    const leaving = new AbortController();
    const never = (_call: unknown, signal: AbortSignal): Promise<JsonObject> =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
      });
    const first = receiver.whenOver(record.taskId, "alice", { signal: leaving.signal, ask: never });
    first.catch(() => undefined);
    const answer = run.ask(question, "first");
    await turn();
    leaving.abort(new Error("gone"));
    await assert.rejects(first, /gone/);
    await turn();
    const second = receiver.whenOver(record.taskId, "alice", { ask: async () => accepted });
    second.catch(() => undefined);
    assert.deepEqual(await answer, accepted);
  });

  it("gives the work the error that its question was answered with", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, run } = await beginHeld(receiver);
    const wait = receiver.whenOver(record.taskId, "alice", {
      ask: () => Promise.reject(new RpcError(-1, "the user said no", { remote: true })),
    });
    wait.catch(() => undefined);
    await assert.rejects(run.ask(question, "first"), { rpcCode: -1, message: "the user said no", remote: true });
  });

  it("takes a question back that is no longer wanted", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, run } = await beginHeld(receiver);
    const unwanted = new AbortController();
    const answer = run.ask(question, "first", unwanted.signal);
    answer.catch(() => undefined);
    await turn();
    assert.equal((await receiver.get(record.taskId, "alice")).status, "input_required");
    unwanted.abort(new Error("changed my mind"));
    await assert.rejects(answer, /changed my mind/);
    assert.equal((await receiver.get(record.taskId, "alice")).status, "working");
  });

  it("tells of everything that happens to a task, and of who asked for what is not theirs [TASK-054]", async () => {
    const nodes = createTaskNodes();
    const receiver = nodes.node();
    const { record, outcome } = await beginHeld(receiver);
    await receiver.get(record.taskId, "alice");
    await receiver.get(record.taskId, "mallory").catch(() => undefined);
    outcome.resolve({ error: { code: -32_603, message: "broken" } });
    await turn();
    assert.deepEqual(
      nodes.events.map(({ kind, owner }) => [kind, owner]),
      [
        ["created", "alice"],
        ["retrieved", "alice"],
        ["refused", "mallory"],
        ["failed", "alice"],
      ],
    );
    assert.equal(nodes.events[0]?.taskId, record.taskId);
    assert.equal(nodes.events[0]?.name, "dig");
  });
});
