// Calls that take long, as tasks: a client that just calls, one that follows by hand, a question inside, work that another
// process goes on with, and a client that is asked for a task itself.

import assert from "node:assert/strict";
import { defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { serve } from "parley-mcp/serve";
import { defineServer, type TaskEvent, tool } from "parley-mcp/server";
import { createMemoryStore } from "parley-mcp/store";
import { z } from "zod";

const events: TaskEvent[] = [];
const store = createMemoryStore(); // several processes share a Redis instead

// #region server
const report = tool(
  {
    description: "Writes the report of a year",
    input: z.object({ year: z.number().int() }),
    task: { support: "optional", afterMs: 20, pollIntervalMs: 50, immediateResponse: "The report is being written." },
  },
  async ({ year }, ctx) => {
    for (let chapter = 1; chapter <= 3; chapter += 1) {
      await ctx.task?.status(`chapter ${chapter} of 3`); // where it is a task, for whoever looks at it
      await write(chapter, ctx.signal);
    }
    return `report of ${year}`;
  },
);
// #endregion

// #region question
const order = tool(
  {
    description: "Orders paper",
    input: z.object({ sheets: z.number().int() }),
    task: { support: "optional", begin: "handler", pollIntervalMs: 50 },
  },
  async ({ sheets }, ctx) => {
    if (sheets > 1_000) {
      const sure = await ctx.elicit(`Really ${sheets} sheets?`, z.object({ yes: z.boolean() })); // in the call itself
      if (sure.action !== "accept" || !sure.content.yes) {
        return "not ordered"; // there never was a task
      }
    }
    await ctx.beginTask(); // from here on it is one
    const colour = await ctx.elicit("Which colour?", z.object({ colour: z.string() })); // the task waits for the answer
    return colour.action === "accept" ? `${sheets} sheets, ${colour.content.colour}` : "not ordered";
  },
);
// #endregion

// #region resumable
const index = tool(
  {
    description: "Indexes the archive",
    task: { support: "required", resumable: true, pollIntervalMs: 50, ttlMs: 86_400_000 },
  },
  async (_args, ctx) => {
    const run = await ctx.once("run", () => crypto.randomUUID()); // the same in every process that goes on with it
    let folder = typeof ctx.task?.checkpoint === "number" ? ctx.task.checkpoint : 0;
    for (; folder < 6; folder += 1) {
      await indexFolder(run, folder, ctx.signal); // may be done twice, for the folder that was not saved
      await ctx.task?.save(folder + 1);
    }
    return `${folder} folders`;
  },
);
// #endregion

// #region title
const title = tool({ description: "Finds a title" }, async (_args, ctx) => {
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "A title, please" } }];
  const answer = await ctx.sample({ messages, maxTokens: 50 }, { task: { ttlMs: 60_000 } });
  const [block] = [answer.content].flat();
  return block?.type === "text" ? block.text : "untitled";
});
// #endregion

// #region limits
const define = () =>
  defineServer({
    name: "archive",
    version: "1.0.0",
    store,
    tools: { report, order, index, title },
    tasks: { ttlMs: 600_000, maxTtlMs: 86_400_000, maxUnfinished: 20, maxKept: 200, leaseMs: 2_000 },
    onTask: (event) => events.push(event), // kind, taskId, owner, method, name: for the audit log
  });
// #endregion

const indexed: string[] = [];
const runs = new Set<string>();

async function write(_chapter: number, signal: AbortSignal): Promise<void> {
  await pause(20, signal);
}

async function indexFolder(run: string, folder: number, signal: AbortSignal): Promise<void> {
  await pause(folder < 3 ? 1 : 50, signal);
  runs.add(run);
  indexed.push(`folder ${folder}`);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

const embedded = { ownsProcess: false, print: () => undefined, drainTimeoutMs: 50, http: { port: 0 } };
const stopping = define();
const first = await serve(stopping, embedded);
const second = await serve(define(), embedded);

// #region client
const host = defineClient({
  name: "host",
  version: "1.0.0",
  elicitation: {
    form: ({ message }) => ({
      action: "accept",
      content: message.startsWith("Really") ? { yes: true } : { colour: "blue" },
    }),
  },
  sampling: {
    tasks: true, // servers of 2025-11-25 may ask for messages as tasks
    approveRequest: (request) => request,
    createMessage: async () => ({ role: "assistant", model: "m", content: { type: "text", text: "Annals" } }),
    approveResult: () => true,
  },
});
// #endregion

type App = ReturnType<typeof define>;
const client = await connect<App>(first.url ?? "", { client: host });

// #region call
// Nothing to do with tasks is written here: the call takes longer, and resolves.
assert.deepEqual(await client.tools.report({ year: 2025 }), [{ type: "text", text: "report of 2025" }]);
assert.deepEqual(await client.tools.order({ sheets: 5_000 }), [{ type: "text", text: "5000 sheets, blue" }]);
// #endregion

// #region by-hand
const handle = await client.tasks.call("report", { year: 2026 });
assert.match(handle.immediateResponse, /its result will follow/); // for the model, meanwhile
const seen: string[] = [];
for await (const { status, statusMessage } of handle) {
  seen.push(`${status}: ${statusMessage ?? ""}`);
}
assert.match(seen.at(-1) ?? "", /^completed/);
const { content } = await handle.result();
assert.deepEqual(content, [{ type: "text", text: "report of 2026" }]);
// #endregion

// #region cancel
const unwanted = await client.tasks.call("report", { year: 1900 });
await unwanted.cancel(); // or by its id: client.tasks.cancel(id)
await assert.rejects(unwanted.result(), { code: "MCP_TASK", reason: "cancelled" });
// #endregion

// #region take-over
const { id } = await client.tasks.call("index"); // keep the id; the process may end now, and so may the server's
while (indexed.length < 3) {
  await new Promise((resolve) => setTimeout(resolve, 1));
}
await first.close(); // a deployment, or worse
await stopping.close(); // here the process goes on, so its work is stopped by hand

const later = await connect<App>(second.url ?? "");
assert.deepEqual((await later.tasks.follow(id ?? "").result()).content, [{ type: "text", text: "6 folders" }]);
// #endregion
assert.equal(runs.size, 1);
assert.ok(indexed.length <= 7, "at most one folder was indexed twice");
assert.ok(events.some(({ kind, name }) => kind === "resumed" && name === "index"));

// The other way round, which only 2025-11-25 has: the server makes a task of its question, and comes back for the answer.
const older = await connect<App>(second.url ?? "", { client: host, revision: "2025-11-25" });
// #region older
const { content: named } = await older.callTool("title");
assert.deepEqual(named, [{ type: "text", text: "Annals" }]);
// A client of 2025-11-25 asks for the task itself, where the tool leaves that open; the result is the same.
const asked = await older.callTool("report", { year: 2024 }, { task: { ttlMs: 60_000 } });
assert.deepEqual(asked.content, [{ type: "text", text: "report of 2024" }]);
// #endregion

await client.close().catch(() => undefined); // its server is gone
await Promise.all([later.close(), older.close()]);
await second.close();
await store.close();
