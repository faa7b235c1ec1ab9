// What a handler hears, over real sockets, when nobody waits for it any more: at once, and which of the reasons it was.

import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { describe, it } from "node:test";
import { type HttpListener, listen } from "parley-mcp/http/node";
import type { HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { createMemoryStore } from "parley-mcp/store";
import { createFakeClock, type FakeClock } from "parley-mcp/test";
import { type RawEvent, RawSession, readEvents } from "../fixtures/raw-session.ts";
import { Arrivals, happening } from "../fixtures/signals.ts";
import { turn } from "../fixtures/turn.ts";
import { within } from "../fixtures/within.ts";

/** A server whose tool notices when it is given up, and goes on all the same. */
async function start(options: HttpServerOptions = {}) {
  const clock = createFakeClock(1_000_000);
  const store = createMemoryStore({ clock });
  const started = new Arrivals<AbortSignal>();
  const finished = happening();
  const app = defineServer({
    name: "aborts",
    version: "1.0.0",
    clock,
    tools: {
      wait: tool({ description: "Waits" }, async (_, { signal, progress }) => {
        progress(1, 2);
        const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
        started.take(signal);
        await aborted;
        progress(2, 2);
        finished.happen();
        return "too late";
      }),
    },
  });
  const listener = await listen(app, { clock, store, ...options });
  const door = { fetch: globalThis.fetch };
  const session = await RawSession.open(door, { url: listener.url });
  const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait", _meta: { progressToken: 1 } } };
  return { clock, store, started, finished, listener, door, session, call };
}

type Started = Awaited<ReturnType<typeof start>>;

/** Ends of a call that a client still reads: what brings it about, and what the handler is told. */
const ends: {
  readonly [what: string]: { readonly bring: (started: Started) => Promise<unknown>; readonly reason: RegExp };
} = {
  "the client ends the session": {
    bring: async ({ session, door }) => assert.equal((await session.delete(door)).status, 204),
    reason: /^SessionExpiredError: the client ended the session$/,
  },
  "the session has expired": {
    bring: async ({ store, session, clock }) => {
      await store.delete(`session/${session.id}`);
      await passLimit(clock);
    },
    reason: /^SessionExpiredError: the session was idle for 3000 ms, or ended elsewhere$/,
  },
  "the server is shut down": {
    bring: async ({ listener }) => void listener.close(),
    reason: /^ClosedError: the server was stopped$/,
  },
};

/** Lets as much time pass as there is between two looks at a session in use. */
async function passLimit(clock: FakeClock): Promise<void> {
  await clock.advance(1_000);
  await turn();
}

async function readRest(response: Response): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
  }
  return events;
}

describe("a handler that nobody waits for any more", () => {
  for (const [what, { bring, reason }] of Object.entries(ends)) {
    it(`is told at once when ${what}, and can write nothing afterwards [PP-019]`, async () => {
      const started = await start({ sessions: { idleTimeoutMs: 3_000 } });
      const { session, door, call, listener, finished } = started;
      const response = await session.post(door, call);
      const [signal] = await within(started.started.until(1), "the start of the call");
      const rest = readRest(response);
      await bring(started);
      assert.equal(signal?.aborted, true);
      assert.match(String(signal?.reason), reason);
      await finished.promise;
      const events = await within(rest, "the end of the stream");
      assert.doesNotMatch(JSON.stringify(events), /too late|"progress":2/);
      await listener.close();
    });
  }

  it("is told when the client's socket closes and nothing can be resumed, with yet another reason [PP-019]", async () => {
    const { session, call, listener, started } = await start({ resumability: false });
    const aborted = happening();
    await closeSocket(listener, session, call, started);
    const [signal] = started.all;
    signal?.addEventListener("abort", () => aborted.happen());
    if (signal?.aborted !== true) {
      await within(aborted.promise, "the signal", 1_000);
    }
    assert.match(String(signal?.reason), /^ClosedError: the client disconnected before it was answered$/);
    await listener.close();
  });
});

/** Sends a call by a socket of its own, and closes that once the call has begun. */
async function closeSocket(
  { url }: HttpListener,
  { id }: RawSession,
  call: object,
  started: Arrivals<AbortSignal>,
): Promise<void> {
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-session-id": id,
    "mcp-protocol-version": "2025-11-25",
  };
  const request = httpRequest(url, { method: "POST", headers, agent: false });
  request.on("error", () => undefined);
  request.end(JSON.stringify(call));
  await within(started.until(1), "the start of the call");
  request.destroy();
}
