// Tasks in a store that is really another process: asked, answered, cancelled and left behind across three receivers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createId } from "../../src/base/id.ts";
import { systemClock } from "../../src/base/timer.ts";
import type { Store } from "../../src/store/contracts.ts";
import { redis } from "../../src/store/redis/open.node.ts";
import { TaskReceiver } from "../../src/tasks/receiver.ts";
import type { TaskReceiverOptions } from "../../src/tasks/receiver-options.ts";
import { CuttableStore } from "../fixtures/nodes.ts";
import { redisUrl } from "../fixtures/redis.ts";
import { beginHeld, question, saying } from "../fixtures/task-receiver.ts";
import { within } from "../fixtures/within.ts";

describe("tasks in Redis", () => {
  it("go from process to process [X-TASK-015]", async () => {
    const prefix = `tasks-test-${createId(8)}:`;
    const stores: Store[] = [];
    const open = (options: Partial<TaskReceiverOptions> = {}) => {
      const store = redis(redisUrl, { prefix });
      const cuttable = new CuttableStore(store);
      stores.push(store);
      const receiver = new TaskReceiver({
        store: cuttable,
        clock: systemClock,
        leaseMs: 600,
        onDiagnostic: () => undefined,
        ...options,
      });
      return { receiver, cuttable };
    };
    const resume: TaskReceiverOptions["resume"] = async (run) => saying(`from ${String(run.record.checkpoint)}`);
    const first = open();
    const second = open({ resume });
    const third = open({ resume });
    await Promise.all([first, second, third].map(({ receiver }) => receiver.start()));

    const { record, run, outcome } = await beginHeld(first.receiver);
    assert.equal((await second.receiver.get(record.taskId, "alice")).status, "working");
    const over = third.receiver.whenOver(record.taskId, "alice", { ask: async () => ({ action: "decline" }) });
    assert.deepEqual(await within(run.ask(question, "first"), "the answer"), { action: "decline" });
    outcome.resolve(saying("done"));
    assert.equal((await within(over, "the end")).status, "completed");

    const cancelled = await beginHeld(first.receiver);
    await second.receiver.cancel(cancelled.record.taskId, "alice");
    await within(
      new Promise<void>((resolve) => {
        const { signal } = cancelled.run;
        signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve());
      }),
      "the cancellation",
    );

    const left = await beginHeld(first.receiver, { origin: {} });
    await left.run.save(3);
    first.cuttable.cut();
    const finished = await within(second.receiver.whenOver(left.record.taskId, "alice"), "the takeover");
    assert.deepEqual(finished.result, { content: [{ type: "text", text: "from 3" }] });
    const { tasks } = await third.receiver.list("alice", undefined, 10);
    assert.deepEqual(
      tasks.map(({ status }) => status),
      ["completed", "cancelled", "completed"],
    );

    await Promise.all([second.receiver.close(), third.receiver.close()]);
    const [store] = stores;
    for await (const key of store?.keys("") ?? []) {
      await store?.delete(key);
    }
    await Promise.all(stores.map((each) => each.close()));
  });
});
