import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { closingLines, omissionLines, type Result, resultLines } from "./report.ts";

const passed: Result = {
  scenario: { name: "ping", role: "server", revision: "2025-11-25", unscored: undefined },
  verdict: { passed: true, held: 2, broken: 0, skipped: 0, problems: [] },
  durationMs: 1_234,
  output: "said by the suite\n",
};
const failed: Result = {
  ...passed,
  scenario: { ...passed.scenario, name: "sse-retry", role: "client", unscored: "pending" },
  verdict: { passed: false, held: 1, broken: 1, skipped: 3, problems: ["failure of x: late"] },
};

describe("resultLines", () => {
  it("is one line for a scenario that passed", () => {
    const lines = resultLines(passed, false);
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /^ok +2025-11-25 server ping +2\/2 checks +1\.2 s$/);
  });

  it("tells what went wrong and that a scenario is not scored", () => {
    const [line, problem, ...rest] = resultLines(failed, false);
    assert.match(
      line ?? "",
      /^FAILED 2025-11-25 client sse-retry +1\/2 checks, 3 not made 1\.2 s \(unscored: pending\)$/,
    );
    assert.equal(problem?.trim(), "failure of x: late");
    assert.deepEqual(rest, []);
  });

  it("adds what was printed when asked to, and where a scenario made no check", () => {
    assert.match(resultLines(passed, true).join("\n"), /said by the suite/);
    const silent = { ...failed, verdict: { ...failed.verdict, held: 0, broken: 0 } };
    assert.match(resultLines(silent, false).join("\n"), /said by the suite/);
  });
});

describe("omissionLines", () => {
  it("counts what is left out and gives the reason", () => {
    const omitted = [{ omission: { prefix: "auth/", reason: "no authorization" }, names: ["auth/a", "auth/b"] }];
    assert.deepEqual(omissionLines("2025-11-25", { chosen: [], omitted }), [
      "left out of 2025-11-25: 2 scenarios auth/*, no authorization",
    ]);
  });
});

describe("closingLines", () => {
  it("ends with the number of scenarios that passed and failed", () => {
    const lines = closingLines([passed, failed]);
    assert.deepEqual(lines, ["checks: 3 held, 1 broken, 3 not made", "1 passed, 1 failed"]);
  });
});
