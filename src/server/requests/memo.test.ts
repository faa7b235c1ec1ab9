import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred } from "../../base/deferred.ts";
import { Memo } from "./memo.ts";

describe("Memo", () => {
  it("runs work once for each key, also while it runs [PP-112]", async () => {
    const memo = new Memo();
    const release = createDeferred();
    let runs = 0;
    const work = async (): Promise<number> => {
      runs += 1;
      await release.promise;
      return runs;
    };
    const [one, two] = [memo.once("a", work), memo.once("a", work)];
    release.resolve();
    assert.deepEqual(await Promise.all([one, two, memo.once("a", work)]), [1, 1, 1]);
    assert.deepEqual(memo.memories, { a: { value: 1 } });
  });

  it("keeps that work gave nothing, and does not keep that it failed [PP-112]", async () => {
    const memo = new Memo();
    assert.equal(await memo.once("nothing", () => undefined), undefined);
    await assert.rejects(
      memo.once("bad", () => {
        throw new Error("no");
      }),
      /no/,
    );
    assert.equal(await memo.once("bad", () => 2), 2);
    assert.deepEqual(memo.memories, { nothing: {}, bad: { value: 2 } });
    const later = new Memo(JSON.parse(JSON.stringify(memo.memories)));
    assert.equal(await later.once("nothing", () => assert.fail()), undefined);
    assert.equal(await later.once("bad", () => assert.fail()), 2);
  });

  it("refuses results that JSON would change, wherever the call comes from [PP-112]", async () => {
    const deep = { a: {} };
    let inner: { a: object } = deep;
    for (let depth = 0; depth < 200; depth += 1) {
      inner.a = { a: {} };
      inner = inner.a as { a: object };
    }
    for (const value of [
      new Date(),
      Number.NaN,
      1n,
      () => {},
      Symbol("s"),
      new Map(),
      [undefined],
      { a: [new Date()] },
      deep,
    ]) {
      await assert.rejects(
        new Memo().once("k", () => value),
        { code: "MCP_USAGE" },
      );
    }
    for (const value of [null, 0, "", false, [], {}, { a: undefined, b: [{ c: null }] }, Object.create(null)]) {
      assert.equal(await new Memo().once("k", () => value), value);
    }
  });

  it("tells when nothing runs any more, however it ended", async () => {
    const memo = new Memo();
    const [slow, broken] = [createDeferred(), createDeferred()];
    void memo.once("slow", () => slow.promise);
    memo.once("broken", () => broken.promise).catch(() => undefined);
    let isSettled = false;
    const settled = memo.settled().then(() => {
      isSettled = true;
    });
    broken.reject(new Error("x"));
    await new Promise(setImmediate);
    assert.equal(isSettled, false);
    slow.resolve();
    await settled;
  });
});
