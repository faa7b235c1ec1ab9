import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judge, parseChecks } from "./verdict.ts";

const success = { id: "ping", status: "SUCCESS" };

describe("judge", () => {
  it("passes a scenario whose checks held, whatever else it tells", () => {
    const verdict = judge({
      code: 0,
      checks: [success, { id: "incoming", status: "INFO" }, { id: "x", status: "SKIPPED" }],
    });
    assert.deepEqual(verdict, { passed: true, held: 1, broken: 0, skipped: 1, problems: [] });
  });

  it("fails on a failed check and on a warning, with their reasons", () => {
    const verdict = judge({
      code: 0,
      checks: [
        success,
        { id: "a", status: "FAILURE", description: "does a", errorMessage: "did not" },
        { id: "b", status: "WARNING", description: "should do b" },
      ],
    });
    assert.deepEqual([verdict.passed, verdict.held, verdict.broken], [false, 1, 2]);
    assert.deepEqual(verdict.problems, ["failure of a: did not", "warning of b: should do b"]);
  });

  it("fails a scenario that proved nothing", () => {
    assert.match(judge({ code: 0, checks: [{ id: "x", status: "INFO" }] }).problems[0] ?? "", /nothing is proved/);
    assert.equal(judge({ code: 0, checks: [{ id: "x", status: "SKIPPED" }] }).passed, false);
  });

  it("fails when the suite did, although every check held", () => {
    const { passed, problems } = judge({ code: 1, checks: [success] });
    assert.equal(passed, false);
    assert.match(problems[0] ?? "", /code 1/);
  });

  it("fails when there are no checks at all", () => {
    assert.deepEqual(judge({ code: 0, checks: undefined }).passed, false);
  });
});

describe("parseChecks", () => {
  it("reads a list of checks", () => {
    assert.deepEqual(parseChecks(JSON.stringify([success])), [success]);
  });

  it("refuses anything else", () => {
    for (const text of ["{}", "[1]", '[{"id":"x"}]', "[null]", "no JSON"]) {
      assert.throws(() => parseChecks(text));
    }
  });
});
