// Streams of changes that broke off: opened again, with a word that something may have been missed.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClientOptions, defineClient } from "parley-mcp/client";
import { createHttpLink, type Fetch } from "parley-mcp/http/client";
import { createHttpHandler } from "parley-mcp/http/server";
import { createMemoryPair } from "parley-mcp/memory";
import { defineServer, resource } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { Arrivals } from "../fixtures/signals.ts";
import { turn } from "../fixtures/turn.ts";

const listenMethod = "subscriptions/listen";
const motd = "note:///motd";

const watched = () =>
  defineServer({
    name: "demo",
    version: "1.0.0",
    resources: { motd: resource({ uri: motd }, () => "Good morning") },
  });

/** A client whose time the test moves, and what it was told of gaps. */
function waiting() {
  const clock = createFakeClock(1_000_000);
  const gaps = new Arrivals<string>();
  const options: ClientOptions = {
    name: "tester",
    version: "1.0.0",
    clock,
    relisten: { initialDelayMs: 1_000, maxDelayMs: 8_000 },
    onChangesMissed: () => gaps.take("gap"),
  };
  return { clock, gaps, options };
}

/** An endpoint whose last stream of changes the test cuts. */
function cuttable(app: ReturnType<typeof watched>) {
  const handler = createHttpHandler(app);
  const requests: string[] = [];
  let cut: () => void = () => undefined;
  const fetch: Fetch = async (url, init) => {
    const { method } = JSON.parse(init.body ?? "{}") as { method: string };
    requests.push(method);
    const response = await handler.fetch(new Request(url, init));
    if (method !== listenMethod || response.body === null) {
      return response;
    }
    const wire = new TransformStream<Uint8Array, Uint8Array>({
      start: (controller) => {
        cut = () => controller.error(new TypeError("the network is gone"));
      },
    });
    return new Response(response.body.pipeThrough(wire), response);
  };
  const listens = () => requests.filter((method) => method === listenMethod).length;
  return { fetch, listens, cut: () => cut(), close: () => handler.close() };
}

describe("a stream of changes that broke off", () => {
  it("is opened again after a while, and tells of a gap, in which changes may have been lost [M-SUB-013] [M-SUB-014] [PP-046]", async () => {
    const app = watched();
    const { clock, gaps, options } = waiting();
    const { fetch, listens, cut, close } = cuttable(app);
    const client = await defineClient(options).connect(createHttpLink("http://localhost/mcp", { fetch }));
    const heard = new Arrivals<string>();
    await client.subscribe(motd, ({ uri }) => heard.take(uri));
    app.notifyResourceUpdated(motd);
    await heard.until(1);
    cut();
    await turn();
    await clock.advance(10);
    assert.equal(listens(), 1, "opened again at once");
    await clock.advance(2_000);
    await gaps.until(1);
    assert.equal(listens(), 2);
    // Once for the gap, and once for what comes after it.
    const count = (await heard.until(2)).length;
    app.notifyResourceUpdated(motd);
    await heard.until(count + 1);
    await client.close();
    close();
  });

  it("comes back with another process, with everything that was listened to [M-STDIO-006] [M-STDIO-007] [PP-046]", async () => {
    const app = watched();
    const { clock, gaps, options } = waiting();
    const closers: (() => Promise<void>)[] = [];
    const start = () => {
      const [clientEnd, serverEnd] = createMemoryPair();
      const handle = app.serve(serverEnd);
      closers.push(() => handle.close());
      return clientEnd;
    };
    const client = await defineClient(options).connect(start, { restart: true });
    const heard = new Arrivals<string>();
    await client.subscribe(motd, ({ uri }) => heard.take(uri));
    await closers[0]?.();
    await turn();
    await client.ping();
    for (let second = 0; second < 10 && gaps.all.length === 0; second += 1) {
      await clock.advance(1_000);
      await turn();
    }
    await gaps.until(1);
    assert.equal(closers.length, 2);
    const count = heard.all.length;
    app.notifyResourceUpdated(motd);
    await heard.until(count + 1);
    await client.close();
    await app.close();
  });
});
