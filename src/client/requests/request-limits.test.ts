import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { openSession } from "../../../test/fixtures/fake-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";

/** The progress token and id of the only request of a method. */
function requestOf(server: FakeServer, method: string, index = 0) {
  const request = server.received.filter((message) => "method" in message && message.method === method)[index];
  assert.ok(request && "id" in request && "params" in request);
  const meta = request.params?._meta as { progressToken?: unknown } | undefined;
  return { id: request.id, token: meta?.progressToken };
}

describe("limits of requests", () => {
  it("fail after the idle limit, tell the server, and drop a late answer [LIFE-022] [LIFE-023] [CANCEL-001] [CANCEL-007]", async () => {
    const { clock, server, session } = await openSession();
    const failed = assert.rejects(session.callTool("slow"), { code: "MCP_TIMEOUT", limit: "idle", timeoutMs: 60_000 });
    await clock.advance(60_000);
    await failed;
    await turn();
    const { id } = requestOf(server, "tools/call");
    assert.equal(server.paramsOf("notifications/cancelled")[0]?.requestId, id);
    server.send({ jsonrpc: "2.0", id, result: { content: [] } });
    server.answers.set("ping", () => ({}));
    await session.ping();
    assert.equal(clock.pendingTimers, 0);
    await session.close();
  });

  it("have limits of their own, and defaults of the client [LIFE-024]", async () => {
    const { clock, session } = await openSession({ idleTimeoutMs: 500 });
    const ended: string[] = [];
    const track = (name: string, call: Promise<unknown>): void => void call.catch(() => ended.push(name));
    track("short", session.callTool("a", {}, { idleTimeoutMs: 100 }));
    track("default", session.callTool("b"));
    track("long", session.callTool("c", {}, { idleTimeoutMs: 900 }));
    await clock.advance(100);
    assert.deepEqual(ended, ["short"]);
    await clock.advance(400);
    assert.deepEqual(ended, ["short", "default"]);
    await clock.advance(400);
    assert.deepEqual(ended, ["short", "default", "long"]);
    await session.close();
  });

  it("live on while there is progress, up to the total limit, which says how much there was [LIFE-025] [LIFE-026] [PP-034]", async () => {
    const { clock, server, session } = await openSession();
    const call = session.callTool("slow", {}, { idleTimeoutMs: 200, totalTimeoutMs: 1_000 });
    const failed = assert.rejects(call, { code: "MCP_TIMEOUT", limit: "total", progressCount: 9 });
    await turn();
    const { token } = requestOf(server, "tools/call");
    for (let step = 1; step <= 9; step += 1) {
      await clock.advance(100);
      server.notify("notifications/progress", { progressToken: token, progress: step });
      await turn();
    }
    await clock.advance(100);
    await failed;
    await session.close();
  });

  it("expire in silence without progress, whether or not anybody listens for it [LIFE-025] [PP-034]", async () => {
    const { clock, server, session } = await openSession();
    const failed = assert.rejects(session.callTool("slow", {}, { idleTimeoutMs: 200 }), {
      limit: "idle",
      progressCount: 0,
    });
    await turn();
    assert.ok(Number.isInteger(requestOf(server, "tools/call").token));
    await clock.advance(200);
    await failed;
    await session.close();
  });

  it("route progress to their own callback, by tokens that differ [PROG-001] [PROG-002] [PROG-003] [PROG-008]", async () => {
    const { server, session, diagnostics } = await openSession();
    const seen = new Map<number, unknown[]>();
    for (let index = 0; index < 100; index += 1) {
      const steps: unknown[] = [];
      seen.set(index, steps);
      void session.callTool("t", { index }, { onProgress: (progress) => steps.push(progress) }).catch(() => {});
    }
    await turn();
    const tokens = server.paramsOf("tools/call").map(({ _meta }) => (_meta as { progressToken: number }).progressToken);
    assert.equal(new Set(tokens).size, 100);
    for (const [index, token] of tokens.entries()) {
      server.notify("notifications/progress", {
        progressToken: token,
        progress: index + 0.5,
        total: 200,
        message: "m",
      });
    }
    server.notify("notifications/progress", { progressToken: "foreign", progress: 1 });
    await turn();
    for (const [index, steps] of seen) {
      assert.deepEqual(steps, [{ progress: index + 0.5, total: 200, message: "m" }]);
    }
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_PROGRESS"],
    );
    await session.close();
  });

  it("get progress that comes with the result, and none after it, without a report [PP-035] [PROG-006]", async () => {
    const { server, session, diagnostics } = await openSession();
    const steps: number[] = [];
    const call = session.callTool("t", {}, { onProgress: ({ progress }) => steps.push(progress) });
    await turn();
    const { id, token } = requestOf(server, "tools/call");
    server.notify("notifications/progress", { progressToken: token, progress: 1 });
    server.send({ jsonrpc: "2.0", id, result: { content: [] } });
    await call;
    server.notify("notifications/progress", { progressToken: token, progress: 2 });
    await turn();
    assert.deepEqual(steps, [1]);
    assert.deepEqual(diagnostics, []);
    await session.close();
  });

  it("are given up with the caller's own reason, which the server is told [CANCEL-001] [CANCEL-002] [CANCEL-009] [PP-040]", async () => {
    const { server, session } = await openSession();
    const controller = new AbortController();
    const call = session.callTool("slow", {}, { signal: controller.signal });
    await turn();
    const reason = new Error("user pressed stop");
    controller.abort(reason);
    controller.abort(new Error("again"));
    await assert.rejects(call, (error) => error === reason);
    await turn();
    const { id } = requestOf(server, "tools/call");
    assert.deepEqual(server.paramsOf("notifications/cancelled"), [{ requestId: id, reason: "user pressed stop" }]);
    await session.close();
  });

  it("are not cancelled once they are over, nor sent when aborted before [CANCEL-002] [PP-040]", async () => {
    const { server, session } = await openSession();
    server.answers.set("tools/call", () => ({ content: [] }));
    const controller = new AbortController();
    await session.callTool("t", {}, { signal: controller.signal });
    controller.abort();
    await assert.rejects(session.callTool("t", {}, { signal: controller.signal }), { name: "AbortError" });
    await turn();
    assert.deepEqual(server.methods, ["tools/call"]);
    await session.close();
  });

  it("settle once when cancelled just as they complete [CANCEL-008]", async () => {
    const { server, session } = await openSession();
    server.answers.set("tools/call", () => ({ content: [] }));
    for (let round = 0; round < 1_000; round += 1) {
      const controller = new AbortController();
      const call = session.callTool("t", {}, { signal: controller.signal }).then(
        () => "result",
        () => "aborted",
      );
      for (let wait = 0; wait < round % 12; wait += 1) {
        await undefined;
      }
      controller.abort();
      assert.match(await call, /result|aborted/);
    }
    await session.close();
  });
});
