import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { createFakeClock } from "../../test/clock.ts";
import type { CommandConnection, ConnectionWatcher, SubscriberConnection } from "./connection.ts";
import { RedisStore } from "./store.ts";

/** A store whose second connection a test plays the server of. */
function openFake() {
  const clock = createFakeClock();
  const asked: string[] = [];
  const replies: Deferred<unknown>[] = [];
  const published: string[] = [];
  const seen: { hear?: (channel: string, text: string) => void; watcher?: ConnectionWatcher; opened: number } = {
    opened: 0,
  };
  const state = { isReady: true, renewals: 0 };
  const ask = (text: string): Promise<unknown> => {
    asked.push(text);
    const reply = createDeferred<unknown>();
    replies.push(reply);
    return reply.promise;
  };
  const subscriber: SubscriberConnection = {
    get isReady() {
      return state.isReady;
    },
    watch: (watcher) => {
      seen.watcher = watcher;
    },
    renew: () => {
      state.renewals += 1;
    },
    close: () => asked.push("close"),
    subscribe: (channels) => ask(`+${channels.join(" +")}`),
    unsubscribe: (channel) => ask(`-${channel}`),
    ping: () => ask("ping"),
  };
  const commands: CommandConnection = {
    isReady: true,
    watch: () => undefined,
    renew: () => undefined,
    close: () => undefined,
    send: async ([name, , text = ""]) => {
      if (name === "PUBLISH") {
        published.push(text);
      }
      return "";
    },
    openSubscriber: (hear) => {
      seen.opened += 1;
      seen.hear = hear;
      return subscriber;
    },
  };
  const store = new RedisStore(async () => commands, "redis.test:6379", { prefix: "", clock });
  return { store, clock, asked, replies, published, seen, state };
}

function record() {
  const events: string[] = [];
  return { events, message: (text: string) => events.push(text), missed: () => events.push("missed") };
}

async function replyToAll(replies: Deferred<unknown>[]): Promise<void> {
  await turn();
  for (const reply of replies.splice(0)) {
    reply.resolve(undefined);
  }
  await turn();
}

describe("the bus", () => {
  it("opens its connection for the first listener, and asks once for a topic, however many listen", async () => {
    const { store, asked, replies, seen } = openFake();
    await store.publish("t", "nobody");
    assert.equal(seen.opened, 0);
    const subscribing = [store.subscribe("t", record()), store.subscribe("t", record())];
    await replyToAll(replies);
    const stops = [...(await Promise.all(subscribing)), await store.subscribe("t", record())];
    assert.deepEqual([seen.opened, asked], [1, ["+topic:t"]]);
    for (const stop of stops) {
      stop();
      stop();
    }
    await turn();
    assert.deepEqual(asked, ["+topic:t", "-topic:t"]);
  });

  it("lets a listener that comes while the last one goes win", async () => {
    const { store, asked, replies, seen } = openFake();
    const first = store.subscribe("t", record());
    await replyToAll(replies);
    (await first)();
    const listener = record();
    const second = store.subscribe("t", listener);
    await replyToAll(replies);
    await second;
    assert.deepEqual(asked, ["+topic:t", "-topic:t", "+topic:t"]);
    seen.hear?.("topic:t", "p 1 here");
    assert.deepEqual(listener.events, ["here"]);
  });

  it("gives what comes twice once, and says `missed` for what comes behind later ones", async () => {
    const { store, replies, seen } = openFake();
    const listener = record();
    const subscribing = store.subscribe("t", listener);
    await replyToAll(replies);
    await subscribing;
    for (const text of ["p 1 a", "p 1 a", "p 3 c", "q 2 other", "p 2 b", "p 3 c", "p 4 d", "nonsense"]) {
      seen.hear?.("topic:t", text);
    }
    assert.deepEqual(listener.events, ["a", "c", "other", "missed", "d"]);
  });

  it("numbers what it publishes", async () => {
    const { store, published } = openFake();
    await store.publish("t", "a b\nc");
    await store.publish("u", "");
    const [first, second] = published.map((text) => text.split(" "));
    assert.deepEqual(first?.slice(1), ["1", "a", "b\nc"]);
    assert.deepEqual(second?.slice(1), ["2", ""]);
    assert.equal(first?.[0], second?.[0]);
  });

  it("asks again for every topic once a lost connection is back, and tells listeners when that is done", async () => {
    const { store, asked, replies, seen, state } = openFake();
    const listeners = [record(), record()];
    const subscribing = [
      store.subscribe("t", listeners[0] ?? record()),
      store.subscribe("u", listeners[1] ?? record()),
    ];
    await replyToAll(replies);
    await Promise.all(subscribing);
    asked.length = 0;
    state.isReady = false;
    seen.watcher?.lost();
    await turn();
    assert.deepEqual(asked, []);
    state.isReady = true;
    seen.watcher?.ready();
    await turn();
    assert.deepEqual(asked, ["+topic:t +topic:u"]);
    assert.deepEqual(
      listeners.map(({ events }) => events),
      [[], []],
    );
    await replyToAll(replies);
    assert.deepEqual(
      listeners.map(({ events }) => events),
      [["missed"], ["missed"]],
    );
  });

  it("goes on asking where it is refused after a loss", async () => {
    const { store, clock, asked, replies, seen } = openFake();
    const listener = record();
    const subscribing = store.subscribe("t", listener);
    await replyToAll(replies);
    await subscribing;
    seen.watcher?.lost();
    seen.watcher?.ready();
    await turn();
    replies.splice(0)[0]?.reject(new Error("NOPERM for now"));
    await turn();
    await clock.advance(1_000);
    await replyToAll(replies);
    assert.deepEqual(asked, ["+topic:t", "+topic:t", "+topic:t"]);
    assert.deepEqual(listener.events, ["missed"]);
  });

  it("gives a connection up that no longer answers, and asks nothing any more once it is closed", async () => {
    const { store, clock, asked, replies, state } = openFake();
    const subscribing = store.subscribe("t", record());
    await replyToAll(replies);
    await subscribing;
    await clock.advance(10_000);
    await replyToAll(replies);
    await clock.advance(5_000);
    assert.equal(state.renewals, 0);
    await clock.advance(5_000);
    assert.deepEqual(asked, ["+topic:t", "ping", "ping"]);
    await clock.advance(5_000);
    assert.equal(state.renewals, 1);
    await store.close();
    await store.close();
    await clock.advance(60_000);
    assert.deepEqual(asked, ["+topic:t", "ping", "ping", "close"]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("asks to hear no more of a topic that nobody listens to", async () => {
    const { store, asked, replies, seen } = openFake();
    const subscribing = store.subscribe("t", record());
    await replyToAll(replies);
    await subscribing;
    seen.hear?.("topic:other", "p 1 a");
    await turn();
    assert.deepEqual(asked, ["+topic:t", "-topic:other"]);
  });
});
