import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepareFeeds as prepare, Reader } from "../../test/fixtures/feeds.ts";
import { viewOf } from "../../test/fixtures/leases.ts";
import { turn } from "../../test/fixtures/turn.ts";
import { createDeferred } from "../base/deferred.ts";
import { createFakeClock } from "../test/clock.ts";
import { Feed } from "./feed.ts";
import { createMemoryStore } from "./memory.ts";

describe("Feed, where entries are gone", () => {
  it("tells of the gap before it goes on behind it", async () => {
    const { follower, reader, append } = prepare({ maxEntries: 2 });
    await append("a");
    await follower.feed.follow(0, reader);
    follower.holdsMessages = true;
    await append("b", "c", "d");
    follower.release(2);
    await turn();
    assert.deepEqual(reader.told, ["a", "(gap)", "c", "d"]);
    follower.holdsMessages = false;
    await append("e");
    assert.deepEqual(reader.told.slice(4), ["e"]);
  });

  it("gives an entry that was announced and is gone when the log is read, and tells of those before it", async () => {
    const { store, follower, reader, append } = prepare();
    await append("a");
    await follower.feed.follow(0, reader);
    follower.holdsMessages = true;
    await append("b", "c");
    await store.drop("l");
    follower.release(1);
    await turn();
    assert.deepEqual(reader.told, ["a", "(gap)", "c"]);
  });

  it("tells of a gap where what is gone was too long for the bus", async () => {
    const { store, follower, reader, append } = prepare();
    await follower.feed.follow(0, reader);
    follower.holdsMessages = true;
    await append("x".repeat(70_000));
    await store.drop("l");
    follower.holdsMessages = false;
    follower.release(0);
    await turn();
    await append("a");
    assert.deepEqual(reader.told, ["(gap)", "a"]);
  });

  it("goes on in a log that was dropped and has begun again", async () => {
    const { writer, follower, reader, append } = prepare();
    const end = new Reader();
    await append("a", "b");
    await follower.feed.follow(0, reader);
    await follower.feed.follow(undefined, end);
    await writer.feed.drop();
    await append("c", "d");
    follower.miss();
    await turn();
    assert.deepEqual(
      [reader.told, end.told],
      [
        ["a", "b", "c", "d"],
        ["c", "d"],
      ],
    );
  });

  it("gives what was read of a dropped log before what it begins with again", async () => {
    const { writer, follower, reader, append } = prepare();
    await follower.feed.follow(0, reader);
    follower.holdsMessages = true;
    await append("a", "b");
    follower.holdsMessages = false;
    const [reached, gate] = [createDeferred(), createDeferred()];
    follower.afterRead = () => {
      reached.resolve();
      return gate.promise;
    };
    follower.miss();
    await reached.promise;
    await writer.feed.drop();
    await append("c");
    gate.resolve();
    await turn();
    assert.deepEqual(reader.told, ["a", "b", "c"]);
  });
});

describe("Feed, where the store fails", () => {
  const fail = (): Promise<never> => Promise.reject(new Error("no connection"));

  it("follows nothing where the first read fails, and says so to the caller", async () => {
    const { store, follower, reader, append } = prepare();
    follower.beforeRead = fail;
    await assert.rejects(follower.feed.follow(0, reader), /no connection/);
    await assert.rejects(follower.feed.follow(undefined, reader), /no connection/);
    await append("a");
    assert.deepEqual([reader.told, store.usage().listeners], [[], 0]);
  });

  it("reads again after a while, and goes on where it was", async () => {
    const { clock, follower, reader, append } = prepare();
    await follower.feed.follow(undefined, reader);
    follower.holdsMessages = true;
    await append("a", "b");
    follower.beforeRead = fail;
    follower.miss();
    await clock.advance(600);
    assert.deepEqual(reader.told.slice(0, 2), ["(no connection)", "(no connection)"]);
    assert.equal(clock.pendingTimers, 1);
    follower.beforeRead = () => undefined;
    await clock.advance(10_000);
    assert.deepEqual(reader.told.slice(2), ["a", "b"]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("gives what it was told of and could not read, also where it is gone when it can", async () => {
    const { store, clock, follower, reader, append } = prepare();
    await follower.feed.follow(undefined, reader);
    follower.holdsMessages = true;
    await append("a", "b");
    follower.beforeRead = fail;
    follower.release(1);
    await turn();
    follower.beforeRead = () => undefined;
    await store.drop("l");
    await clock.advance(1_000);
    assert.deepEqual(reader.told, ["(no connection)", "(gap)", "b"]);
  });

  it("reads again as soon as there is more to hear", async () => {
    const { clock, follower, reader, append } = prepare();
    await follower.feed.follow(undefined, reader);
    follower.holdsMessages = true;
    await append("a", "b");
    follower.beforeRead = fail;
    follower.release(1);
    await turn();
    follower.beforeRead = () => undefined;
    follower.holdsMessages = false;
    await append("c");
    assert.deepEqual(reader.told, ["(no connection)", "a", "b", "c"]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("announces an entry again that the bus did not take, unless a later one was", async () => {
    const store = createMemoryStore();
    const clock = createFakeClock();
    let isDown = true;
    let published = 0;
    const taken: string[] = [];
    const view = viewOf(store, {
      publish: async (topic, message) => {
        published += 1;
        await (isDown ? fail() : store.publish(topic, message));
        taken.push(message);
      },
    });
    const feed = new Feed(view, "l", {}, clock);
    const reader = new Reader();
    await new Feed(store, "l", {}).follow(undefined, reader);
    await feed.append("a");
    await feed.append("b");
    await turn();
    isDown = false;
    await clock.advance(10_000);
    assert.deepEqual([reader.told, taken.length, clock.pendingTimers], [["a", "b"], 1, 0]);
    isDown = true;
    published = 0;
    await feed.append("c");
    await clock.advance(1_000_000);
    assert.deepEqual([published, clock.pendingTimers], [8, 0]);
  });
});

describe("Feed, once following is stopped", () => {
  it("says nothing more, and leaves nothing behind", async () => {
    const { store, writer, reader, append } = prepare();
    const other = new Reader();
    const stop = await writer.feed.follow(0, reader);
    await writer.feed.follow(0, other);
    await append("a");
    stop();
    stop();
    await append("b");
    assert.deepEqual([reader.told, other.told], [["a"], ["a", "b"]]);
    assert.equal(store.usage().listeners, 1);
  });

  it("says nothing more of what is being read", async () => {
    const { clock, follower, reader, append } = prepare();
    const stop = await follower.feed.follow(0, reader);
    const [reached, gate] = [createDeferred(), createDeferred()];
    follower.beforeRead = () => {
      reached.resolve();
      return gate.promise;
    };
    follower.holdsMessages = true;
    await append("a");
    follower.miss();
    await reached.promise;
    stop();
    gate.reject(new Error("too late"));
    await turn();
    assert.deepEqual([reader.told, clock.pendingTimers], [[], 0]);
  });

  it("stops in the middle of what was read, and does not try again what failed", async () => {
    const { clock, follower, reader, append } = prepare();
    follower.holdsMessages = true;
    const stop = await follower.feed.follow(0, {
      entry: ({ value }) => {
        reader.told.push(value);
        stop();
      },
      gap: () => reader.gap(),
      failed: (error) => reader.failed(error),
    });
    await append("a", "b");
    follower.miss();
    await turn();
    assert.deepEqual(reader.told, ["a"]);
    const leave = await follower.feed.follow(undefined, {
      entry: () => undefined,
      gap: () => undefined,
      failed: () => leave(),
    });
    follower.beforeRead = () => Promise.reject(new Error("no connection"));
    follower.miss();
    await turn();
    assert.equal(clock.pendingTimers, 0);
  });
});
