// Long work belongs to the queue that is there already: a tool hands it over as a task, and whoever serves the task later
// finds the same job. Two nodes of one server share a Redis with the queue (BullMQ); the node that took the call stops.

import assert from "node:assert/strict";
import { Queue, QueueEvents, Worker } from "bullmq";
import { Redis } from "ioredis";
import { connect } from "parley-mcp/connect";
import { serve } from "parley-mcp/serve";
import { defineServer, tool } from "parley-mcp/server";
import { redis } from "parley-mcp/store/redis";
import { z } from "zod";

const url = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";
const connection = new Redis(url, { maxRetriesPerRequest: null, lazyConnect: true });
try {
  await connection.connect();
} catch (error) {
  if (process.env.CI) {
    throw error;
  }
  console.log(`skipped: no Redis answers at ${new URL(url).host}; start one, or name one with REDIS_URL`);
  process.exit(0);
}

// #region queue
const name = `films-${crypto.randomUUID()}`;
const queue = new Queue<{ title: string }, string>(name, { connection });
const events = new QueueEvents(name, { connection });
const store = redis(url, { prefix: `${name}:` });

const define = () =>
  defineServer({
    name: "studio",
    version: "1.0.0",
    store,
    tools: {
      render: tool(
        {
          description: "Renders a film",
          input: z.object({ title: z.string() }),
          task: { support: "required", resumable: true, pollIntervalMs: 200 },
        },
        async ({ title }, ctx) => {
          // Kept with the task: whoever goes on with it waits for this job and adds no other.
          const id = await ctx.once("job", async () => (await queue.add("render", { title })).id ?? "");
          await ctx.task?.status(`job ${id} is in the queue`);
          const job = await queue.getJob(id);
          return await job?.waitUntilFinished(events);
        },
      ),
    },
  });
// #endregion

const options = { ownsProcess: false, print: () => undefined, drainTimeoutMs: 50 };
const stopping = define();
const first = await serve(stopping, { ...options, http: { port: 0 } });
const second = await serve(define(), { ...options, http: { port: 0 } });

// #region call
const client = await connect(first.url ?? "");
const task = await client.tasks.call("render", { title: "Metropolis" });
await first.close(); // a deployment, or worse
await stopping.close(); // here the process goes on, so its work is stopped by hand
// #endregion

// The queue's own worker, wherever it runs, takes the job when it comes to it.
const rendered: string[] = [];
const worker = new Worker<{ title: string }, string>(
  name,
  async ({ data }) => {
    rendered.push(data.title);
    return `${data.title}.mp4`;
  },
  { connection },
);

// #region follow
const later = await connect(second.url ?? "");
const result = await later.tasks.follow(task.id ?? "").result();
assert.deepEqual(result.content, [{ type: "text", text: "Metropolis.mp4" }]);
// #endregion
assert.deepEqual(rendered, ["Metropolis"]);

await client.close().catch(() => undefined); // its server is gone
await later.close();
await second.close();
for await (const key of store.keys("")) {
  await store.delete(key);
}
await store.close();
await worker.close();
await events.close();
await queue.obliterate({ force: true });
await queue.close();
connection.disconnect();
console.log("one job, two nodes, one result");
