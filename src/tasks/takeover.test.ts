import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { beginHeld, createTaskNodes, question, saying, type TaskNodes } from "../../test/fixtures/task-receiver.ts";
import { turn } from "../../test/fixtures/turn.ts";
import { createDeferred } from "../base/deferred.ts";
import type { Store } from "../store/contracts.ts";
import type { TaskReceiver } from "./receiver.ts";
import type { TaskReceiverOptions } from "./receiver-options.ts";
import type { TaskRun } from "./run.ts";

const origin = { path: "/tmp/hole" };

/** A process that can be killed: from then on its store does nothing for it. */
function createMortal(
  nodes: TaskNodes,
  options: Partial<TaskReceiverOptions> = {},
): { readonly receiver: TaskReceiver; kill(): void } {
  let isDead = false;
  const store = new Proxy<Store>(nodes.store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== "function") {
        return member;
      }
      return (...args: readonly unknown[]): unknown =>
        isDead ? new Promise(() => undefined) : Reflect.apply(member, target, args);
    },
  });
  return {
    receiver: nodes.node({ ...options, store }),
    kill: () => {
      isDead = true;
    },
  };
}

/** Lets leases run out, and whoever looks at them come to an end. */
async function pass(nodes: TaskNodes, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await nodes.clock.advance(Math.min(left, 1_000));
    await turn();
  }
}

describe("Takeover", () => {
  it("goes on with what a dead process had begun, from where that saved it, on exactly one other", async () => {
    const nodes = createTaskNodes();
    const first = createMortal(nodes);
    const runs: TaskRun[] = [];
    const finished = createDeferred();
    const resume = async (run: TaskRun): Promise<ReturnType<typeof saying>> => {
      runs.push(run);
      await finished.promise;
      return saying(`dug on from ${JSON.stringify(run.record.checkpoint)}`);
    };
    const others = [nodes.node({ resume }), nodes.node({ resume }), nodes.node({ resume })];
    await Promise.all(others.map((other) => other.start()));
    const { record, run } = await beginHeld(first.receiver, { origin });
    await run.save({ metres: 3 });
    await run.remember({ tool: { value: "spade" } });
    first.kill();
    await pass(nodes, 25_000);

    assert.equal(runs.length, 1);
    assert.deepEqual(runs[0]?.record.origin, origin);
    assert.deepEqual(runs[0]?.record.memories, { tool: { value: "spade" } });
    finished.resolve();
    await turn();
    const over = await others[0]?.get(record.taskId, "alice");
    assert.equal(over?.status, "completed");
    assert.deepEqual(over?.result, { content: [{ type: "text", text: 'dug on from {"metres":3}' }] });
    assert.equal(nodes.events.filter(({ kind }) => kind === "resumed").length, 1);
    for await (const key of nodes.store.keys("tasks-at/")) {
      assert.equal(await nodes.store.get(key).then((stored) => stored?.value), "[]");
    }
  });

  it("ends what cannot be gone on with, and says why [TASK-024]", async () => {
    const nodes = createTaskNodes();
    const first = createMortal(nodes);
    const other = nodes.node({ resume: async () => saying("never") });
    await other.start();
    const { record } = await beginHeld(first.receiver);
    const waiting = other.whenOver(record.taskId, "alice");
    first.kill();
    await pass(nodes, 25_000);
    const over = await waiting;
    assert.equal(over.status, "failed");
    assert.match(over.statusMessage ?? "", /the process that worked on the task ended before it was done/);
    assert.equal(over.error?.code, -32_603);
  });

  it("sees to a task of a dead process at once when somebody asks for it", async () => {
    const nodes = createTaskNodes();
    const first = createMortal(nodes);
    const { record } = await beginHeld(first.receiver);
    first.kill();
    await pass(nodes, 10_001);
    const late = nodes.node();
    assert.equal((await late.get(record.taskId, "alice")).status, "failed");
  });

  it("leaves alone what a living process works on, however often it is asked for", async () => {
    const nodes = createTaskNodes();
    const here = nodes.node();
    const there = nodes.node();
    const { record, outcome } = await beginHeld(here);
    await there.start();
    await pass(nodes, 60_000);
    assert.equal((await there.get(record.taskId, "alice")).status, "working");
    outcome.resolve(saying("done"));
    await turn();
    assert.equal((await there.get(record.taskId, "alice")).status, "completed");
  });

  it("hands over at once when a process stops in order", async () => {
    const nodes = createTaskNodes();
    const here = nodes.node();
    const there = nodes.node({ resume: async (run) => saying(`from ${String(run.record.checkpoint)}`) });
    await there.start();
    const { record, run, outcome } = await beginHeld(here, { origin });
    await run.save(7);
    await here.close();
    assert.equal(run.signal.aborted, true);
    outcome.resolve(saying("too late"));
    await turn();
    await turn();
    const over = await there.whenOver(record.taskId, "alice");
    assert.deepEqual(over.result, { content: [{ type: "text", text: "from 7" }] });
  });

  it("finds what the only process left, when it is started again", async () => {
    const nodes = createTaskNodes();
    const here = nodes.node();
    const { record } = await beginHeld(here, { origin });
    await here.close();
    await pass(nodes, 60_000);
    const again = nodes.node({ resume: async () => saying("done after all") });
    await again.start();
    await turn();
    await turn();
    assert.equal((await again.whenOver(record.taskId, "alice")).status, "completed");
  });

  it("gives work that is run again the answers it had, and asks what is still open under the same key [X-TASK-028]", async () => {
    const nodes = createTaskNodes();
    const first = createMortal(nodes);
    const answers: unknown[] = [];
    const other = nodes.node({
      resume: async (run) => {
        answers.push(await run.ask(question, "colour"), await run.ask(question, "size"));
        return saying("done");
      },
    });
    await other.start();
    const { record, run } = await beginHeld(first.receiver, { origin });
    const colour = run.ask(question, "colour");
    await turn();
    const [colourKey = ""] = Object.keys((await other.get(record.taskId, "alice")).questions);
    const red = { action: "accept", content: { value: "red" } };
    await other.answer(record.taskId, "alice", { [colourKey]: red });
    assert.deepEqual(await colour, red);
    run.ask(question, "size").catch(() => undefined);
    await turn();
    const before = Object.keys((await other.get(record.taskId, "alice")).questions);
    first.kill();
    await pass(nodes, 25_000);

    const after = await other.get(record.taskId, "alice");
    assert.equal(after.status, "input_required");
    assert.deepEqual(Object.keys(after.questions), before);
    const large = { action: "accept", content: { value: "large" } };
    await other.answer(record.taskId, "alice", { [before[0] ?? ""]: large });
    assert.equal((await other.whenOver(record.taskId, "alice")).status, "completed");
    assert.deepEqual(answers, [red, large]);
  });

  it("lets a process that was counted out change nothing any more [TASK-022]", async () => {
    const nodes = createTaskNodes();
    const { record, run, outcome } = await beginHeld(nodes.node(), { origin });
    const other = nodes.node({ resume: async () => saying("done by the other") });
    // The store counts the process out, which goes on all the same.
    const { node } = record;
    await nodes.store.delete(`node/${node}`);
    assert.equal((await other.get(record.taskId, "alice")).node === node, false);
    await turn();
    assert.equal(run.signal.aborted, true);
    await assert.rejects(run.save(1));
    outcome.resolve(saying("done by the first"));
    await turn();
    const over = await other.whenOver(record.taskId, "alice");
    assert.deepEqual(over.result, { content: [{ type: "text", text: "done by the other" }] });
  });

  it("gives up work that brought down every process that took it", async () => {
    const nodes = createTaskNodes();
    const never = (): Promise<never> => new Promise(() => undefined);
    let last = createMortal(nodes);
    const { record } = await beginHeld(last.receiver, { origin });
    for (let count = 0; count < 4; count += 1) {
      last.kill();
      await pass(nodes, 10_001);
      last = createMortal(nodes, { resume: never });
      assert.equal((await last.receiver.get(record.taskId, "alice")).status, "working");
    }
    last.kill();
    await pass(nodes, 10_001);
    const over = await nodes.node({ resume: never }).get(record.taskId, "alice");
    assert.equal(over.status, "failed");
    assert.match(over.statusMessage ?? "", /each of the 5 processes/);
  });
});
