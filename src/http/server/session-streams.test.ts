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
import { createFakeClock } from "../../test/clock.ts";
import { type EventLog, MemoryEventLog } from "./event-log.ts";

/** Sends `count` notifications named after `name`, then answers. */
const talk: Script = async ({ name, count }, exchange) => {
  for (let step = 1; step <= Number(count); step += 1) {
    await exchange.notify({ method: "notifications/progress", params: { name, step } });
  }
  return { name };
};

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
    for (const id of [foreign?.id, "x", "", `${owner}.99.0`, `${owner}.0.5`, `${owner}.1`, "_GET_stream_17_1"]) {
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
    const clock = createFakeClock();
    const log = new MemoryEventLog(clock);
    const { client } = await start({ talk }, { resumability: { log }, clock });
    await new EventReader(await client.call("talk", { name: "a", count: 4 })).rest();
    assert.equal(log.size.events, 5);
    await client.send("DELETE");
    assert.deepEqual(log.size, { events: 0, bytes: 0 });
  });

  it("waits for a log that takes its time before an event goes out, and keeps their order", async () => {
    const memory = new MemoryEventLog(createFakeClock());
    let stored = 0;
    const log: EventLog = {
      append: async (key, data) => {
        memory.append(key, data);
        // The first takes longest.
        for (let turn = 0; turn < 40 - key.sequence * 8; turn += 1) {
          await Promise.resolve();
        }
        stored += 1;
      },
      read: async (key) => memory.read(key),
      forget: async (owner) => memory.forget(owner),
    };
    const { client } = await start(
      {
        burst: async (_, exchange) => {
          for (let step = 1; step <= 4; step += 1) {
            void exchange.notify({ method: "notifications/progress", params: { step } });
          }
          return {};
        },
      },
      { resumability: { log } },
    );
    const reader = new EventReader(await client.call("burst"));
    const priming = await reader.next();
    const messages = await reader.rest();
    assert.deepEqual(
      messages.map(({ params, result }) => (params as JsonObject | undefined)?.step ?? result),
      [1, 2, 3, 4, {}],
    );
    assert.equal(stored, 5);
    assert.equal((await (await client.listen(priming?.id)).rest()).length, 5);
  });

  it("sends what a failing log could not keep, and reports it", async () => {
    const log: EventLog = {
      append: () => Promise.reject(new Error("disk full")),
      read: () => Promise.reject(new Error("disk gone")),
      forget: () => Promise.reject(new Error("disk gone")),
    };
    const { client, codes } = await start({ talk }, { resumability: { log } });
    const standing = await client.listen();
    assert.equal((await standing.next())?.data, "");
    const wait = client.call("talk", { name: "a", count: 1 });
    const text = await (await wait).text();
    await client.send("DELETE");
    await settle();
    assert.ok(codes().includes("MCP_D_EVENT_NOT_STORED"));
    assert.ok(codes().includes("MCP_D_EVENT_LOG_FAILED"));
    assert.match(text, /^id: /);
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
