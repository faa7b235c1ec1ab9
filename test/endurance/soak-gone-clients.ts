// A thousand calls over sockets that are closed at every point, in a process that ends with an error as soon as anything is
// not handled. Tells, as JSON, how many were sent, how many handlers began, and what is open afterwards; argument: the mode.

import { connect as connectSocket, type Socket } from "node:net";
import { type HttpListener, listen } from "parley-mcp/http/node";
import type { HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";

const calls = 1_000;
/** How many calls are on their way at a time. */
const lanes = 20;
/** After how many turns of the event loop the last sockets are closed: by then a call is long answered. */
const longest = 50;

const modes: { readonly [mode: string]: HttpServerOptions } = {
  default: { retryMs: 1 },
  lost: { resumability: false },
  alone: { sessions: false },
};
const [mode = "default"] = process.argv.slice(2);
const form = { type: "object", properties: {} } as const;
let began = 0;

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const app = defineServer({
  name: "soak",
  version: "1.0.0",
  tools: {
    // Every await is a point at which the client may be gone.
    chatty: tool({ description: "Talks" }, async (_, { progress, log, notify }) => {
      began += 1;
      for (let step = 1; step <= 5; step += 1) {
        progress(step, 5, "x".repeat(2_000));
        await turns(1);
        log.error("y".repeat(2_000));
        await notify("notifications/custom", { step });
        await turns(2);
      }
      return "z".repeat(20_000);
    }),
    asking: tool({ description: "Asks" }, async (_, ctx) => {
      began += 1;
      return (await ctx.elicit("Still there?", form)).action;
    }),
    failing: tool({ description: "Fails" }, async (_, { signal }) => {
      began += 1;
      await turns(3);
      signal.throwIfAborted();
      throw new Error("failed on purpose");
    }),
  },
});
const tools = ["chatty", "asking", "failing"];

function toHead(listener: HttpListener, body: string, more: Record<string, string>): string {
  const headers = {
    host: `127.0.0.1:${listener.port}`,
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    "mcp-protocol-version": "2025-11-25",
    ...more,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /mcp HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Sends one call, of some the body only in part, and closes its socket after so many turns. */
async function callAndLeave(listener: HttpListener, index: number, more: Record<string, string>): Promise<void> {
  const params = { name: tools[index % tools.length], _meta: { progressToken: 1 } };
  const body = JSON.stringify({ jsonrpc: "2.0", id: index, method: "tools/call", params });
  const socket: Socket = connectSocket(listener.port, "127.0.0.1");
  socket.on("error", () => undefined);
  if (index % 4 !== 0) {
    socket.resume();
  }
  socket.write(toHead(listener, body, more));
  await turns(index % 3);
  socket.write(index % 13 === 0 ? body.slice(0, 20) : body);
  await turns(index % longest);
  if (index % 2 === 0) {
    socket.resetAndDestroy();
  } else {
    socket.destroy();
  }
}

/** Shakes hands where there are sessions; gives the headers that calls carry. */
async function open({ url }: HttpListener): Promise<Record<string, string>> {
  const params = {
    protocolVersion: "2025-11-25",
    capabilities: { elicitation: {} },
    clientInfo: { name: "soak", version: "1.0.0" },
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
  const headers = { accept: "application/json, text/event-stream", "content-type": "application/json" };
  const response = await fetch(url, { method: "POST", headers: { ...headers, connection: "close" }, body });
  await response.text();
  const id = response.headers.get("mcp-session-id");
  return id === null ? {} : { "mcp-session-id": id };
}

async function main(): Promise<void> {
  const listener = await listen(app, { ...modes[mode], maxConcurrentRequests: 10_000 });
  // No session has room for a thousand questions that nobody answers.
  const sessions = await Promise.all(Array.from({ length: lanes }, () => open(listener)));
  let sent = 0;
  await Promise.all(
    sessions.map(async (more) => {
      while (sent < calls) {
        sent += 1;
        await callAndLeave(listener, sent, more);
      }
    }),
  );
  const alive = await fetch(listener.url, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  await alive.text();
  await listener.close();
  await turns(10);
  process.stdout.write(`${JSON.stringify({ sent, began, answers: alive.status, open: listener.handler.stats() })}\n`);
}

await main();
