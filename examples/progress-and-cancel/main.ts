// A tool that takes its time: it says how far it is, writes to the log, and stops when the caller gives up.

import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import { defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";

const stopped: unknown[] = [];

// #region server
const app = defineServer({
  name: "worker",
  version: "1.0.0",
  tools: {
    work: tool(
      { description: "Works in steps", input: z.object({ steps: z.number().int(), pauseMs: z.number() }) },
      async ({ steps, pauseMs }, ctx) => {
        ctx.signal.addEventListener("abort", () => stopped.push(ctx.signal.reason), { once: true });
        for (let step = 1; step <= steps; step += 1) {
          await pause(pauseMs, undefined, { signal: ctx.signal });
          ctx.progress(step, steps, `step ${step}`);
          ctx.log.info({ step });
        }
        return "done";
      },
    ),
  },
});
// #endregion

const logs: unknown[] = [];
const client = defineClient({ name: "host", version: "1.0.0", onLog: ({ data }) => logs.push(data) });
const session = await connect(app, { client });

// #region progress
const seen: string[] = [];
await session.tools.work(
  { steps: 3, pauseMs: 1 },
  { onProgress: ({ progress, total, message }) => seen.push(`${progress}/${total} ${message}`) },
);
assert.deepEqual(seen, ["1/3 step 1", "2/3 step 2", "3/3 step 3"]);
assert.deepEqual(logs, [{ step: 1 }, { step: 2 }, { step: 3 }]);
// #endregion

// #region cancel
const controller = new AbortController();
const call = session.tools.work(
  { steps: 1_000, pauseMs: 5 },
  { signal: controller.signal, onProgress: () => controller.abort(new Error("no longer needed")) },
);
await assert.rejects(call, { message: "no longer needed" }); // the signal's own reason, at once
// #endregion

// #region timeout
// Silence is limited, the whole is limited; progress starts the first limit anew, never the second.
const slow = session.tools.work({ steps: 2, pauseMs: 10_000 }, { idleTimeoutMs: 50, totalTimeoutMs: 1_000 });
await assert.rejects(slow, { code: "MCP_TIMEOUT", limit: "idle", timeoutMs: 50 });
// #endregion

await session.ping();
assert.equal(stopped.length, 2, "the server stopped both");
await session.close();
