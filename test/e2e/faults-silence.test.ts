// A call that says nothing for eleven minutes, behind a proxy that cuts whatever carries no bytes for a minute.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { createHttpHandler, type HttpHandler, type HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, type Server, tool } from "parley-mcp/server";
import type { Store } from "parley-mcp/store";
import { createFakeClock, type FakeClock } from "parley-mcp/test";
import { Fleet, url } from "../fixtures/nodes.ts";
import { type RawEvent, RawSession, readEvents } from "../fixtures/raw-session.ts";
import { happening } from "../fixtures/signals.ts";
import { turn } from "../fixtures/turn.ts";
import { within } from "../fixtures/within.ts";

/** A proxy that cuts a reply of which nothing has come for a while. */
class ImpatientProxy {
  /** How many replies it has cut, and which requests it has passed on. */
  cuts = 0;
  readonly passed: string[] = [];
  readonly #handler: HttpHandler;
  readonly #clock: FakeClock;
  readonly #idleMs: number;

  constructor(handler: HttpHandler, clock: FakeClock, idleMs: number) {
    this.#handler = handler;
    this.#clock = clock;
    this.#idleMs = idleMs;
  }

  readonly fetch: Fetch = async (target, { method, headers, body, signal }) => {
    this.passed.push(body === undefined ? method : String((JSON.parse(body) as { method?: string }).method));
    const request = new Request(target, { method, headers, signal, ...(body === undefined ? {} : { body }) });
    const response = await this.#handler.fetch(request);
    return response.body === null ? response : new Response(this.#watch(response.body), response);
  };

  #watch(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    let cancelTimer = (): void => undefined;
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        const cut = (): void => {
          this.cuts += 1;
          controller.error(new TypeError("terminated"));
        };
        cancelTimer = this.#clock.after(this.#idleMs, cut);
      },
      transform: (chunk, controller) => {
        cancelTimer();
        cancelTimer = this.#clock.after(this.#idleMs, () => {
          this.cuts += 1;
          controller.error(new TypeError("terminated"));
        });
        controller.enqueue(chunk);
      },
      flush: () => cancelTimer(),
    });
    // The server hears of it by the other end.
    body.pipeTo(watch.writable).catch(() => undefined);
    return watch.readable;
  }
}

/** A server with a tool that says nothing until its work is done. */
function createApp(clock: FakeClock, store: Store | undefined, work: () => Promise<void>): Server {
  return defineServer({
    name: "silent",
    version: "1.0.0",
    clock,
    store,
    tools: {
      wait: tool({ description: "Says nothing for long" }, async () => {
        await work();
        return "at last";
      }),
    },
  });
}

/** A server behind the proxy, and what its tool waits for. */
function start(options: HttpServerOptions = {}) {
  const clock = createFakeClock(1_000_000);
  const began = happening();
  const gate = happening();
  const app = createApp(clock, undefined, () => {
    began.happen();
    return gate.promise;
  });
  const handler = createHttpHandler(app, { clock, ...options });
  return { clock, handler, began, gate, proxy: new ImpatientProxy(handler, clock, 60_000) };
}

/** Lets time pass second by second, as it does for a proxy. */
async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    await clock.advance(1_000);
    await turn();
  }
}

const waiting = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } };

/** Reads so many events, and leaves the stream there. */
async function take(response: Response, count: number): Promise<RawEvent[]> {
  const events: RawEvent[] = [];
  for await (const event of readEvents(response)) {
    events.push(event);
    if (events.length === count) {
      break;
    }
  }
  return events;
}

const read = (response: Response): Promise<RawEvent[]> => take(response, Number.POSITIVE_INFINITY);

/** Calls the first of two nodes, and comes back to either in turn, twice a minute for eleven minutes. */
async function callInPieces(lastNode: number): Promise<void> {
  const clock = createFakeClock(1_000_000);
  const began = happening();
  const gate = happening();
  let runs = 0;
  const define = (store: Store): Server =>
    createApp(clock, store, async () => {
      runs += 1;
      began.happen();
      await gate.promise;
    });
  const fleet = new Fleet(2, define, { clock });
  const session = await RawSession.open(fleet.node(0));
  const response = session.post(fleet.node(0), waiting);
  await began.promise;
  await clock.advance(100);
  const [priming] = await take(await response, 1);
  assert.ok(priming?.id);
  for (let cut = 0; cut < 22; cut += 1) {
    await pass(clock, 30);
    const resumed = await session.listen(fleet.node(cut % 2), priming.id);
    assert.equal(resumed.status, 200, `${cut + 1} times half a minute later`);
    await resumed.body?.cancel();
  }
  const last = take(await session.listen(fleet.node(lastNode), priming.id), 1);
  await pass(clock, 1);
  gate.happen();
  const [answer] = await within(last, "the answer");
  assert.match(JSON.stringify(answer?.message?.result), /at last/);
  assert.equal(runs, 1);
  await fleet.close();
}

describe("a call that is silent for eleven minutes", () => {
  it("stays open behind a proxy that cuts after a minute, and its client sees nothing but the answer [PP-008]", async () => {
    const { clock, handler, proxy, began, gate } = start();
    const diagnostics: string[] = [];
    const client = await connect(url, {
      revision: "2025-11-25",
      client: { name: "patient", version: "1.0.0", onDiagnostic: ({ code }) => diagnostics.push(code) },
      http: { fetch: proxy.fetch },
    });
    const call = client.callTool("wait");
    await began.promise;
    await pass(clock, 11 * 60);
    gate.happen();
    assert.match(JSON.stringify((await within(call, "the answer")).content), /at last/);
    assert.deepEqual([proxy.cuts, diagnostics], [0, []]);
    assert.equal(proxy.passed.filter((what) => what === "tools/call").length, 1);
    // The standing stream, and nothing that had to be resumed.
    assert.equal(proxy.passed.filter((what) => what === "GET").length, 1);
    await client.close();
    handler.close();
  });

  it("would be cut there if comments came less often [PP-008]", async () => {
    const { clock, handler, proxy, began } = start({ keepAliveMs: 90_000 });
    const session = await RawSession.open(proxy);
    const response = session.post(proxy, waiting);
    await began.promise;
    await clock.advance(100);
    const cut = assert.rejects(read(await response), /terminated/);
    await pass(clock, 61);
    await cut;
    assert.equal(proxy.cuts, 1);
    handler.close();
  });

  for (const [node, where] of ["the node that does the work", "another node"].entries()) {
    it(`is answered, and done once, also where its client is cut all the time and ends up on ${where} [PP-008] [HTTP-037]`, () =>
      callInPieces(node));
  }
});
