import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toTokens } from "../../../../test/fixtures/auth/authorization-rig.ts";
import { createFakeClock } from "../../../test/clock.ts";
import { nameOperation, StepUpLedger } from "./step-up.ts";

const clock = createFakeClock();
const tokensWith = (...grantedScopes: string[]) => toTokens(grantedScopes.join("-"), clock, { grantedScopes });

describe("StepUpLedger", () => {
  it("allows so many attempts for one operation, and no more until it is cleared [AUTH-069] [M-AUTH-019]", () => {
    const ledger = new StepUpLedger({ maxAttempts: 2, deniedTtlMs: 1_000 }, () => 0);
    assert.equal(ledger.check("a", tokensWith(), ["x"]), undefined);
    ledger.addSuccess("a", tokensWith("x"), []);
    assert.equal(ledger.check("a", tokensWith("x"), ["y"]), undefined);
    ledger.addSuccess("a", tokensWith("x", "y"), ["x"]);
    assert.match(ledger.check("a", tokensWith("x", "y"), ["z"]) ?? "", /tried 2 times/);
    assert.equal(ledger.check("b", tokensWith("x", "y"), ["z"]), undefined);
    ledger.clear();
    assert.equal(ledger.check("a", tokensWith("x", "y"), ["z"]), undefined);
  });

  it("stops where an attempt brought no more scopes, or all that were wanted [AUTH-069]", () => {
    const ledger = new StepUpLedger({ maxAttempts: 9, deniedTtlMs: 1_000 }, () => 0);
    ledger.addSuccess("a", tokensWith("x"), ["x"]);
    assert.match(ledger.check("a", tokensWith("x"), ["y"]) ?? "", /did not bring any/);
    ledger.addSuccess("b", tokensWith("x", "y"), ["x"]);
    assert.match(ledger.check("b", tokensWith("x", "y"), ["y"]) ?? "", /granted already/);
  });

  it("remembers a denial for its time [SEC-030]", () => {
    let now = 0;
    const ledger = new StepUpLedger({ maxAttempts: 3, deniedTtlMs: 1_000 }, () => now);
    ledger.addFailure("a", new Error("denied"), true);
    now = 999;
    assert.match(ledger.check("a", tokensWith(), ["x"]) ?? "", /denied/);
    now = 1_000;
    assert.equal(ledger.check("a", tokensWith(), ["x"]), undefined);
  });

  it("counts an attempt that several calls shared once", () => {
    const ledger = new StepUpLedger({ maxAttempts: 2, deniedTtlMs: 1_000 }, () => 0);
    const error = new Error("no");
    ledger.addFailure("a", error, false);
    ledger.addFailure("a", error, false);
    assert.equal(ledger.check("a", tokensWith(), ["x"]), undefined);
  });

  it("counts the attempts of an operation that was allowed for five minutes more, or as long as a denial holds [AUTH-069]", () => {
    for (const [deniedTtlMs, windowMs] of [
      [0, 300_000],
      [900_000, 900_000],
    ] as const) {
      let now = 0;
      const ledger = new StepUpLedger({ maxAttempts: 1, deniedTtlMs }, () => now);
      ledger.addSuccess("a", tokensWith("x"), []);
      ledger.settle("a");
      now = windowMs - 1;
      assert.match(ledger.check("a", tokensWith("x"), ["y"]) ?? "", /tried 1 times/);
      now = windowMs;
      assert.equal(ledger.check("a", tokensWith("x"), ["y"]), undefined);
    }
  });

  it("allows all operations together four times as many attempts in five minutes, until it is cleared [SEC-030]", () => {
    let now = 0;
    const ledger = new StepUpLedger({ maxAttempts: 2, deniedTtlMs: 1_000 }, () => now);
    for (let index = 0; index < 8; index += 1) {
      assert.equal(ledger.checkServer("want"), undefined);
      ledger.addFailure(`${index}`, new Error("no"), false);
      ledger.settle(`${index}`);
    }
    assert.match(ledger.checkServer("want") ?? "", /within 5 minutes.*login\(\)/);
    now = 300_000;
    assert.equal(ledger.checkServer("want"), undefined);
    now = 0;
    ledger.clear();
    assert.equal(ledger.checkServer("want"), undefined);
  });

  it("keeps a bounded number of operations", () => {
    const ledger = new StepUpLedger({ maxAttempts: 1, deniedTtlMs: 1_000 }, () => 0);
    for (let index = 0; index <= 500; index += 1) {
      ledger.addFailure(`${index}`, index, false);
    }
    assert.equal(ledger.check("0", tokensWith(), ["x"]), undefined);
    assert.notEqual(ledger.check("500", tokensWith(), ["x"]), undefined);
  });
});

describe("nameOperation", () => {
  it("is the method with what it names", () => {
    const body = (params: unknown): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method: "m", params });
    assert.equal(nameOperation("POST", body({ name: "add" })), "m add");
    assert.equal(nameOperation("POST", body({ uri: "file:///a" })), "m file:///a");
    assert.equal(nameOperation("POST", body({})), "m");
    assert.equal(nameOperation("POST", body(undefined)), "m");
  });

  it("is the HTTP method where the body is no single message", () => {
    for (const body of [undefined, "", "[", "[]", "null", "3", '{"method":3}', "[".repeat(10_000)]) {
      assert.equal(nameOperation("GET", body), "GET");
    }
  });

  it("does not grow with what the body says", () => {
    assert.equal(nameOperation("POST", JSON.stringify({ method: "m".repeat(9_999) })).length, 300);
  });
});
