// Tools of the server fixture that take a while, and tell what they are doing meanwhile.

import { setTimeout as delay } from "node:timers/promises";
import { tool } from "parley-mcp/server";

/** How long a step of work takes, in milliseconds. */
const stepMs = 50;

/** See the head of this file. */
export const workingTools = {
  test_tool_with_logging: tool({ description: "Writes three log messages while it works" }, async (_args, ctx) => {
    ctx.log.info("Tool execution started");
    await delay(stepMs, undefined, { signal: ctx.signal });
    ctx.log.info("Tool processing data");
    await delay(stepMs, undefined, { signal: ctx.signal });
    ctx.log.info("Tool execution completed");
    return "Tool with logging executed successfully";
  }),

  test_logging_tool: tool({ description: "Writes one log message" }, (_args, ctx) => {
    ctx.log.info("Logging tool called");
    return "Logged, for whoever wants it";
  }),

  test_tool_with_progress: tool({ description: "Reports progress while it works" }, async (_args, ctx) => {
    ctx.progress(0, 100);
    await delay(stepMs, undefined, { signal: ctx.signal });
    ctx.progress(50, 100);
    await delay(stepMs, undefined, { signal: ctx.signal });
    ctx.progress(100, 100);
    return "Tool with progress executed successfully";
  }),

  test_reconnection: tool(
    { description: "Ends the stream of its answer before it answers; the client comes back for it" },
    async (_args, ctx) => {
      ctx.closeStream();
      await delay(2 * stepMs, undefined, { signal: ctx.signal });
      return "Reconnection test completed successfully";
    },
  ),
};
