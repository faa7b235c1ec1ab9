import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { extensionTask, followTask, inTurn } from "../../test/fixtures/task-holder.ts";
import { ClosedError, HttpError, TimeoutError } from "../base/error.ts";
import { RpcError } from "../jsonrpc/error.ts";

const done = { content: [{ type: "text", text: "done" }] };
const completed = extensionTask("completed", { result: done });
const working = extensionTask("working");

describe("Follower whose holder is out of reach", () => {
  const faults = [
    new ClosedError("cut"),
    new TimeoutError("slow", { limit: "idle", timeoutMs: 1 }),
    new HttpError("503", { status: 503 }),
    new RpcError(-32603, "store away", { remote: true }),
  ];

  it("goes on when it is there again, asking less and less often until then", async () => {
    const { clock, run, timesOf } = followTask("extension", {
      task: working,
      answers: { "tasks/get": inTurn(...faults, completed) },
    });
    const result = run();
    await clock.advance(60_000);
    assert.deepEqual(await result, done);
    const gaps = toGaps(timesOf("tasks/get"));
    assert.equal(gaps.length, 4);
    for (const [index, gap] of gaps.entries()) {
      assert.ok(gap >= 500 * 2 ** index && gap <= 1_000 * 2 ** index, String(gaps));
    }
  });

  it("gives up with the fault itself when it stays away", async () => {
    const fault = new ClosedError("cut for good");
    const { clock, run, timesOf } = followTask("extension", { task: working, answers: { "tasks/get": inTurn(fault) } });
    const failed = assert.rejects(run(), (error) => error === fault);
    await clock.advance(300_000);
    await failed;
    assert.equal(timesOf("tasks/get").length, 8);
  });

  it("gives up at once where another attempt would not help", async () => {
    for (const fault of [
      new HttpError("403", { status: 403 }),
      new RpcError(-32601, "no tasks/get", { remote: true }),
      new Error("a bug"),
    ]) {
      const { run, timesOf } = followTask("extension", { answers: { "tasks/get": inTurn(fault) } });
      await assert.rejects(run(), (error) => error === fault);
      assert.equal(timesOf("tasks/get").length, 1);
    }
  });

  it("slows down where it asks too often, and never fails for that [X-TASK-024]", async () => {
    const limited = new HttpError("429", { status: 429, retryAfterMs: 10_000 });
    const hinted = new RpcError(-32000, "too often", { remote: true, data: { retryAfterMs: 20_000 } });
    const { clock, run, timesOf } = followTask("extension", {
      task: working,
      answers: { "tasks/get": inTurn(...Array.from({ length: 12 }, () => limited), hinted, completed) },
    });
    const result = run();
    await clock.advance(3_000_000);
    assert.deepEqual(await result, done);
    const gaps = toGaps(timesOf("tasks/get"));
    assert.ok(
      gaps.every((gap) => gap >= 10_000 && gap <= 60_000),
      String(gaps),
    );
    assert.ok(Number(gaps.at(-1)) >= 20_000);
  });
});

function toGaps(times: readonly number[]): number[] {
  return times.slice(1).map((time, index) => time - Number(times[index]));
}
