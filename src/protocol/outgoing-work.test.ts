import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred } from "../base/deferred.ts";
import { createFakeClock } from "../test/clock.ts";
import { readProgressToken } from "./meta.ts";
import { Outgoing } from "./outgoing.ts";

describe("Outgoing.within", () => {
  it("bounds work of several requests, and tells it why it has to end", async () => {
    const clock = createFakeClock();
    const outgoing = new Outgoing({ clock });
    const reasons: unknown[] = [];
    const failed = assert.rejects(
      outgoing.within("a task", { totalTimeoutMs: 100 }, (signal) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      }),
      { code: "MCP_TIMEOUT", limit: "total", timeoutMs: 100, message: /^a task: / },
    );
    await clock.advance(100);
    await failed;
    assert.equal(reasons.length, 1);
    assert.equal(clock.pendingTimers, 0);
  });

  it("stands still while a person is asked, as does the time that is measured [PP-037]", async () => {
    const clock = createFakeClock();
    const outgoing = new Outgoing({ clock });
    const work = createDeferred<number>();
    const result = outgoing.within("a task", { totalTimeoutMs: 100 }, () => work.promise);
    const begun = outgoing.activeMs;
    await clock.advance(50);
    const [resume, resumeOther] = [outgoing.pause(), outgoing.pause()];
    await clock.advance(10_000);
    assert.equal(outgoing.activeMs - begun, 50);
    resume();
    resume();
    assert.equal(outgoing.activeMs - begun, 50);
    resumeOther();
    await clock.advance(30);
    assert.equal(outgoing.activeMs - begun, 80);
    work.resolve(1);
    assert.equal(await result, 1);
    assert.equal(clock.pendingTimers, 0);
  });

  it("gives up with the caller's reason, before it begins too [PP-040]", async () => {
    const outgoing = new Outgoing({ clock: createFakeClock() });
    const reason = new Error("enough");
    const signal = AbortSignal.abort(reason);
    let begun = 0;
    const begin = async (): Promise<void> => {
      begun += 1;
    };
    await assert.rejects(outgoing.within("w", { signal, totalTimeoutMs: 1 }, begin), (error) => error === reason);
    assert.equal(begun, 0);
  });
});

describe("progress of a request", () => {
  it("goes on beyond its result where that is wanted, and no longer [PROG-007]", async () => {
    const diagnostics: string[] = [];
    const outgoing = new Outgoing({ clock: createFakeClock(), onDiagnostic: ({ code }) => diagnostics.push(code) });
    const seen: number[] = [];
    const over = new AbortController();
    let token: unknown;
    await outgoing.request(
      async ({ params }) => {
        token = readProgressToken(params);
        return {};
      },
      { method: "tools/call" },
      { onProgress: ({ progress }) => seen.push(progress), progressUntil: over.signal },
    );
    const tell = (progress: number): unknown =>
      outgoing.receiveProgress({
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: token as number, progress },
      });
    tell(1);
    over.abort();
    tell(2);
    assert.deepEqual(seen, [1]);
    assert.deepEqual(diagnostics, [], "what comes late is no fault");
  });
});
