import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closingLines, type Gate, runStages, type Verdict } from "./check.ts";

const gate = (name: string, needs?: string): Gate => ({
  name,
  command: "",
  args: [],
  ...(needs === undefined ? {} : { needs }),
});
const runExcept = (broken: string) => (one: Gate) =>
  Promise.resolve({ name: one.name, passed: one.name !== broken, durationMs: 1, output: "" });

describe("runStages", () => {
  it("runs every gate after a failure, except those that need what failed", async () => {
    const told: Verdict[] = [];
    const stages = [
      [gate("build"), gate("a")],
      [gate("package", "build"), gate("examples")],
    ];
    const verdicts = await runStages(stages, runExcept("build"), (verdict) => told.push(verdict));
    assert.deepEqual(
      verdicts.map(({ name, passed }) => [name, passed]),
      [
        ["build", false],
        ["a", true],
        ["package", false],
        ["examples", true],
      ],
    );
    assert.equal(told.length, 4);
    assert.match(verdicts[2]?.output ?? "", /needs "build"/);
  });
});

describe("closingLines", () => {
  it("gives the counts of a test run and the last line of anything else", () => {
    assert.deepEqual(closingLines("✔ a\nℹ tests 2\nℹ pass 2\n"), ["ℹ tests 2", "ℹ pass 2"]);
    assert.deepEqual(closingLines("noise\nlayers: 3 files, 0 findings\n\n"), ["layers: 3 files, 0 findings"]);
    assert.deepEqual(closingLines(""), []);
  });
});
