import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createGate,
  EventReader,
  type Script,
  settle,
  start,
  TestClient,
} from "../../../test/fixtures/http/scripted-server.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { Store } from "../../store/contracts.ts";
import { StoreError } from "../../store/error.ts";
import { createMemoryStore } from "../../store/memory.ts";

/** Sends `count` notifications named after `name`, then answers. */
const talk: Script = async ({ name, count }, exchange) => {
  for (let step = 1; step <= Number(count); step += 1) {
    await exchange.notify({ method: "notifications/progress", params: { name, step } });
  }
  return { name };
};

/** A store in memory, and the names of its logs of streams. */
function createRecordedStore(wrap: (append: Store["append"]) => Store["append"] = (append) => append) {
  const memory = createMemoryStore();
  const logs = new Set<string>();
  const append = wrap(memory.append.bind(memory));
  const store: Store = {
    get: (key) => memory.get(key),
    set: (key, value, options) => memory.set(key, value, options),
    delete: (key, options) => memory.delete(key, options),
    keys: (prefix) => memory.keys(prefix),
    append: (log, value, options) => {
      logs.add(log);
      return append(log, value, options);
    },
    read: (log, after) => memory.read(log, after),
    drop: (log) => memory.drop(log),
    publish: (topic, message) => memory.publish(topic, message),
    subscribe: (topic, listener) => memory.subscribe(topic, listener),
    close: () => memory.close(),
  };
  return { store, logs };
}

async function listKeys(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.keys(prefix)) {
    keys.push(key);
  }
  return keys;
}

const paramsOf = (messages: JsonObject[]): unknown[] => messages.map(({ params, result }) => params ?? result);

describe("SessionStreams", () => {
  it("gives every event an id that is unique over all streams of the session [HTTP-033] [HTTP-034]", async () => {
    const { client, server } = await start({ talk });
    const standing = await client.listen();
    const streams = await Promise.all(["a", "b", "c"].map((name) => client.call("talk", { name, count: 3 })));
    await server.exchanges[0]?.context.session?.notify({ method: "notifications/tools/list_changed" });
    const ids: (string | undefined)[] = [(await standing.next())?.id, (await standing.next())?.id];
    for (const response of streams) {
      const reader = new EventReader(response);
      for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
        ids.push(event.id);
      }
    }
    assert.equal(ids.length, 2 + 3 * 5);
    assert.ok(ids.every((id) => id));
    assert.equal(new Set(ids).size, ids.length);
  });

  it("replays exactly what followed on that stream, in order, then goes on live [HTTP-037] [HTTP-038]", async () => {
    const gate = createGate();
    const { client } = await start({
      slow: async (params, exchange) => {
        await talk({ name: params.name, count: 5 }, exchange);
        await gate.script(params, exchange);
        await exchange.notify({ method: "notifications/progress", params: { name: params.name, step: 6 } });
        return { name: params.name };
      },
    });
    const [a, b] = [
      new EventReader(await client.call("slow", { name: "a" })),
      new EventReader(await client.call("slow", { name: "b" })),
    ];
    await a.next();
    await a.next();
    const second = await a.next();
    await Promise.all([a.leave(), b.leave()]);
    const resumed = await client.listen(second?.id);
    const missed = [await resumed.message(), await resumed.message(), await resumed.message()];
    assert.deepEqual(
      missed.map((message) => message?.params),
      [3, 4, 5].map((step) => ({ name: "a", step })),
    );
    gate.opened.resolve({});
    assert.deepEqual(paramsOf(await resumed.rest()), [{ name: "a", step: 6 }, { name: "a" }]);
  });

  it("replays a stream that has ended, also more than once", async () => {
    const { client } = await start({ talk });
    const reader = new EventReader(await client.call("talk", { name: "a", count: 2 }));
    const priming = await reader.next();
    await reader.rest();
    for (let time = 0; time < 2; time += 1) {
      const again = await client.listen(priming?.id);
      assert.deepEqual(paramsOf(await again.rest()), [{ name: "a", step: 1 }, { name: "a", step: 2 }, { name: "a" }]);
    }
  });

  it("ends at once when a client resumes behind the last event of a stream that has ended", async () => {
    const { client } = await start({ talk });
    const reader = new EventReader(await client.call("talk", { name: "a", count: 1 }));
    let last: string | undefined;
    for (let event = await reader.next(); event !== undefined; event = await reader.next()) {
      last = event.id;
    }
    assert.deepEqual(await (await client.listen(last)).rest(), []);
  });

  it("refuses ids of other sessions, unknown ones, malformed ones and later ones with 400 [HTTP-038]", async () => {
    const { client, handler } = await start({ talk });
    const other = new TestClient(handler);
    await other.initialize();
    const foreign = await new EventReader(await other.call("talk", { name: "other", count: 2 })).next();
    const own = await new EventReader(await client.call("talk", { name: "own", count: 2 })).next();
    const owner = own?.id?.split(".")[0];
    for (const id of [
      foreign?.id,
      "x",
      "",
      `${owner}.99.0`,
      `${owner}.0.5`,
      `${owner}.1`,
      `${own?.id}9`,
      `${own?.id}.0`,
      "_GET_stream_17_1",
    ]) {
      const response = await client.send("GET", { accept: "text/event-stream", "last-event-id": id });
      assert.equal(response.status, 400, id);
      assert.match(await response.text(), /Last-Event-ID: expected/);
    }
  });

  it("answers 410 when what followed is no longer kept, rather than leaving it out [HTTP-037]", async () => {
    const { client } = await start({ talk }, { resumability: { maxEventsPerStream: 2 } });
    const reader = new EventReader(await client.call("talk", { name: "a", count: 4 }));
    const priming = await reader.next();
    await reader.rest();
    const response = await client.send("GET", { accept: "text/event-stream", "last-event-id": priming?.id });
    assert.equal(response.status, 410);
  });

  it("forgets a session's events with the session [PP-010]", async () => {
    const { store, logs } = createRecordedStore();
    const { client, handler } = await start({ talk }, { store });
    await client.listen();
    await new EventReader(await client.call("talk", { name: "a", count: 4 })).rest();
    assert.equal(logs.size, 2);
    for (const log of logs) {
      assert.ok((await store.read(log))?.entries.length, log);
    }
    await client.send("DELETE");
    await settle();
    for (const log of logs) {
      assert.equal(await store.read(log), undefined, log);
    }
    assert.deepEqual(await listKeys(store, "st"), []);
    assert.equal(handler.stats().streams, 0);
  });

  it("waits for a store that takes its time before an event goes out, and keeps their order", async () => {
    let appends = 0;
    const { store } = createRecordedStore((append) => async (...entry) => {
      appends += 1;
      // Each is quicker than the one before.
      for (let turn = 0; turn < 40 - appends * 6; turn += 1) {
        await Promise.resolve();
      }
      return await append(...entry);
    });
    const { client } = await start(
      {
        burst: async (_, exchange) => {
          for (let step = 1; step <= 4; step += 1) {
            void exchange.notify({ method: "notifications/progress", params: { step } });
          }
          return {};
        },
      },
      { store },
    );
    const reader = new EventReader(await client.call("burst"));
    const priming = await reader.next();
    const messages = await reader.rest();
    assert.deepEqual(
      messages.map(({ params, result }) => (params as JsonObject | undefined)?.step ?? result),
      [1, 2, 3, 4, {}],
    );
    assert.equal((await (await client.listen(priming?.id)).rest()).length, 5);
  });

  it("sends what a failing store could not keep, without an id, and reports it", async () => {
    const { store } = createRecordedStore(() => () => Promise.reject(new StoreError("unavailable", "disk full")));
    const { client, codes } = await start({ talk }, { store });
    const reader = new EventReader(await client.call("talk", { name: "a", count: 1 }));
    const events = [await reader.next(), await reader.next()];
    assert.deepEqual(
      events.map((event) => [event?.id, JSON.parse(event?.data ?? "").method]),
      [
        [undefined, "notifications/progress"],
        [undefined, undefined],
      ],
    );
    assert.equal(await reader.next(), undefined);
    assert.ok(codes().includes("MCP_D_EVENT_NOT_STORED"));
    assert.equal((await client.send("GET", { accept: "text/event-stream" })).status, 503);
  });

  it("refuses more streams than a session may have", async () => {
    const gate = createGate();
    const { client, clock } = await start({ wait: gate.script }, { sessions: { maxStreamsPerSession: 1 } });
    const pending = client.call("wait");
    await gate.entered;
    await clock.advance(100);
    const reader = new EventReader(await pending);
    assert.equal((await client.send("GET", { accept: "text/event-stream" })).status, 429);
    assert.equal((await client.call("echo")).status, 429);
    gate.opened.resolve({});
    await reader.rest();
    assert.equal((await client.call("echo")).status, 200);
  });
});
