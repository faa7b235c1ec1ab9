// Tasks over HTTP on several nodes that share one store: made on one, asked for on another, left behind by a third.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AuthInfo, JsonObject } from "parley-mcp";
import type { HttpAuthenticator } from "parley-mcp/http/server";
import { type Context, defineServer, type Server, tool } from "parley-mcp/server";
import type { Store } from "parley-mcp/store";
import { createFakeClock, type FakeClock } from "parley-mcp/test";
import { createDeferred, type Deferred } from "../../src/base/deferred.ts";
import { Fleet, type Node } from "../fixtures/nodes.ts";
import { askAlone, CoreClient } from "../fixtures/task-requests.ts";
import { turn } from "../fixtures/turn.ts";
import { until } from "../fixtures/until.ts";

const form = { type: "object", properties: {} } as const;

/** Nodes with one definition, and what its tools are doing. */
function createFleet(count: number, options: ConstructorParameters<typeof Fleet>[2] = {}) {
  const clock = createFakeClock(Date.UTC(2026, 0, 1));
  const done: Deferred<string> = createDeferred<string>();
  const runs: { readonly node: Store; readonly ctx: Context }[] = [];
  const once: string[] = [];
  const define = (store: Store): Server =>
    defineServer({
      name: "demo",
      version: "1.0.0",
      store,
      clock,
      tools: {
        slow: tool({ description: "Waits", task: "required" }, (_args, ctx) => {
          runs.push({ node: store, ctx });
          return done.promise;
        }),
        asking: tool({ description: "Asks", task: "optional" }, async (_args, ctx) => {
          await ctx.beginTask();
          return (await ctx.elicit("Go on?", form)).action;
        }),
        quick: tool({ description: "Answers", task: "optional" }, () => "quick"),
        resumable: tool(
          {
            description: "Digs",
            input: {
              type: "object",
              properties: { where: { type: "string" } },
            } as const,
            task: { support: "required", resumable: true },
          },
          async ({ where }, ctx) => {
            runs.push({ node: store, ctx });
            const id = await ctx.once("id", () => {
              once.push("made");
              return `id ${once.length}`;
            });
            const from = ctx.task?.checkpoint ?? 0;
            if (from === 0) {
              await ctx.task?.save(7);
              await new Promise((_resolve, reject) => {
                ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason));
              });
            }
            return `${where} from ${String(from)}, ${id}, for ${ctx.auth?.subject ?? "nobody"}`;
          },
        ),
      },
    }) as Server;
  return { fleet: new Fleet(count, define, { clock, ...options }), clock, done, runs, once };
}

/** Lets leases run out, and whoever looks at them come to an end. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 1_000) {
    await clock.advance(1_000);
    await turn();
  }
}

const reach = (node: Node, taskId: unknown, status: string): Promise<JsonObject> =>
  until(async () => {
    const state = await askAlone(node, "tasks/get", { taskId });
    return state.status === status && state;
  });

const users: { readonly [token: string]: AuthInfo } = {
  a: { token: "a", clientId: "test", subject: "ada", scopes: [] },
  b: { token: "b", clientId: "test", subject: "bob", scopes: [] },
};
const auth: HttpAuthenticator = {
  authenticate: (request) => ({
    ok: true,
    auth: users[(request.header("authorization") ?? "").slice("Bearer ".length)],
  }),
};

describe("tasks on several nodes", () => {
  it("are found on any of them at once, and answered and cancelled from there [X-TASK-015]", async () => {
    const { fleet, runs } = createFleet(2);
    const [here, there] = [fleet.node(0), fleet.node(1)];
    const { taskId } = await askAlone(here, "tools/call", { name: "slow" });
    assert.equal((await askAlone(there, "tasks/get", { taskId })).status, "working");
    await until(() => runs.length > 0);
    await askAlone(there, "tasks/cancel", { taskId });
    await until(() => runs[0]?.ctx.signal.aborted);
    assert.equal((await askAlone(here, "tasks/get", { taskId })).status, "cancelled");

    const asking = await askAlone(here, "tools/call", { name: "asking" });
    const state = await reach(there, asking.taskId, "input_required");
    const [key = ""] = Object.keys(state.inputRequests as JsonObject);
    const inputResponses = { [key]: { action: "accept", content: {} } };
    await askAlone(there, "tasks/update", { taskId: asking.taskId, inputResponses });
    const { result } = (await reach(there, asking.taskId, "completed")) as { result: JsonObject };
    assert.deepEqual(result.content, [{ type: "text", text: "accept" }]);
    await fleet.close();
  });

  it("ask on the stream of the request for the result, whichever node has it [TASK-029] [TASK-033] [TASK-035]", async () => {
    const { fleet } = createFleet(2);
    const [here, there] = [fleet.node(0), fleet.node(1)];
    const client = await CoreClient.open(here);
    const { task } = (await client.ask(here, "tools/call", { name: "asking", task: {} })) as { task: JsonObject };
    const { taskId } = task;
    const result = await client.ask(there, "tasks/result", { taskId });
    assert.deepEqual(result.content, [{ type: "text", text: "accept" }]);
    assert.equal(client.asked.length, 1);
    const meta = client.asked[0]?.params?._meta as JsonObject;
    assert.deepEqual(meta["io.modelcontextprotocol/related-task"], { taskId });
    await fleet.close();
  });

  it("are polled for by plain replies, and not listed where nobody can be told apart [TASK-027] [TASK-052]", async () => {
    const { fleet } = createFleet(1);
    const node = fleet.node(0);
    const client = await CoreClient.open(node);
    const { task } = (await client.ask(node, "tools/call", { name: "slow", task: {} })) as { task: JsonObject };
    const { contentType, message } = await client.send(node, "tasks/get", { taskId: task.taskId });
    assert.match(contentType, /^application\/json/);
    assert.equal(message.result?.status, "working");
    assert.equal((await client.send(node, "tasks/list")).message.error?.code, -32_601);
    await fleet.close();
  });

  it("belong to their user, in all of that user's sessions and to nobody else [TASK-050] [TASK-051]", async () => {
    const { fleet } = createFleet(2, { auth });
    const [here, there] = [fleet.node(0), fleet.node(1)];
    const ada = await CoreClient.open(here, "a");
    const { task } = (await ada.ask(here, "tools/call", { name: "slow", task: {} })) as { task: JsonObject };
    const { taskId } = task;
    const again = await CoreClient.open(there, "a");
    const { tasks } = (await again.ask(there, "tasks/list")) as { tasks: JsonObject[] };
    assert.deepEqual(
      tasks.map((listed) => listed.taskId),
      [taskId],
    );
    const bob = await CoreClient.open(there, "b");
    assert.deepEqual((await bob.ask(there, "tasks/list")).tasks, []);
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      assert.equal((await bob.send(there, method, { taskId })).message.error?.code, -32_602, method);
    }
    assert.equal((await again.ask(there, "tasks/get", { taskId })).status, "working");
    await fleet.close();
  });

  it("go on where another node left them when it died, from what it had saved, or end and say why [TASK-024]", async () => {
    const { fleet, clock, runs, once } = createFleet(3, { auth });
    const [first, second, third] = [fleet.node(0), fleet.node(1), fleet.node(2)];
    const bearer = { authorization: "Bearer a" };
    // All of them are in use before one dies.
    for (const node of fleet.nodes) {
      await askAlone(node, "tools/list", {}, bearer);
    }
    const args = { name: "resumable", arguments: { where: "here" } };
    const { taskId } = await askAlone(first, "tools/call", args, bearer);
    const lost = await askAlone(first, "tools/call", { name: "slow" }, bearer);
    await until(() => runs.length === 2);
    await until(async () => runs.some(({ ctx }) => ctx.task?.checkpoint === 7));
    first.kill();
    await pass(clock, 25_000);
    const over = await until(async () => {
      const state = await askAlone(second, "tasks/get", { taskId }, bearer);
      return state.status === "completed" && state;
    });
    assert.deepEqual((over.result as JsonObject).content, [{ type: "text", text: "here from 7, id 1, for ada" }]);
    assert.equal(once.length, 1);
    assert.equal(runs.filter(({ ctx }) => ctx.task?.id === taskId).length, 2);
    const failed = await askAlone(third, "tasks/get", { taskId: lost.taskId }, bearer);
    assert.equal(failed.status, "failed");
    assert.match(String(failed.statusMessage), /the process that worked on the task ended before it was done/);
  });

  it("are handed over at once by a server that is closed in order", async () => {
    const { fleet, runs } = createFleet(2);
    const [first, second] = [fleet.node(0), fleet.node(1)];
    await askAlone(second, "tools/list", {});
    const args = { name: "resumable", arguments: { where: "there" } };
    const { taskId } = await askAlone(first, "tools/call", args);
    await until(() => runs.some(({ ctx }) => ctx.task?.checkpoint === 7));
    await first.app.close();
    const over = await reach(second, taskId, "completed");
    assert.deepEqual((over.result as JsonObject).content, [{ type: "text", text: "there from 7, id 1, for nobody" }]);
  });

  it("of both forms are served side by side, each to its own revision [X-TASK-008] [X-TASK-009]", async () => {
    const { fleet, done } = createFleet(1);
    const node = fleet.node(0);
    const client = await CoreClient.open(node);
    const { task } = (await client.ask(node, "tools/call", { name: "slow", task: {} })) as { task: JsonObject };
    const alone = await askAlone(node, "tools/call", { name: "slow" });
    assert.equal(alone.resultType, "task");
    assert.equal("ttl" in alone, false);
    const state = await client.ask(node, "tasks/get", { taskId: task.taskId });
    assert.equal("ttlMs" in state || "resultType" in state, false);
    assert.equal(
      (await client.send(node, "tasks/update", { taskId: task.taskId, inputResponses: {} })).message.error?.code,
      -32_601,
    );
    done.resolve("dug");
    await reach(node, alone.taskId, "completed");
    const result = await client.ask(node, "tasks/result", { taskId: task.taskId });
    assert.deepEqual(result.content, [{ type: "text", text: "dug" }]);
    await fleet.close();
  });

  it("are named in a header, which must be right [X-TASK-036] [X-TASK-037]", async () => {
    const { fleet } = createFleet(1);
    const node = fleet.node(0);
    const { taskId } = await askAlone(node, "tools/call", { name: "slow" });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      await assert.rejects(
        askAlone(node, method, { taskId, inputResponses: {} }, { "mcp-name": "other" }),
        /"code":-32020/,
        method,
      );
    }
    assert.equal((await askAlone(node, "tasks/get", { taskId })).status, "working");
    await fleet.close();
  });
});
