import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { createFakeClock } from "../../test/clock.ts";
import { StoreError } from "../error.ts";
import type { Connection, ConnectionWatcher } from "./connection.ts";
import { Operations } from "./operations.ts";

/** @param stillMs - how long the process stands still before it sees that an operation's time is over */
function openFake(stillMs = 0) {
  const { now, ...time } = createFakeClock();
  const clock = { ...time, now: () => now() + (now() < 1_000 ? 0 : stillMs) };
  const state = { isReady: true, isClosed: false, renewals: 0, back: 0 };
  let watcher: ConnectionWatcher | undefined;
  const connection: Connection = {
    get isReady() {
      return state.isReady;
    },
    watch: (given) => {
      watcher = given;
    },
    renew: () => {
      state.renewals += 1;
    },
    close: () => {
      state.isClosed = true;
    },
  };
  const operations = new Operations({
    open: async () => connection,
    place: "redis.test:6379",
    timeoutMs: 1_000,
    clock,
    onBack: () => {
      state.back += 1;
    },
  });
  const lose = (): void => {
    state.isReady = false;
    watcher?.lost();
  };
  const bringBack = (): void => {
    state.isReady = true;
    watcher?.ready();
  };
  return { clock, state, operations, lose, bringBack, fail: (error: unknown) => watcher?.failed(error) };
}

const lostReply = async (): Promise<never> => {
  throw new Error("Socket closed unexpectedly");
};

describe("Operations", () => {
  it("waits for the connection and goes on in the order of asking", async () => {
    const { operations, lose, bringBack, state } = openFake();
    await operations.run(async () => undefined);
    lose();
    const done: number[] = [];
    const running = [1, 2, 3].map((each) => operations.run(async () => done.push(each)));
    await turn();
    assert.deepEqual(done, []);
    bringBack();
    await Promise.all(running);
    assert.deepEqual([done, state.back], [[1, 2, 3], 1]);
  });

  it("tries again where a reply was lost, and says that the outcome is not certain", async () => {
    const { operations } = openFake();
    const works = [lostReply, async () => "done"];
    const run = () => operations.run(() => (works.shift() ?? lostReply)());
    assert.deepEqual(await run(), { value: "done", isCertain: false });
    works.push(async () => "once");
    assert.deepEqual(await run(), { value: "once", isCertain: true });
  });

  it("says so too where the connection was lost and somebody below tried again", async () => {
    const { operations, lose, bringBack } = openFake();
    const reply = createDeferred<string>();
    const running = operations.run(() => reply.promise);
    await turn();
    lose();
    bringBack();
    reply.resolve("done");
    assert.deepEqual(await running, { value: "done", isCertain: false });
  });

  it("waits longer and longer for a server that is busy, and gives up at its limit", async () => {
    const { clock, operations, state } = openFake();
    let tries = 0;
    const running = operations.run(async () => {
      tries += 1;
      throw new Error("LOADING Redis is loading the dataset in memory");
    });
    const rejects = assert.rejects(running, (error) => {
      assert.ok(error instanceof StoreError && error.failure === "unavailable");
      assert.match(error.message, /redis\.test:6379: expected an answer within 1000 ms, got none \(LOADING/);
      return true;
    });
    await clock.advance(1_000);
    await rejects;
    assert.ok(tries > 3 && tries < 10, `${tries} tries`);
    await clock.advance(10_000);
    assert.deepEqual([clock.pendingTimers, state.renewals], [0, 0]);
  });

  it("says why there is no connection, and that nothing was sent", async () => {
    const { clock, operations, lose, fail } = openFake();
    await operations.run(async () => undefined);
    lose();
    fail(new Error("connect ECONNREFUSED 127.0.0.1:6379"));
    const rejects = assert.rejects(
      operations.run(async () => "never"),
      /\(connect ECONNREFUSED 127\.0\.0\.1:6379\); nothing was sent/,
    );
    await clock.advance(1_000);
    await rejects;
  });

  it("gives up a connection on which nothing is answered, and none on which something is", async () => {
    const { clock, operations, state } = openFake();
    const never = createDeferred();
    const slow = assert.rejects(
      operations.run(() => never.promise),
      /not known/,
    );
    await clock.advance(500);
    await operations.run(async () => "answered");
    await clock.advance(500);
    await slow;
    assert.equal(state.renewals, 0);
    const silent = assert.rejects(
      operations.run(() => never.promise),
      /not known/,
    );
    await clock.advance(1_000);
    await silent;
    assert.equal(state.renewals, 1);
  });

  it("reads what came while the process stood still before it gives up", async () => {
    const { operations, state, clock } = openFake(60_000);
    const answer = createDeferred<string>();
    const running = operations.run(() => answer.promise);
    await clock.advance(1_500);
    answer.resolve("done");
    assert.deepEqual([await running, state.renewals], [{ value: "done", isCertain: true }, 0]);
  });

  it("waits at its end for what is being answered, and for nothing that cannot be", async () => {
    const first = openFake();
    const reply = createDeferred<string>();
    const running = first.operations.run(() => reply.promise);
    await turn();
    const closing = first.operations.close();
    await assert.rejects(
      first.operations.run(async () => "late"),
      /the store was closed; nothing was sent/,
    );
    assert.equal(first.state.isClosed, false);
    reply.resolve("done");
    assert.equal((await running).value, "done");
    await closing;
    assert.deepEqual([first.state.isClosed, first.clock.pendingTimers], [true, 0]);

    const second = openFake();
    const cut = assert.rejects(
      second.operations.run(() => createDeferred().promise),
      /the store was closed; .* not known/,
    );
    await turn();
    second.lose();
    await second.operations.close();
    await cut;
    assert.equal(second.state.isClosed, true);
  });

  it("closes what was still being opened", async () => {
    const { operations, state } = openFake();
    const rejects = assert.rejects(
      operations.run(async () => "never"),
      /the store was closed/,
    );
    await operations.close();
    await rejects;
    await turn();
    assert.equal(state.isClosed, true);
  });
});
