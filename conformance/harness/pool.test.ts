import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import { mapBounded } from "./pool.ts";

describe("mapBounded", () => {
  it("keeps the order of the items and never works on more than the limit at once", async () => {
    let working = 0;
    let most = 0;
    const values = await mapBounded([3, 1, 2, 1], 2, async (turns) => {
      working += 1;
      most = Math.max(most, working);
      for (let count = 0; count < turns; count += 1) {
        await turn();
      }
      working -= 1;
      return turns * 10;
    });
    assert.deepEqual(values, [30, 10, 20, 10]);
    assert.equal(most, 2);
  });

  it("rejects when one piece of work does", async () => {
    const work = async (item: number): Promise<number> => {
      if (item === 2) {
        throw new Error("broke");
      }
      return item;
    };
    await assert.rejects(mapBounded([1, 2, 3], 2, work), /broke/);
  });
});
