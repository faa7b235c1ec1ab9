import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { ClosedError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject, JsonRpcNotification } from "../../jsonrpc/message.ts";
import type { SubscriptionFilter } from "../../protocol/types/subscriptions.ts";
import { createFakeClock } from "../../test/clock.ts";
import { Listening } from "./listening.ts";

interface Opened {
  readonly filter: SubscriptionFilter;
  readonly signal: AbortSignal;
  readonly outcome: Deferred<JsonObject>;
  tell(method: string, params?: JsonObject): void;
  acknowledge(honoured?: SubscriptionFilter): void;
}

/** A subscription whose streams a test drives. */
function create(random = () => 1) {
  const clock = createFakeClock();
  const life = new AbortController();
  const streams: Opened[] = [];
  const events: string[] = [];
  const listening = new Listening(
    {
      clock,
      signal: life.signal,
      acknowledgeTimeoutMs: 1_000,
      backoff: { initialDelayMs: 100, maxDelayMs: 1_600, random },
      open: (filter, { signal, onRelated }) => {
        const outcome = createDeferred<JsonObject>();
        signal.addEventListener("abort", () => outcome.reject(signal.reason));
        const tell = (method: string, params: JsonObject = {}): void => {
          onRelated?.({ jsonrpc: "2.0", method, params });
        };
        const acknowledge = (honoured = filter): void =>
          tell("notifications/subscriptions/acknowledged", { notifications: honoured });
        streams.push({ filter, signal, outcome, tell, acknowledge });
        return outcome.promise;
      },
    },
    {
      onNotification: ({ method }: JsonRpcNotification) => events.push(method),
      onOpen: () => events.push("open"),
      onEnd: ({ kind }, reopens) => events.push(`${kind} ${reopens}`),
      onGap: () => events.push("gap"),
    },
  );
  const at = (index: number): Opened => streams[index] ?? assert.fail(`expected stream ${index}`);
  return { clock, life, streams, events, listening, at };
}

const tools = { toolsListChanged: true };

describe("Listening", () => {
  it("opens nothing until something is wanted, and says what was agreed to [M-SUB-001] [M-SUB-006]", async () => {
    const { listening, streams, at, clock } = create();
    await clock.advance(0);
    assert.equal(streams.length, 0);
    const agreed = listening.want({ ...tools, resourceSubscriptions: ["a:b"] });
    await clock.advance(0);
    assert.deepEqual(at(0).filter, { ...tools, resourceSubscriptions: ["a:b"] });
    at(0).acknowledge(tools);
    assert.deepEqual(await agreed, tools);
    listening.close();
    await clock.advance(0);
    assert.ok(at(0).signal.aborted);
    assert.equal(clock.pendingTimers, 0);
  });

  it("takes changes of one turn as one, and nothing wanted as the end", async () => {
    const { listening, streams, at, clock } = create();
    const all = [listening.want(tools), listening.want({}), listening.want({ promptsListChanged: true })];
    await clock.advance(0);
    at(0).acknowledge();
    await Promise.all(all);
    assert.deepEqual(
      streams.map(({ filter }) => filter),
      [{ promptsListChanged: true }],
    );
    await listening.want({ promptsListChanged: false });
    assert.ok(at(0).signal.aborted);
    assert.equal(streams.length, 1);
  });

  it("closes a stream only once the one with the new filter is acknowledged", async () => {
    const { listening, events, at, clock } = create();
    void listening.want(tools);
    await clock.advance(0);
    at(0).acknowledge();
    await clock.advance(0);
    void listening.want({ ...tools, promptsListChanged: true });
    await clock.advance(0);
    assert.equal(at(0).signal.aborted, false);
    at(0).tell("still");
    at(1).acknowledge();
    await clock.advance(0);
    assert.ok(at(0).signal.aborted);
    at(0).tell("too late");
    at(1).tell("now");
    assert.deepEqual(events, ["open", "still", "open", "now"]);
    listening.close();
  });

  it("opens a lost stream again after growing delays up to a limit, tells of the gap once, and begins anew after that [M-SUB-013] [M-SUB-014] [PP-046]", async () => {
    const { listening, events, streams, at, clock } = create();
    void listening.want(tools);
    await clock.advance(0);
    at(0).acknowledge();
    await clock.advance(0);
    at(0).outcome.reject(new ClosedError("cut"));
    for (const delay of [100, 200, 400, 800, 1_600, 1_600]) {
      await clock.advance(delay - 1);
      const before = streams.length;
      await clock.advance(1);
      assert.equal(streams.length, before + 1);
      streams.at(-1)?.outcome.reject(new ClosedError("cut"));
    }
    await clock.advance(1_600);
    events.length = 0;
    streams.at(-1)?.acknowledge();
    await clock.advance(0);
    assert.deepEqual(events, ["open", "gap"]);
    streams.at(-1)?.outcome.reject(new ClosedError("cut"));
    const before = streams.length;
    await clock.advance(100);
    assert.equal(streams.length, before + 1);
    listening.close();
    await clock.advance(0);
    assert.equal(clock.pendingTimers, 0);
  });

  it("spreads its attempts by chance [M-CACHE-008] [PP-046]", async () => {
    const { listening, streams, at, clock } = create(() => 0);
    void listening.want(tools);
    await clock.advance(0);
    at(0).acknowledge();
    await clock.advance(0);
    at(0).outcome.reject(new ClosedError("cut"));
    await clock.advance(49);
    assert.equal(streams.length, 1);
    await clock.advance(1);
    assert.equal(streams.length, 2);
    listening.close();
  });

  it("tells an end in order from a loss, and does not come back at once [M-SUB-013] [PP-046]", async () => {
    const { listening, events, streams, at, clock } = create();
    void listening.want(tools);
    await clock.advance(0);
    at(0).acknowledge();
    await clock.advance(0);
    at(0).outcome.resolve({});
    await clock.advance(1_599);
    assert.deepEqual(events, ["open", "ended true"]);
    assert.equal(streams.length, 1);
    await clock.advance(1);
    assert.equal(streams.length, 2);
    listening.close();
  });

  it("does not ask again what the server refused, until something else is wanted", async () => {
    const { listening, events, streams, at, clock } = create();
    const refused = assert.rejects(listening.want(tools), { rpcCode: -32601 });
    await clock.advance(0);
    at(0).outcome.reject(new RpcError(-32601, "no", { remote: true }));
    await refused;
    await clock.advance(100_000);
    assert.deepEqual(events, ["lost false"]);
    assert.equal(streams.length, 1);
    void listening.want({ promptsListChanged: true });
    await clock.advance(0);
    assert.equal(streams.length, 2);
    listening.close();
  });

  it("keeps the old stream when the server refuses a wider filter", async () => {
    const { listening, streams, at, clock } = create();
    void listening.want(tools);
    await clock.advance(0);
    at(0).acknowledge();
    await clock.advance(0);
    const refused = assert.rejects(listening.want({ ...tools, resourceSubscriptions: ["x"] }), { rpcCode: -32602 });
    await clock.advance(0);
    at(1).outcome.reject(new RpcError(-32602, "no", { remote: true }));
    await refused;
    assert.deepEqual(await listening.want(tools), tools);
    assert.equal(streams.length, 2);
    assert.equal(at(0).signal.aborted, false);
    listening.close();
  });

  it("answers what is wanted while the server refuses something else", async () => {
    const { listening, at, clock } = create();
    const refused = assert.rejects(listening.want(tools), { rpcCode: -32602 });
    await clock.advance(0);
    const agreed = listening.want({ promptsListChanged: true });
    at(0).outcome.reject(new RpcError(-32602, "no", { remote: true }));
    await refused;
    await clock.advance(0);
    at(1).acknowledge();
    assert.deepEqual(await agreed, { promptsListChanged: true });
    listening.close();
  });

  it("waits for an acknowledgement only so long, and takes none that breaks the protocol [M-SUB-006]", async () => {
    const { listening, at, clock } = create();
    const late = assert.rejects(listening.want(tools), { code: "MCP_TIMEOUT" });
    await clock.advance(1_000);
    await late;
    assert.ok(at(0).signal.aborted);
    await clock.advance(100);
    const odd = assert.rejects(listening.want({ promptsListChanged: true }), { code: "MCP_PEER" });
    await clock.advance(0);
    at(1).tell("notifications/subscriptions/acknowledged", { notifications: 5 });
    await clock.advance(100);
    at(2).outcome.resolve({});
    await odd;
    listening.close();
  });

  it("ends with the session: who waits is told, and no timer is left", async () => {
    const { listening, streams, at, clock, life } = create();
    const open = listening.want(tools);
    await clock.advance(0);
    at(0).acknowledge();
    await open;
    const waiting = assert.rejects(listening.want({ promptsListChanged: true }), /over/);
    await clock.advance(0);
    life.abort(new Error("over"));
    await waiting;
    await clock.advance(100_000);
    assert.equal(streams.length, 2);
    assert.equal(clock.pendingTimers, 0);
    await assert.rejects(listening.want(tools), /over/);
  });
});
