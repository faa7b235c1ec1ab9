import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { isAbortOf, linkSignals, onAbort, raceAbort } from "./abort.ts";

describe("linkSignals", () => {
  it("aborts with the reason of whichever source aborts first", () => {
    const [one, two] = [new AbortController(), new AbortController()];
    const linked = linkSignals(one.signal, undefined, two.signal);
    two.abort("two");
    one.abort("one");
    assert.equal(linked.signal.reason, "two");
  });

  it("is aborted from the start when a source already is", () => {
    assert.equal(linkSignals(AbortSignal.abort("early")).signal.reason, "early");
  });

  it("leaves the sources alone when aborted itself, and stops following after release", () => {
    const source = new AbortController();
    const first = linkSignals(source.signal);
    first.abort("mine");
    assert.equal(source.signal.aborted, false);
    const second = linkSignals(source.signal);
    second.release();
    source.abort("late");
    assert.equal(second.signal.aborted, false);
  });
});

describe("onAbort", () => {
  it("runs the listener once and not after removal", () => {
    const controller = new AbortController();
    const reasons: unknown[] = [];
    onAbort(controller.signal, (reason) => reasons.push(reason));
    onAbort(controller.signal, (reason) => reasons.push(["removed", reason]))();
    controller.abort("now");
    assert.deepEqual(reasons, ["now"]);
  });
});

describe("onAbort, many times on one signal", () => {
  it("leaves no warning of a leak, keeps the order, and no listener when all have stopped", () => {
    const controller = new AbortController();
    const { signal } = controller;
    const ran: number[] = [];
    const stops = Array.from({ length: 50 }, (_, index) => onAbort(signal, () => ran.push(index)));
    assert.equal(getEventListeners(signal, "abort").length, 1);
    for (const stop of stops) {
      stop();
      stop();
    }
    assert.equal(getEventListeners(signal, "abort").length, 0);
    const [, second] = [onAbort(signal, () => second?.()), onAbort(signal, () => ran.push(-1))];
    onAbort(signal, () => ran.push(50));
    controller.abort();
    assert.deepEqual(ran, [50], "one that was removed by another does not run");
  });
});

describe("isAbortOf", () => {
  it("knows the reason, what has it as its cause, and the errors of the platform", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const reason = new Error("the user left");
    const thrown = [
      reason,
      new Error("reading failed", { cause: reason }),
      new DOMException("aborted", "AbortError"),
      pause(60_000, undefined, { signal }).catch((error: unknown) => error),
      fetch("http://127.0.0.1:9", { signal }).catch((error: unknown) => error),
    ];
    controller.abort(reason);
    for (const error of await Promise.all(thrown)) {
      assert.equal(isAbortOf(signal, error), true, String(error));
    }
  });

  it("knows nothing else, and nothing before the signal has aborted", () => {
    const controller = new AbortController();
    const { signal } = controller;
    assert.equal(isAbortOf(signal, new DOMException("another one", "AbortError")), false);
    assert.equal(isAbortOf(signal, undefined), false);
    controller.abort("left");
    for (const error of [new Error("left"), new Error("disk full", { cause: new Error("left") }), "leave", undefined]) {
      assert.equal(isAbortOf(signal, error), false);
    }
  });
});

describe("raceAbort", () => {
  it("gives the promise's outcome when it comes first", async () => {
    assert.equal(await raceAbort(Promise.resolve(1), new AbortController().signal), 1);
    assert.equal(await raceAbort(Promise.resolve(2), undefined), 2);
    await assert.rejects(raceAbort(Promise.reject(new Error("own")), new AbortController().signal), /own/);
  });

  it("rejects with the signal's reason, untouched", async () => {
    const reason = { any: "value" };
    const controller = new AbortController();
    const raced = raceAbort(new Promise(() => {}), controller.signal);
    controller.abort(reason);
    await assert.rejects(raced, (error) => error === reason);
  });
});
