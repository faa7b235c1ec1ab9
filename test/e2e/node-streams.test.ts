// Event streams of sessions on several nodes: connections break, nodes die and are stopped, and every call still ends once.

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { ClientSession } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { defineServer, resource, type Server, tool } from "parley-mcp/server";
import { createMemoryStore, type Store } from "parley-mcp/store";
import { redis } from "parley-mcp/store/redis";
import { Fleet, url } from "../fixtures/nodes.ts";
import { createPrefix, openRedis, whyNoRedis } from "../fixtures/redis.ts";
import { Arrivals, type Happening, happening } from "../fixtures/signals.ts";
import { within } from "../fixtures/within.ts";

const motd = "note:///motd";

/** The client's side of the network, which can break and be down for a while. */
class Network {
  readonly #fetch: Fetch;
  #breaking = new AbortController();
  #repaired: Happening | undefined;

  constructor(fetch: Fetch) {
    this.#fetch = fetch;
  }

  readonly fetch: Fetch = async (target, init) => {
    await this.#repaired?.promise;
    const breaking = this.#breaking.signal;
    const response = await this.#fetch(target, init);
    if (breaking.aborted) {
      response.body?.cancel().catch(() => undefined);
      throw new TypeError("fetch failed");
    }
    return response.body === null ? response : new Response(breakable(response.body, breaking), response);
  };

  /** Breaks every connection. Nothing goes through until it is repaired. */
  break(): void {
    this.#repaired = happening();
    this.#breaking.abort();
    this.#breaking = new AbortController();
  }

  repair(): void {
    this.#repaired?.happen();
    this.#repaired = undefined;
  }
}

function breakable(body: ReadableStream<Uint8Array>, breaking: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      const fail = (): void => {
        controller.error(new TypeError("terminated"));
        reader.cancel().catch(() => undefined);
      };
      breaking.addEventListener("abort", fail, { once: true });
    },
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (breaking.aborted) {
        return;
      }
      if (done) {
        controller.close();
      } else {
        controller.enqueue(value);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** What happened on all nodes of one test. */
interface Observed {
  /** The node of each call, as it began. */
  readonly began: Arrivals<number>;
  /** Lets calls go on. */
  readonly gate: Happening;
}

function define(store: Store, node: number, { began, gate }: Observed): Server {
  return defineServer({
    name: "fleet",
    version: "1.0.0",
    store,
    resources: { motd: resource({ uri: motd }, () => "Good morning") },
    tools: {
      work: tool({ description: "Works in five steps" }, async (_, { progress }) => {
        began.take(node);
        for (let step = 1; step <= 3; step += 1) {
          progress(step, 5);
        }
        await gate.promise;
        progress(4, 5);
        progress(5, 5);
        return "done";
      }),
    },
  });
}

async function open(store: Store) {
  const observed: Observed = { began: new Arrivals(), gate: happening() };
  let nodes = 0;
  const fleet = new Fleet(
    3,
    (own) => {
      nodes += 1;
      return define(own, nodes - 1, observed);
    },
    { retryMs: 1, leaseMs: 2_000, store },
  );
  const network = new Network(fleet.fetch);
  const client = await connect(url, {
    revision: "2025-11-25",
    client: { name: "tester", version: "1.0.0" },
    http: { fetch: network.fetch },
  });
  const close = async (): Promise<void> => {
    await client.close();
    await fleet.close();
  };
  return { fleet, network, client, observed, close };
}

/** A call, and the steps that its client has heard of. */
function work(client: ClientSession) {
  const steps = new Arrivals<number>();
  const call = client.callTool("work", {}, { onProgress: ({ progress }) => steps.take(progress) });
  call.catch(() => undefined);
  return { steps, call, firstSteps: within(steps.until(3), "the first three steps") };
}

/** Which nodes were asked to go on with a stream, or to open one. */
function countGets({ log }: Fleet): number {
  return log.filter(({ what }) => what === "GET").length;
}

const done = [{ type: "text", text: "done" }];

function proveStreams(createStore: () => Store): void {
  it("go on on another node when the connection breaks in the middle of a call [PP-004] [HTTP-023] [HTTP-036] [HTTP-037]", async () => {
    const { fleet, network, client, observed, close } = await open(createStore());
    const { steps, call, firstSteps } = work(client);
    await firstSteps;
    for (let time = 0; time < 3; time += 1) {
      const gets = countGets(fleet);
      network.break();
      network.repair();
      while (countGets(fleet) === gets) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
    observed.gate.happen();
    assert.deepEqual((await within(call, "the call")).content, done);
    assert.deepEqual(steps.all, [1, 2, 3, 4, 5]);
    assert.equal(observed.began.all.length, 1);
    await close();
  });

  it("give a client on any node the rest of a call that ended while it was away [PP-004] [HTTP-037]", async () => {
    const { fleet, network, client, observed, close } = await open(createStore());
    const { steps, call, firstSteps } = work(client);
    await firstSteps;
    network.break();
    observed.gate.happen();
    const [node = 0] = observed.began.all;
    while (fleet.node(node).handler.stats().exchanges > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    network.repair();
    assert.deepEqual((await within(call, "the call")).content, done);
    assert.deepEqual(steps.all, [1, 2, 3, 4, 5]);
    await close();
  });

  it("end with an explicit error when the node that works on a call dies, within its lease [PP-004]", async () => {
    const { fleet, client, observed, close } = await open(createStore());
    const { call, firstSteps, steps } = work(client);
    await firstSteps;
    const [node = 0] = observed.began.all;
    const diedAt = Date.now();
    fleet.node(node).kill();
    await assert.rejects(within(call, "the call"), /stopped before it was answered; it is unknown whether it was done/);
    assert.ok(Date.now() - diedAt < 6_000);
    assert.deepEqual([steps.all, observed.began.all.length], [[1, 2, 3], 1]);
    observed.gate.happen();
    assert.deepEqual((await client.callTool("work", {})).content, done);
    await close();
  });

  it("end with an explicit error when the node that works on a call stops and cannot wait for it [PP-004]", async () => {
    const { fleet, client, observed, close } = await open(createStore());
    const { call, firstSteps } = work(client);
    await firstSteps;
    const [node = 0] = observed.began.all;
    await fleet.node(node).stop();
    await assert.rejects(within(call, "the call"), /stopped working on this request before it was answered/);
    observed.gate.happen();
    assert.deepEqual((await client.callTool("work", {})).content, done);
    await close();
  });

  it("tell of what changed while the standing stream was broken, once, wherever it is opened again [PP-004] [PP-005] [RES-009]", async () => {
    const { fleet, network, client, close } = await open(createStore());
    const updates = new Arrivals<string>();
    await client.subscribe(motd, ({ uri }) => updates.take(uri));
    fleet.node(0).app.notifyResourceUpdated(motd);
    await within(updates.until(1), "an update on the first connection");
    for (const [index, { app }] of fleet.nodes.entries()) {
      network.break();
      app.notifyResourceUpdated(motd);
      network.repair();
      assert.equal((await within(updates.until(index + 2), `update ${index + 2}`)).length, index + 2);
    }
    await client.ping();
    assert.equal(updates.all.length, fleet.nodes.length + 1);
    await close();
  });
}

describe("Event streams of nodes that share a store in memory", () => {
  proveStreams(() => createMemoryStore());
});

describe("Event streams of nodes that share Redis", { skip: whyNoRedis() }, () => {
  const prefix = createPrefix();
  const stores: Store[] = [];
  after(async () => {
    await Promise.all(stores.map((store) => store.close()));
    const probe = await openRedis();
    await probe.clear(prefix);
    await probe.close();
  });
  proveStreams(() => {
    const store = redis(process.env.REDIS_URL ?? "redis://127.0.0.1:6379", { prefix: `${prefix}${stores.length}:` });
    stores.push(store);
    return store;
  });
});
