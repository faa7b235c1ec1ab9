import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedSession, createCachingClient } from "../../../test/fixtures/cached-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError } from "../../base/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

function open() {
  const client = createCachingClient();
  const answers: ReturnType<typeof createDeferred<JsonObject>>[] = [];
  const session = new CachedSession(client.settings, () => {
    const answer = createDeferred<JsonObject>();
    answers.push(answer);
    return answer.promise;
  });
  const ask = (options?: Parameters<typeof session.ask>[2]) => session.ask("tools/list", {}, options);
  const answer = async (index: number, result: JsonObject): Promise<void> => {
    answers[index]?.resolve(result);
    await turn();
  };
  return { ...client, session, ask, answers, answer };
}

describe("Flights", () => {
  it("makes one request of several for the same at the same time, each with its own copy", async () => {
    const { session, settings, ask, answer } = open();
    const asked = Promise.all([ask(), ask(), ask({ signal: new AbortController().signal })]);
    await turn();
    await answer(0, { ttlMs: 1_000, tools: [] });
    const [first, second, third] = await asked;
    assert.deepEqual([first, second], [third, third]);
    assert.notEqual(first?.tools, second?.tools);
    assert.notEqual(second?.tools, third?.tools);
    assert.equal(session.count(), 1);
    assert.equal(settings.flights.size, 0);
  });

  it("makes one request of what is asked before it goes out, whatever the result is worth", async () => {
    const { session, ask, answer } = open();
    const asked = [ask(), ask(), ask()];
    await turn();
    await answer(0, { n: 1 });
    assert.deepEqual(await Promise.all(asked), [{ n: 1 }, { n: 1 }, { n: 1 }]);
    assert.equal(session.count(), 1);
  });

  it("sends one more for all who waited where the first result may not be used again [M-CACHE-007]", async () => {
    const { session, ask, answer } = open();
    const asked = [ask()];
    await turn();
    asked.push(ask(), ask(), ask());
    await turn();
    await answer(0, { n: 1 });
    assert.equal(session.sent.length, 2);
    await answer(1, { n: 2 });
    assert.deepEqual(
      (await Promise.all(asked)).map(({ n }) => n),
      [1, 2, 2, 2],
    );
    assert.equal(session.count(), 2);
  });

  it("asks again for those who came later when the first request failed, and gives them what comes of that", async () => {
    const { session, ask, answers } = open();
    const asked = [ask()];
    await turn();
    asked.push(ask(), ask());
    await turn();
    const faults = [new ClosedError("first"), new ClosedError("second")];
    answers[0]?.reject(faults[0]);
    await assert.rejects(asked[0] ?? Promise.resolve(), faults[0]);
    await turn();
    answers[1]?.reject(faults[1]);
    for (const later of asked.slice(1)) {
      await assert.rejects(later, faults[1]);
    }
    assert.equal(session.count(), 2);
  });

  it("lets nobody answer the questions that another request was asked [M-CACHE-012]", async () => {
    const { session, ask, answer } = open();
    const asked = [ask()];
    await turn();
    asked.push(ask(), ask());
    await turn();
    for (let index = 0; index < 3; index += 1) {
      await answer(index, { resultType: "input_required", requestState: `${index}`, ttlMs: 1_000 });
    }
    assert.deepEqual((await Promise.all(asked)).map(({ requestState }) => requestState).sort(), ["0", "1", "2"]);
    assert.equal(session.count(), 3);
  });

  it("goes on when some of those who wait give up, and ends when all have", async () => {
    const { session, settings, ask, answer } = open();
    const controllers = [new AbortController(), new AbortController()];
    const asked = controllers.map(({ signal }) => ask({ signal }));
    const outcomes = Promise.allSettled(asked);
    await turn();
    const sent = session.sent[0]?.signal as AbortSignal;
    controllers[0]?.abort("first");
    await turn();
    assert.equal(sent.aborted, false);
    controllers[1]?.abort("second");
    assert.deepEqual(
      (await outcomes).map((outcome) => outcome.status === "rejected" && outcome.reason),
      ["first", "second"],
    );
    assert.equal(sent.reason, "second");
    assert.equal(settings.flights.size, 0);
    const next = ask();
    await turn();
    await answer(1, { n: 2 });
    assert.deepEqual(await next, { n: 2 });
  });

  it("asks nothing for a caller who has given up already", async () => {
    const { session, ask } = open();
    await assert.rejects(ask({ signal: AbortSignal.abort("no") }), (reason) => reason === "no");
    assert.equal(session.count(), 0);
  });

  it("keeps requests apart that differ in their limits or hear of their progress", async () => {
    const { session, ask } = open();
    void ask();
    void ask({ totalTimeoutMs: 5 });
    void ask({ idleTimeoutMs: 5 });
    void ask({ onProgress: () => {} });
    void ask({ onProgress: () => {} });
    await turn();
    assert.equal(session.count(), 5);
  });

  it("does not join what is under way when fetching anew is asked for [M-CACHE-009]", async () => {
    const { session, ask, answer } = open();
    const asked = [ask()];
    await turn();
    asked.push(ask({ reload: true }));
    await turn();
    assert.equal(session.sent.length, 2);
    await answer(1, { n: 2, ttlMs: 1_000 });
    await answer(0, { n: 1, ttlMs: 1_000 });
    assert.deepEqual(
      (await Promise.all(asked)).map(({ n }) => n),
      [1, 2],
    );
    assert.equal((await ask()).n, 2);
  });
});
