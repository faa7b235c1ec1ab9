// Progress: what a handler reports reaches the one call that asked for it.

import assert from "node:assert/strict";
import type { Progress } from "parley-mcp";
import { defineServer, tool } from "parley-mcp/server";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };

function working() {
  const state: { late: ((done: number) => void) | undefined } = { late: undefined };
  const app = defineServer({
    ...identity,
    tools: {
      work: tool({ description: "Works in steps" }, (_, { progress }) => {
        progress(0.5, 2, "half of one");
        progress(2, 2);
        progress(1, 2, "backwards");
        state.late = progress;
        return "done";
      }),
      count: tool({ description: "Reports often" }, (_, { progress }) => {
        for (let step = 1; step <= 10_000; step += 1) {
          progress(step, 10_000);
        }
        return "counted";
      }),
    },
  });
  return Object.assign(app, { state });
}

verifies("progress", [
  scenario({
    title:
      "reaches the caller in order and only forwards, before the answer [PROG-001] [PROG-003] [PROG-004] [HTTP-021] [O24-017] [O0326-018]",
    needs: ["tell"],
    app: working,
    run: async ({ client, wire, revision }) => {
      const seen: Progress[] = [];
      await client.callTool("work", {}, { onProgress: (step) => seen.push(step) });
      const message = revision >= "2025-03-26" ? { message: "half of one" } : undefined;
      assert.deepEqual(
        seen.map(({ progress, total, message: text }) => ({ progress, total, ...(text && { message: text }) })),
        [
          { progress: 0.5, total: 2, ...message },
          { progress: 2, total: 2 },
        ],
      );
      const { _meta } = wire.onlyParams("client", "tools/call") as { _meta: { progressToken: unknown } };
      const tokens = wire.sent("server", "notifications/progress").map(({ params }) => params?.progressToken);
      assert.deepEqual(tokens, [_meta.progressToken, _meta.progressToken]);
    },
  }),
  scenario({
    title: "stops with the answer [PROG-005] [PROG-006] [PP-035]",
    needs: ["tell"],
    app: working,
    run: async ({ client, wire, app }) => {
      await client.callTool("work", {});
      const before = wire.sent("server", "notifications/progress").length;
      app.state.late?.(3);
      await client.ping();
      assert.equal(wire.sent("server", "notifications/progress").length, before);
    },
  }),
  scenario({
    title: "of many calls at once goes to each by its own token [PROG-002] [PROG-008]",
    needs: ["tell"],
    app: () =>
      defineServer({
        ...identity,
        tools: {
          echo: tool(
            { input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const },
            async ({ n }, { progress }) => {
              progress(n + 1);
              await Promise.resolve();
              return String(n);
            },
          ),
        },
      }),
    run: async ({ client, wire }) => {
      const seen: number[][] = [];
      const calls = Array.from({ length: 100 }, (_, n) =>
        client.callTool("echo", { n }, { onProgress: ({ progress }) => seen.push([n, progress]) }),
      );
      await Promise.all(calls);
      assert.equal(seen.length, 100);
      assert.ok(seen.every(([n, progress]) => progress === Number(n) + 1));
      const tokens = wire.sent("client", "tools/call").map(({ params }) => JSON.stringify(params?._meta));
      assert.equal(new Set(tokens).size, 100);
    },
  }),
  scenario({
    title: "is throttled, and its last step is kept [PROG-009]",
    needs: ["tell"],
    app: working,
    run: async ({ client, wire }) => {
      await client.callTool("count", {});
      const sent = wire.sent("server", "notifications/progress");
      assert.ok(sent.length < 2_000, `${sent.length} notifications`);
      assert.equal(sent.at(-1)?.params?.progress, 10_000);
    },
  }),
]);
