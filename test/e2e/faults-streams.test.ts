// Event streams over real sockets where clients are careless: ids used twelve times, connections that are half dead, and
// thousands of events in one millisecond.

import assert from "node:assert/strict";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import type { JsonObject } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { type HttpListener, listen } from "parley-mcp/http/node";
import type { HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { type RawEvent, RawSession, readEvents } from "../fixtures/raw-session.ts";
import { Arrivals, happening } from "../fixtures/signals.ts";
import { until } from "../fixtures/until.ts";
import { within } from "../fixtures/within.ts";

const door = { fetch: globalThis.fetch };

/** A server whose calls wait until all are let go. */
async function start(options: HttpServerOptions = {}) {
  const started = new Arrivals<AbortSignal>();
  const gate = happening();
  const codes: string[] = [];
  const app = defineServer({
    name: "streams",
    version: "1.0.0",
    tools: {
      hold: tool(
        {
          description: "Waits, and answers with what it was given",
          input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const,
        },
        async ({ name }, { signal, progress }) => {
          started.take(signal);
          progress(1, 2);
          await gate.promise;
          return name;
        },
      ),
      burst: tool({ description: "Tells a thousand things at once" }, (_, { progress }) => {
        for (let step = 1; step <= 500; step += 1) {
          progress(step, 500);
        }
        return "burst";
      }),
    },
  });
  const listener = await listen(app, { ...options, onDiagnostic: ({ code }) => codes.push(code) });
  return { listener, started, gate, codes };
}

const hold = (id: number, name: string): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name: "hold", arguments: { name }, _meta: { progressToken: name } },
});

async function read(response: Response): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
  }
  return events;
}

/** What was answered, and for whom progress was told. */
async function outcomeOf(response: Response) {
  const messages = (await read(response)).flatMap(({ message }) => message ?? []);
  const content = messages.at(-1)?.result?.content as JsonObject[] | undefined;
  return { text: content?.[0]?.text, tokens: messages.flatMap(({ params }) => params?.progressToken ?? []) };
}

/** The standing stream as a client has it that reads nothing any more. */
function holdHalfDead({ url }: HttpListener, session: RawSession): Promise<IncomingMessage> {
  const headers = { accept: "text/event-stream", "mcp-session-id": session.id };
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method: "GET", headers, agent: false }, (response) => {
      response.pause();
      response.on("error", () => undefined);
      resolve(response);
    });
    request.on("error", reject);
    request.end();
  });
}

describe("event streams over sockets", () => {
  it("give twelve concurrent calls with id 1 their own progress and results, and no cancellation to any [PP-017]", async () => {
    const { listener, started, gate, codes } = await start();
    const session = await RawSession.open(door, { url: listener.url });
    const names = Array.from({ length: 12 }, (_, index) => `call ${index}`);
    const outcomes = names.map((name) => session.post(door, hold(1, name)).then(outcomeOf));
    const signals = await within(started.until(12), "twelve calls");
    await session.notify(door, "notifications/cancelled", { requestId: 1 });
    assert.ok(signals.every(({ aborted }) => !aborted));
    assert.deepEqual(codes, ["MCP_D_CANCEL_AMBIGUOUS"]);
    gate.happen();
    assert.deepEqual(
      await within(Promise.all(outcomes), "the answers"),
      names.map((name) => ({ text: name, tokens: [name] })),
    );
    await listener.close();
  });

  it("are replaced where one is half dead, and calls in flight go on [PP-007]", async () => {
    const { listener, started, gate } = await start();
    const session = await RawSession.open(door, { url: listener.url });
    const halfDead = await holdHalfDead(listener, session);
    const outcome = session.post(door, hold(1, "in flight")).then(outcomeOf);
    await within(started.until(1), "the call");
    const ended = new Promise((resolve) => halfDead.once("end", resolve));
    const newer = await session.listen(door);
    assert.equal(newer.status, 200);
    const reading = read(newer);
    halfDead.resume();
    await within(ended, "the end of the stream that was replaced");
    gate.happen();
    assert.deepEqual(await within(outcome, "the answer"), { text: "in flight", tokens: ["in flight"] });
    assert.equal((await session.delete(door)).status, 204);
    assert.deepEqual(
      (await reading).flatMap(({ message }) => message ?? []),
      [],
    );
    await listener.close();
  });

  it("that are refused to a client fail neither its calls nor its session [PP-007]", async () => {
    const { listener, started, gate } = await start();
    let refused = 0;
    const refusing: Fetch = async (url, init) => {
      if (init.method === "GET") {
        refused += 1;
        return new Response("Conflict: only one stream", { status: 409 });
      }
      return fetch(url, init);
    };
    const client = await connect(listener.url, {
      revision: "2025-11-25",
      client: { name: "refused", version: "1.0.0" },
      http: { fetch: refusing },
    });
    const call = client.callTool("hold", { name: "in flight" });
    await within(started.until(1), "the call");
    await until(() => refused > 0);
    gate.happen();
    assert.match(JSON.stringify((await within(call, "the answer")).content), /in flight/);
    assert.equal((await client.listTools().all()).length, 2);
    await client.close();
    await listener.close();
  });

  it("keep the order of what was told within one millisecond, and go on in the middle of it [PP-010]", async () => {
    const clock = createFakeClock(1_000_000);
    const { listener } = await start({ clock });
    const session = await RawSession.open(door, { url: listener.url });
    const params = { name: "burst", _meta: { progressToken: 1 } };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
    const events = await read(await session.post(door, call));
    const steps = (list: readonly RawEvent[]): unknown[] =>
      list.flatMap(({ message }) => message?.params?.progress ?? []);
    const all = Array.from({ length: 500 }, (_, index) => index + 1);
    assert.deepEqual(steps(events), all);
    const middle = events.find(({ message }) => message?.params?.progress === 250);
    const rest = await read(await session.listen(door, middle?.id));
    assert.deepEqual(steps(rest), all.slice(250));
    assert.equal(clock.now(), 1_000_000);
    await listener.close();
  });
});
