import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  adopt,
  answer,
  ask,
  cancel,
  claim,
  createRecord,
  finish,
  forget,
  release,
  remember,
  save,
  describe as say,
  type TaskRecord,
  withdraw,
} from "./record.ts";

const seed = { owner: "ada", method: "tools/call", name: "dig", node: "here", isResumable: true, origin: { a: 1 } };
const fresh = (): TaskRecord => createRecord({ ...seed, ttlMs: 60_000, pollIntervalMs: 500 }, 1_000);
const result = { result: { content: [] } };
const failure = { error: { code: -32_603, message: "broken" } };
const call = { method: "roots/list" };

/** The record after moves that must be allowed. */
function after(...moves: readonly ((record: TaskRecord) => TaskRecord | undefined)[]): TaskRecord {
  return moves.reduce<TaskRecord>((record, make) => {
    const next = make(record);
    assert.ok(next, "a move was refused");
    return next;
  }, fresh());
}

const asking = (record: TaskRecord): TaskRecord | undefined => ask(record, "k", call, 2_000);
const answering = (record: TaskRecord): TaskRecord | undefined => answer(record, { k: { result: {} } }, 3_000);

describe("TaskRecord", () => {
  it("moves between working and asking, and from either to an end [TASK-021] [X-TASK-019]", () => {
    assert.equal(fresh().status, "working");
    assert.equal(after(asking).status, "input_required");
    assert.equal(after(asking, answering).status, "working");
    for (const before of [after(), after(asking)]) {
      assert.equal(finish(before, result, 4_000)?.status, "completed");
      assert.equal(finish(before, failure, 4_000)?.status, "failed");
      assert.equal(cancel(before, 4_000)?.status, "cancelled");
    }
  });

  it("never leaves an end, and changes there in nothing [TASK-022] [TASK-047]", () => {
    for (const over of [
      after((record) => finish(record, result, 4_000)),
      after(asking, (record) => finish(record, failure, 4_000)),
      after((record) => cancel(record, 4_000)),
    ]) {
      const moves = [
        asking(over),
        answering(over),
        withdraw(over, "k", 5_000),
        claim(over, "k", "me", () => true),
        release(over, "k", "me"),
        say(over, "more", 5_000),
        save(over, 1),
        remember(over, { a: { value: 1 } }),
        finish(over, result, 5_000),
        finish(over, failure, 5_000),
        cancel(over, 5_000),
        adopt(over, "there", 5_000),
      ];
      assert.deepEqual(
        moves.filter((moved) => moved !== undefined),
        [],
      );
    }
  });

  it("notes the time of each change of its status, later every time, and that of its beginning [TASK-019]", () => {
    const states = [fresh()];
    for (const make of [asking, answering, (record: TaskRecord) => finish(record, result, 0)]) {
      const next = make(states.at(-1) ?? fresh());
      assert.ok(next);
      states.push(next);
    }
    assert.ok(states.every(({ createdAtMs }) => createdAtMs === 1_000));
    const times = states.map(({ updatedAtMs }) => updatedAtMs);
    assert.deepEqual(
      times,
      [...new Set(times)].sort((a, b) => a - b),
    );
  });

  it("keeps nothing of the work once it is over", () => {
    const over = after(
      asking,
      (record) => save(record, { step: 1 }),
      (record) => remember(record, { a: { value: 1 } }),
      (record) => finish(record, result, 4_000),
    );
    assert.deepEqual(
      [over.questions, over.answers, over.memories, over.checkpoint, over.origin],
      [{}, {}, {}, undefined, undefined],
    );
  });

  it("says why it failed, and not what it was doing before it was done [TASK-024]", () => {
    const busy = after((record) => say(record, "digging", 2_000));
    assert.equal(finish(busy, failure, 4_000)?.statusMessage, "broken");
    assert.equal(finish(busy, result, 4_000)?.statusMessage, undefined);
    assert.match(cancel(busy, 4_000)?.statusMessage ?? "", /cancelled/);
  });

  it("lets one ask at a time, and another when that one is gone or has let go", () => {
    const claimed = after(asking, (record) => claim(record, "k", "one", () => false));
    assert.equal(
      claim(claimed, "k", "two", () => false),
      undefined,
    );
    assert.equal(claim(claimed, "k", "two", (other) => other === "one")?.questions.k?.askedBy, "two");
    assert.equal(release(claimed, "k", "two"), undefined);
    const released = release(claimed, "k", "one");
    assert.ok(released);
    assert.equal(claim(released, "k", "two", () => false)?.questions.k?.askedBy, "two");
    assert.equal(
      claim(claimed, "toString", "two", () => true),
      undefined,
    );
  });

  it("ignores answers to what is not asked, and questions that are taken back twice", () => {
    const record = after(asking);
    assert.equal(answer(record, { other: result, constructor: result }, 3_000), undefined);
    assert.equal(withdraw(record, "other", 3_000), undefined);
    assert.equal(withdraw(record, "k", 3_000)?.status, "working");
  });

  it("asks no more what was asked before the work was saved, when another process goes on with it", () => {
    const saved = after(asking, (record) => save(record, 1));
    const adopted = adopt(saved, "there", 5_000);
    assert.deepEqual([adopted?.node, adopted?.runs, adopted?.status, adopted?.questions], ["there", 2, "working", {}]);
    const open = adopt(after(asking), "there", 5_000);
    assert.deepEqual([open?.status, Object.keys(open?.questions ?? {})], ["input_required", ["k"]]);
  });

  it("forgets the answers that were taken and no others", () => {
    const answered = after(asking, answering);
    assert.deepEqual(forget(answered, new Set(["other"])).answers, answered.answers);
    assert.deepEqual(forget(answered, new Set(["k"])).answers, {});
  });
});
