import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPrintedReports } from "./printed-reports.ts";

describe("createPrintedReports", () => {
  it("prints what a handler threw with its stack, and nothing that clients could flood the log with", () => {
    const lines: string[] = [];
    const report = createPrintedReports(
      (line) => lines.push(line),
      () => 0,
    );
    report({ code: "MCP_D_HANDLER_FAULT", message: "t threw", detail: new Error("no paper") });
    report({ code: "MCP_D_HANDLER_FAULT", message: "t threw", detail: "a text" });
    report({ code: "MCP_D_NOTIFICATION", message: "one was dropped" });
    assert.match(lines[0] ?? "", /^MCP_D_HANDLER_FAULT: t threw\nError: no paper\n\s+at /);
    assert.deepEqual(lines.slice(1), ["MCP_D_HANDLER_FAULT: t threw"]);
  });

  it("prints that a store is out of reach, and why, but not at every request meanwhile", () => {
    const lines: string[] = [];
    let now = 0;
    const report = createPrintedReports(
      (line) => lines.push(line),
      () => now,
    );
    const fault = { code: "MCP_D_STORE_FAILED", message: "a POST was refused because of the store" };
    for (let request = 0; request < 1_000; request += 1) {
      report({ ...fault, detail: new Error("redis at localhost does not answer") });
    }
    assert.equal(lines.length, 5);
    assert.equal(lines[0], `${fault.code}: ${fault.message}: redis at localhost does not answer`);
    now = 10_000;
    report(fault);
    assert.deepEqual(lines.slice(5), [`${fault.code}: ${fault.message}`]);
  });
});
