import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { createRecord } from "./record.ts";
import { type StoredTask, Watch } from "./watch.ts";

const clock = createFakeClock();
const seed = {
  owner: undefined,
  method: "tools/call",
  name: undefined,
  node: "here",
  isResumable: false,
  origin: undefined,
};
const record = createRecord({ ...seed, ttlMs: null, pollIntervalMs: 1 }, 0);

describe("Watch", () => {
  it("loses no change that is told in any step of the one before", async () => {
    for (let steps = 0; steps < 8; steps += 1) {
      let version = "1";
      const seen: string[] = [];
      const read = async (): Promise<StoredTask> => ({ record, version });
      const watch = new Watch(
        read,
        {
          changed: (stored) => seen.push(stored.version),
          gone: () => assert.fail("gone"),
          failed: (error) => assert.fail(String(error)),
        },
        clock,
      );
      watch.refresh();
      for (let step = 0; step < steps; step += 1) {
        await undefined;
      }
      version = "2";
      watch.message("2");
      for (let step = 0; step < 10; step += 1) {
        await undefined;
      }
      assert.equal(seen.at(-1), "2", `after ${steps} steps`);
      watch.stop();
    }
  });
});
