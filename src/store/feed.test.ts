import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { prepareFeeds as prepare, Reader } from "../../test/fixtures/feeds.ts";
import { turn } from "../../test/fixtures/turn.ts";
import { createDeferred } from "../base/deferred.ts";

describe("Feed", () => {
  it("gives what is kept behind a position and then what comes, once and in order, on every node [PP-010]", async () => {
    const { writer, follower, reader, append } = prepare();
    await append("a", "b");
    const { position } = await writer.feed.append("c");
    const [local, late] = [new Reader(), new Reader()];
    await follower.feed.follow(0, reader);
    await writer.feed.follow(0, local);
    await follower.feed.follow(position, late);
    assert.deepEqual(reader.told, ["a", "b", "c"]);
    await append("d");
    await follower.feed.append("e");
    await turn();
    assert.deepEqual([reader.told, local.told], [Array.from("abcde"), Array.from("abcde")]);
    assert.deepEqual(late.told, ["d", "e"]);
  });

  it("reads once, and then lives on what it hears", async () => {
    const { follower, reader, append } = prepare();
    await follower.feed.follow(0, reader);
    await append(...Array.from({ length: 50 }, (_, index) => String(index)));
    assert.deepEqual([reader.told.length, follower.reads], [50, 1]);
  });

  it("gives only what comes, to who follows from the end", async () => {
    const { follower, reader, append } = prepare();
    await append("a", "b");
    await follower.feed.follow(undefined, reader);
    assert.deepEqual(reader.told, []);
    await append("c", "d");
    assert.deepEqual(reader.told, ["c", "d"]);
  });

  for (const when of ["before", "after"] as const) {
    it(`replays nothing where entries come ${when} the end was found`, async () => {
      const { follower, reader, append } = prepare();
      await append("old", "older");
      const [reached, gate] = [createDeferred(), createDeferred()];
      const wait = (): Promise<void> => {
        reached.resolve();
        return gate.promise;
      };
      follower[when === "before" ? "beforeRead" : "afterRead"] = wait;
      const following = follower.feed.follow(undefined, reader);
      await reached.promise;
      await append("new", "newer");
      gate.resolve();
      await following;
      await append("newest");
      assert.deepEqual(reader.told, when === "before" ? ["newest"] : ["new", "newer", "newest"]);
    });
  }

  it("reads once, where entries come before it has begun to read", async () => {
    const { store, follower, reader, append } = prepare();
    await append("a", "b");
    const { reads } = follower;
    follower.onSubscribed = (listener) => listener.message("1001 1000 b");
    await follower.feed.follow(0, reader);
    assert.deepEqual([reader.told, follower.reads - reads], [["a", "b"], 1]);
    assert.equal(store.usage().listeners, 1);
  });

  it("gives an entry once that begins the log while its end is looked for", async () => {
    const { follower, reader, append } = prepare();
    const [reached, gate] = [createDeferred(), createDeferred()];
    follower.afterRead = () => {
      reached.resolve();
      return gate.promise;
    };
    const following = follower.feed.follow(undefined, reader);
    await reached.promise;
    await append("a");
    gate.resolve();
    await following;
    await append("b", "c");
    follower.miss();
    await turn();
    assert.deepEqual(reader.told, ["a", "b", "c"]);
  });

  it("follows a log that has not begun", async () => {
    const { follower, reader, append } = prepare();
    const end = new Reader();
    await follower.feed.follow(0, reader);
    await follower.feed.follow(undefined, end);
    await append("a", "b");
    assert.deepEqual(
      [reader.told, end.told],
      [
        ["a", "b"],
        ["a", "b"],
      ],
    );
  });

  it("puts in order what two writers announced in another one", async () => {
    const { follower, reader, append } = prepare();
    await follower.feed.follow(undefined, reader);
    follower.holdsMessages = true;
    await append("a", "b", "c", "d");
    follower.release(1, 0, 3);
    await turn();
    assert.deepEqual(reader.told, ["a", "b", "c", "d"]);
    follower.release(2, 3, 1);
    await turn();
    assert.deepEqual(reader.told, ["a", "b", "c", "d"]);
  });

  it("gives what was announced while the log was being read, without a gap and without taking it twice", async () => {
    const { follower, reader, append } = prepare();
    await append("a");
    await follower.feed.follow(0, reader);
    const [reached, gate] = [createDeferred(), createDeferred()];
    follower.afterRead = () => {
      follower.afterRead = () => undefined;
      reached.resolve();
      return gate.promise;
    };
    follower.miss();
    await reached.promise;
    await append("b", "c", "d");
    gate.resolve();
    await turn();
    assert.deepEqual(reader.told, ["a", "b", "c", "d"]);
  });

  it("reads what it missed while its connection was away", async () => {
    const { follower, reader, append } = prepare();
    await follower.feed.follow(undefined, reader);
    follower.holdsMessages = true;
    await append("a", "b");
    follower.miss();
    await turn();
    assert.deepEqual(reader.told, ["a", "b"]);
  });

  it("reads what is too long for the bus, and passes over what is no announcement", async () => {
    const { store, follower, reader, append } = prepare();
    await follower.feed.follow(undefined, reader);
    await append("x".repeat(65_537));
    await store.publish("l", "hello");
    await append("a\nb c");
    assert.deepEqual(reader.told, ["65537 characters", "a\nb c"]);
  });
});
