// Tasks from the client's side: calls that servers make tasks of, in both forms, over every link.

import assert from "node:assert/strict";
import { type CallRecord, TaskError } from "parley-mcp/client";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";
import { createDeferred } from "../../src/base/deferred.ts";
import { scenario, verifies } from "./verifies.ts";

const tester = { name: "tester", version: "1.0.0" };
const since = "2025-11-25";
/** The schemas know results by their methods, and not that a call may be answered with a task. */
const isOfficial = false;
const task = { support: "required", pollIntervalMs: 50 } as const;
const person = z.object({ name: z.string() });

const about = { name: "demo", version: "1.0.0", requestState: { keys: [new Uint8Array(32)] } };

const bake = () => {
  const oven = createDeferred<string>();
  const signals: AbortSignal[] = [];
  const app = defineServer({
    ...about,
    tools: {
      bake: tool({ description: "Bakes", task }, (_args, ctx) => {
        signals.push(ctx.signal);
        return oven.promise;
      }),
    },
  });
  return Object.assign(app, { oven, signals });
};

verifies("tasks of a client", [
  scenario({
    title: "are calls that take longer: callTool simply resolves [TASK-010] [X-TASK-011] [X-TASK-042] [PP-115]",
    since,
    isOfficial,
    app: bake,
    run: async ({ client, app, wire }) => {
      const result = client.callTool("bake", {});
      setImmediate(() => app.oven.resolve("a cake"));
      assert.deepEqual((await result).content, [{ type: "text", text: "a cake" }]);
      const asked = ["tasks/get", "tasks/result"].flatMap((method) => wire.sent("client", method));
      assert.ok(asked.length > 0);
    },
  }),
  scenario({
    title: "give the result of a tool that failed as a result [TASK-030] [X-TASK-022]",
    since,
    isOfficial,
    app: () =>
      defineServer({
        ...about,
        tools: {
          fail: tool({ description: "Fails", task }, () => ({
            content: [{ type: "text", text: "no flour" }],
            isError: true,
          })),
        },
      }),
    run: async ({ client }) => {
      const { isError, content } = await client.callTool("fail", {});
      assert.deepEqual([isError, content], [true, [{ type: "text", text: "no flour" }]]);
    },
  }),
  scenario({
    title:
      "ask by the handlers of direct questions, each question once [TASK-034] [TASK-033] [X-TASK-026] [X-TASK-027]",
    since,
    isOfficial,
    needs: ["ask"],
    app: () => {
      const app = defineServer({
        ...about,
        tools: {
          greet: tool({ description: "Greets", task }, async (_args, ctx) => {
            const names: string[] = [];
            for (const question of ["Who are you?", "And who is that?"]) {
              const answer = await ctx.elicit(question, person);
              names.push(answer.action === "accept" ? answer.content.name : answer.action);
            }
            return names.join(" and ");
          }),
        },
      });
      return app;
    },
    client: () => {
      const asked = new Set<string>();
      return {
        ...tester,
        elicitation: {
          form: ({ message }) => {
            assert.ok(!asked.has(message), `asked twice: ${message}`);
            asked.add(message);
            return { action: "accept", content: { name: message.startsWith("Who") ? "Ada" : "Bob" } };
          },
        },
      };
    },
    run: async ({ client }) => {
      const { content } = await client.callTool("greet", {});
      assert.deepEqual(content, [{ type: "text", text: "Ada and Bob" }]);
    },
  }),
  scenario({
    title: "are cancelled at the server when the call is given up [X-TASK-032] [TASK-046] [CANCEL-004]",
    since,
    isOfficial,
    app: bake,
    run: async ({ client, app, wire }) => {
      const controller = new AbortController();
      const reason = new Error("enough");
      const failed = assert.rejects(
        client.callTool("bake", {}, { signal: controller.signal }),
        (error) => error === reason,
      );
      await until(() => app.signals.length === 1 && wire.sent("client", "tasks/get").length > 0);
      controller.abort(reason);
      await failed;
      await until(() => app.signals[0]?.aborted === true);
      assert.equal(wire.sent("client", "tasks/cancel").length, 1);
      assert.equal(wire.sent("client", "notifications/cancelled").length, 0);
    },
  }),
  scenario({
    title:
      "are handed out, shown, kept by their ids and gone on with by another client [X-TASK-023] [X-TASK-036] [X-TASK-042] [TASK-026]",
    since: "2026-07-28",
    isOfficial,
    app: bake,
    run: async ({ client, app, join, wire }) => {
      const handle = await client.tasks.call("bake", {});
      assert.equal(handle.status, "working");
      const id = String(handle.id);
      const walked: string[] = [];
      const walking = (async () => {
        for await (const { status } of handle) {
          walked.push(status);
        }
      })();
      await wire.untilSent("client", "tasks/get");
      for (const { headers, body } of wire.http.filter((each) => each.body?.method === "tasks/get")) {
        assert.equal(headers["mcp-name"], body?.params?.taskId);
      }
      const ended = assert.rejects(walking, { code: "MCP_CLOSED" });
      await client.close();
      await ended;
      const other = await join();
      assert.equal((await other.client.tasks.get(id)).status, "working");
      const result = other.client.tasks.follow(id).result();
      app.oven.resolve("a cake");
      assert.deepEqual((await result).content, [{ type: "text", text: "a cake" }]);
      assert.deepEqual(walked, ["working"]);
      await assert.rejects(
        other.client.tasks.get("nope"),
        (error) => error instanceof TaskError && error.reason === "gone",
      );
    },
  }),
  scenario({
    title: "are gone on with by their ids, and listed where there is such a list [X-TASK-023] [TASK-026] [TASK-044]",
    since,
    until: since,
    needs: ["session"],
    isOfficial,
    app: bake,
    run: async ({ client, app }) => {
      const handle = await client.tasks.call("bake", {});
      const id = String(handle.id);
      if (client.server.capabilities.tasks?.list !== undefined) {
        assert.deepEqual(
          (await client.tasks.list().all()).map(({ taskId }) => taskId),
          [id],
        );
      }
      const result = client.tasks.follow(id).result();
      app.oven.resolve("a cake");
      assert.deepEqual((await result).content, [{ type: "text", text: "a cake" }]);
    },
  }),
  scenario({
    title: "can be cancelled by hand, which everybody hears who waits for them [TASK-046] [X-TASK-031]",
    since,
    isOfficial,
    app: bake,
    run: async ({ client, app }) => {
      const handle = await client.tasks.call("bake", {});
      const failed = assert.rejects(handle.result(), { code: "MCP_TASK", reason: "cancelled" });
      await until(() => app.signals.length === 1);
      await handle.cancel();
      await failed;
      await until(() => app.signals[0]?.aborted === true);
      assert.equal(handle.status, "cancelled");
    },
  }),
  scenario({
    title: "are on record as one call each, however many there are at once",
    since,
    isOfficial,
    app: () =>
      defineServer({
        ...about,
        tools: {
          echo: tool({ description: "Echoes", task, input: z.object({ n: z.number() }) }, ({ n }) => String(n)),
        },
      }),
    run: async ({ join }) => {
      const records: CallRecord[] = [];
      const { client } = await join({ ...tester, onCall: (record) => records.push(record) });
      const numbers = Array.from({ length: 20 }, (_, n) => n);
      const results = await Promise.all(numbers.map((n) => client.callTool("echo", { n })));
      assert.deepEqual(
        results.map(({ content }) => content),
        numbers.map((n) => [{ type: "text", text: String(n) }]),
      );
      assert.deepEqual(
        records.map(({ outcome }) => outcome),
        numbers.map(() => "ok"),
      );
    },
  }),
]);

/** Waits for something that happens soon. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
