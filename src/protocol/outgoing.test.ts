import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred } from "../base/deferred.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { TimeoutError } from "../base/error.ts";
import type { Call, LinkRequestOptions } from "../jsonrpc/link.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import { createFakeClock } from "../test/clock.ts";
import { readProgressToken } from "./meta.ts";
import { Outgoing, type Progress, type RequestOptions } from "./outgoing.ts";

/** An Outgoing over a link on which every request waits for the test. */
function setup() {
  const clock = createFakeClock();
  const diagnostics: Diagnostic[] = [];
  const outgoing = new Outgoing({ clock, onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
  const sent: { call: Call; options: LinkRequestOptions; answer: (result: JsonObject) => void }[] = [];
  const request = (options?: RequestOptions, method = "tools/call", params?: JsonObject): Promise<JsonObject> => {
    const result = outgoing.request(
      (call, linkOptions) => {
        const deferred = createDeferred<JsonObject>();
        sent.push({ call, options: linkOptions, answer: deferred.resolve });
        linkOptions.signal?.addEventListener("abort", () => deferred.reject(linkOptions.signal?.reason));
        return deferred.promise;
      },
      { method, params },
      options,
    );
    result.catch(() => {});
    return result;
  };
  const progress = (progressToken: unknown, value: unknown, rest: JsonObject = {}): boolean =>
    outgoing.receiveProgress({
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken, progress: value, ...rest },
    });
  const token = (index: number): unknown => readProgressToken(sent[index]?.call.params);
  return { clock, diagnostics, outgoing, sent, request, progress, token };
}

describe("Outgoing", () => {
  it("times out by default when the peer never answers, and leaves no timer [LIFE-022]", async () => {
    const { clock, request } = setup();
    const call = request();
    await clock.advance(59_999);
    const rejected = assert.rejects(call, (error) => error instanceof TimeoutError && error.limit === "idle");
    await clock.advance(1);
    await rejected;
    assert.equal(clock.pendingTimers, 0);
  });

  it("aborts the link's request with the timeout, so that the peer is told [LIFE-023]", async () => {
    const { clock, request, sent } = setup();
    void request({ idleTimeoutMs: 100 });
    await clock.advance(100);
    assert.ok(sent[0]?.options.signal?.reason instanceof TimeoutError);
  });

  it("takes limits per request [LIFE-024]", async () => {
    const { clock, request } = setup();
    const ended: string[] = [];
    request({ idleTimeoutMs: 100 }).catch(() => ended.push("short"));
    request({ idleTimeoutMs: 300 }).catch(() => ended.push("long"));
    await clock.advance(150);
    assert.deepEqual(ended, ["short"]);
    await clock.advance(150);
    assert.deepEqual(ended, ["short", "long"]);
  });

  it("lives on while progress arrives, without a callback being given, until the total is over [LIFE-025] [LIFE-026] [PP-034]", async () => {
    const { clock, request, progress, token } = setup();
    const call = request({ idleTimeoutMs: 200, totalTimeoutMs: 1_000 });
    for (let step = 1; step < 10; step += 1) {
      await clock.advance(100);
      progress(token(0), step);
    }
    const rejected = assert.rejects(
      call,
      (error) => error instanceof TimeoutError && error.limit === "total" && error.progressCount === 9,
    );
    await clock.advance(100);
    await rejected;
  });

  it("counts any message that the link ties to the request as a sign of life [PP-034]", async () => {
    const { clock, request, sent } = setup();
    const call = request({ idleTimeoutMs: 200 });
    await clock.advance(150);
    sent[0]?.options.onRelated?.({ jsonrpc: "2.0", method: "notifications/message", params: {} });
    await clock.advance(150);
    sent[0]?.answer({ done: true });
    assert.deepEqual(await call, { done: true });
  });

  it("gives parallel requests tokens of their own and routes progress by them [PROG-001] [PROG-002]", () => {
    const { request, progress, token } = setup();
    const seen: [number, Progress][] = [];
    for (let index = 0; index < 100; index += 1) {
      void request({ onProgress: (step) => seen.push([index, step]) });
    }
    const tokens = Array.from({ length: 100 }, (_, index) => token(index));
    assert.equal(new Set(tokens).size, 100);
    assert.ok(tokens.every(Number.isInteger));
    progress(token(7), 0.5, { total: 2, message: "half way" });
    assert.deepEqual(seen, [[7, { progress: 0.5, total: 2, message: "half way" }]]);
  });

  it("keeps the caller's own metadata beside the token [META-001]", () => {
    const { request, sent } = setup();
    void request({}, "tools/call", { name: "add", _meta: { "com.example/x": 1 } });
    assert.deepEqual(sent[0]?.call.params, { name: "add", _meta: { "com.example/x": 1, progressToken: 1 } });
  });

  it("asks no progress of requests that are no work", () => {
    const { request, token } = setup();
    void request({}, "ping");
    void request({}, "initialize");
    assert.deepEqual([token(0), token(1)], [undefined, undefined]);
  });

  it("drops progress that comes late in silence and reports what was never asked for [PROG-008] [PP-035]", async () => {
    const { request, progress, token, sent, diagnostics } = setup();
    const call = request();
    const issued = token(0);
    sent[0]?.answer({});
    await call;
    assert.equal(progress(issued, 1), true);
    assert.equal(diagnostics.length, 0);
    progress("foreign", 1);
    progress(99, 1);
    progress({}, 1);
    assert.equal(diagnostics.length, 3);
  });

  it("does not let a callback that throws break the connection", () => {
    const { request, progress, token, diagnostics } = setup();
    void request({
      onProgress: () => {
        throw new Error("broken callback");
      },
    });
    progress(token(0), 1);
    assert.equal(diagnostics[0]?.code, "MCP_D_CALLBACK_FAULT");
  });

  it("rejects with the caller's own abort reason, and sends nothing where it was aborted before [PP-040]", async () => {
    const { request, sent } = setup();
    const controller = new AbortController();
    const call = request({ signal: controller.signal });
    controller.abort("enough");
    await assert.rejects(call, (error) => error === "enough");
    await assert.rejects(request({ signal: controller.signal }), (error) => error === "enough");
    assert.equal(sent.length, 1);
  });

  it("stands still while a person is asked, then goes on [PP-037]", async () => {
    const { clock, outgoing, request, sent } = setup();
    const call = request();
    const resume = outgoing.pause();
    await clock.advance(180_000);
    resume();
    await clock.advance(59_000);
    sent[0]?.answer({ late: false });
    assert.deepEqual(await call, { late: false });
    assert.equal(clock.pendingTimers, 0);
  });
});
