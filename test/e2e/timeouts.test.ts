// Time limits of calls, on a clock that the test moves.

import assert from "node:assert/strict";
import { TimeoutError } from "parley-mcp";
import { defineServer, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { Arrivals } from "../fixtures/signals.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };

/** A server with a tool that reports progress when the test says so, and ends when it is aborted. */
function slow() {
  const started = new Arrivals<(done: number) => void>();
  const app = defineServer({
    ...identity,
    tools: {
      slow: tool({ description: "Takes for ever" }, async (_, { progress, signal }) => {
        started.take(progress);
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
        return "stopped";
      }),
    },
  });
  return Object.assign(app, { started });
}

verifies("time limits", [
  scenario({
    title:
      "end a silent call after a minute unless it says otherwise, and tell the server [LIFE-022] [LIFE-023] [LIFE-024] [LIFE-027]",
    app: slow,
    run: async ({ app, join, isAlone }) => {
      const clock = createFakeClock(1_000_000);
      const { client, wire } = await join({ ...tester, clock });
      const cancellations = isAlone && wire.http.length > 0 ? 0 : 1;
      const byDefault = assert.rejects(client.callTool("slow", {}), (error) => {
        assert.ok(error instanceof TimeoutError);
        assert.equal(error.limit, "idle");
        return true;
      });
      const own = assert.rejects(client.callTool("slow", {}, { idleTimeoutMs: 5_000 }), { code: "MCP_TIMEOUT" });
      await app.started.until(2);
      await clock.advance(5_000);
      await own;
      await wire.untilSent("client", "notifications/cancelled", cancellations);
      await clock.advance(54_999);
      assert.equal(wire.sent("client", "notifications/cancelled").length, cancellations);
      await clock.advance(1);
      await byDefault;
      await wire.untilSent("client", "notifications/cancelled", 2 * cancellations);
      const calls = wire.sent("client", "tools/call").map(({ id }) => id);
      const cancelled = wire.sent("client", "notifications/cancelled").map(({ params }) => params?.requestId);
      // Over HTTP, requests that stand for themselves are given up by closing their streams.
      assert.deepEqual(cancelled, cancellations === 0 ? [] : calls.reverse());
      assert.equal(clock.pendingTimers, 0);
    },
  }),
  scenario({
    title: "start anew with every step of progress, asked for or not, up to the total [LIFE-025] [LIFE-026] [PP-034]",
    needs: ["tell"],
    app: slow,
    run: async ({ app, join }) => {
      const clock = createFakeClock(1_000_000);
      const { client, wire } = await join({ ...tester, clock });
      const limits = { idleTimeoutMs: 10_000, totalTimeoutMs: 25_000 };
      const call = assert.rejects(client.callTool("slow", {}, limits), { code: "MCP_TIMEOUT", limit: "total" });
      const [progress] = await app.started.until(1);
      const heard = new Arrivals<unknown>();
      client.onNotification("notifications/progress", heard.take);
      for (let step = 1; step <= 3; step += 1) {
        await clock.advance(step === 3 ? 7_999 : 8_000);
        progress?.(step);
        await wire.untilSent("server", "notifications/progress", step);
        // A round trip behind it: the step has been delivered by then.
        await client.ping();
      }
      assert.deepEqual(wire.sent("client", "notifications/cancelled"), []);
      await clock.advance(1_001);
      await call;
    },
  }),
]);
