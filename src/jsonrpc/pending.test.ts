import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { PendingCalls } from "./pending.ts";

function call(log: unknown[]) {
  return {
    method: "ping",
    onRelated: undefined,
    resolve: (result: unknown) => log.push(result),
    reject: (error: unknown) => log.push(error),
  };
}

describe("PendingCalls", () => {
  it("never gives out an id twice, also when calls have ended [BASE-005]", () => {
    const pending = new PendingCalls();
    const ids = Array.from({ length: 1_000 }, () => {
      const id = pending.register(call([]));
      pending.take(id);
      return id;
    });
    assert.equal(new Set(ids).size, 1_000);
    assert.equal(pending.size, 0);
  });

  it("hands a call out once", () => {
    const pending = new PendingCalls();
    const id = pending.register(call([]));
    assert.notEqual(pending.take(id), undefined);
    assert.equal(pending.take(id), undefined);
  });

  it("tells late ids from foreign ones, and keeps the type of ids apart", () => {
    const pending = new PendingCalls();
    const id = pending.register(call([]));
    assert.equal(pending.take(String(id)), undefined);
    assert.equal(pending.take(id)?.method, "ping");
    assert.deepEqual(
      [id, id + 1, String(id), -1].map((value) => pending.wasIssued(value)),
      [true, false, false, false],
    );
  });

  it("rejects everything that waits when drained", () => {
    const log: unknown[] = [];
    const pending = new PendingCalls();
    pending.register(call(log));
    pending.register(call(log));
    pending.drain("ended");
    assert.deepEqual(log, ["ended", "ended"]);
    assert.equal(pending.size, 0);
  });

  it("releases the caller with the signal's reason before the peer is told, and once", async () => {
    const pending = new PendingCalls();
    const controller = new AbortController();
    const told: unknown[] = [];
    const answer = pending.ask(
      "ping",
      { signal: controller.signal },
      (id) => told.push(id),
      (id, reason) => told.push([id, reason, pending.size]),
    );
    controller.abort("enough");
    await assert.rejects(answer, (reason) => reason === "enough");
    assert.deepEqual(told, [0, [0, "enough", 0]]);
  });

  it("sends nothing where the signal has aborted already, and tells nobody of a signal that aborts after the answer", async () => {
    const pending = new PendingCalls();
    const told: unknown[] = [];
    const tell = (id: number): number => told.push(id);
    await assert.rejects(
      pending.ask("ping", { signal: AbortSignal.abort("no") }, tell, tell),
      (reason) => reason === "no",
    );
    const controller = new AbortController();
    const answer = pending.ask("ping", { signal: controller.signal }, () => undefined, tell);
    pending.take(0)?.resolve({});
    controller.abort();
    assert.deepEqual(await answer, {});
    assert.deepEqual(told, []);
  });
});
