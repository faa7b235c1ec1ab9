import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { nodeArgs, run } from "../../scripts/program.ts";
import { faults } from "../../test/fixtures/faulty-stores.ts";

/** The titles of failed tests in a report, by what stands in brackets in the title of their suite. */
function readFailures(report: string): Map<string, string[]> {
  const failures = new Map<string, string[]>();
  let suite = "";
  for (const line of report.split("\n")) {
    suite = /^# Subtest: \[([^\]]+)\]/.exec(line)?.[1] ?? suite;
    const title = /^ +not ok \d+ - (.*)$/.exec(line)?.[1];
    failures.set(suite, [...(failures.get(suite) ?? []), ...(title === undefined ? [] : [title])]);
  }
  return failures;
}

describe("the exported contract suite [PP-010]", () => {
  let failures = new Map<string, string[]>();

  before(async () => {
    const args = ["--test-reporter=tap", ...nodeArgs("test/fixtures/suite-run.ts")];
    const { output } = await run(process.execPath, args, { NODE_TEST_CONTEXT: "" }, 120_000);
    failures = readFailures(output);
  });

  it("finds no fault where there is none", () => {
    assert.deepEqual(failures.get("no fault"), []);
  });

  for (const [name, { noticedBy }] of Object.entries(faults)) {
    it(`notices ${name}`, () => {
      const titles = failures.get(name) ?? [];
      assert.ok(
        titles.some((title) => title.includes(noticedBy)),
        `expected a failure of "${noticedBy}", got ${JSON.stringify(titles)}`,
      );
    });
  }
});
