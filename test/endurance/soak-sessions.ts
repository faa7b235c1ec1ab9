// Opens many sessions, abandons them, and tells what is left an idle limit later, as JSON; before, half of them likewise.
// Arguments: where the sessions are kept (`memory:`, a file or a URL), a prefix for Redis, how many sessions. Run with
// --expose-gc. With the further argument `held` nothing is ever closed, and the process has to end all the same.

import { createHttpHandler, type HttpHandler } from "parley-mcp/http/server";
import { defineServer } from "parley-mcp/server";
import { openStore } from "parley-mcp/store/node";
import { createFakeClock, type FakeClock } from "parley-mcp/test";
import { openFile } from "../../src/store/sqlite/load-driver.node.ts";
import { countRows } from "../fixtures/sqlite-place.ts";

const [address = "memory:", prefix = "", count = "10000", held] = process.argv.slice(2);
/** How many requests are on their way at a time. */
const lanes = 100;
/** Longer than opening all of them takes, where time is real; a fake clock does not mind. */
const idleTimeoutMs = 5_000;
const clock: FakeClock | undefined =
  address === "memory:" && held === undefined ? createFakeClock(1_000_000) : undefined;

const body = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "soak", version: "1.0.0" } },
});
const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };

async function open(handler: HttpHandler, sessions: number): Promise<void> {
  let left = sessions;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const response = await handler.fetch(new Request("http://localhost/mcp", { method: "POST", headers, body }));
      await response.text();
      if (response.headers.get("mcp-session-id") === null) {
        throw new Error(`initialize was answered with ${response.status}`);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** Waits until all are gone, or for much longer than any may stay. */
async function pass(handler: HttpHandler): Promise<void> {
  for (let waitedMs = 0; waitedMs < 6 * idleTimeoutMs && handler.stats().sessions > 0; waitedMs += 100) {
    if (clock === undefined) {
      await new Promise((resolve) => setTimeout(resolve, 100));
    } else {
      await clock.advance(100);
    }
  }
}

function heap(): number {
  for (let turn = 0; turn < 3; turn += 1) {
    globalThis.gc?.();
  }
  return process.memoryUsage().heapUsed;
}

/** Rows of a SQLite file, once its store has swept, or for much longer than that takes. */
async function countLeftRows(file: string): Promise<number> {
  const database = await openFile(file);
  const tables = ["parley_values", "parley_logs", "parley_entries"];
  const count = (): number => tables.reduce((sum, table) => sum + countRows(database, table), 0);
  for (let waitedMs = 0; waitedMs < 20_000 && count() > 0; waitedMs += 100) {
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const rows = count();
  database.close?.();
  return rows;
}

const store = await openStore(address, { memory: { clock }, sqlite: { sweepMs: 500 }, redis: { prefix } });
const handler = createHttpHandler(defineServer({ name: "soak", version: "1.0.0", clock }), {
  store,
  clock,
  sessions: { maxSessions: Number(count), idleTimeoutMs },
  resumability: { reconnectWindowMs: idleTimeoutMs },
});

if (held !== undefined) {
  await open(handler, Number(count));
  process.stdout.write(`${JSON.stringify({ opened: handler.stats().sessions })}\n`);
} else {
  // What is made once, and compiled once, is there before anything is measured.
  await open(handler, Number(count) / 2);
  await pass(handler);
  const before = heap();
  await open(handler, Number(count));
  const opened = handler.stats().sessions;
  await pass(handler);
  const { sessions } = handler.stats();
  const after = heap();
  const left: string[] = [];
  for await (const key of store.keys("")) {
    left.push(key);
  }
  const rows = address.endsWith(".db") ? await countLeftRows(address) : 0;
  handler.close();
  await handler.closed;
  await store.close();
  process.stdout.write(`${JSON.stringify({ opened, sessions, before, after, left, rows })}\n`);
}
