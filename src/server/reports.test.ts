import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { turn } from "../../test/fixtures/turn.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { Reports } from "./reports.ts";

const odd: Diagnostic = { code: "MCP_D_X", message: "odd" };
const fault = new Error("disk full");

/** Reports that note what reached which hook. */
function record(...hooks: ("onError" | "onDiagnostic" | "onAdvice")[]): { reports: Reports; told: unknown[][] } {
  const told: unknown[][] = [];
  const note = (hook: string) =>
    hooks.includes(hook as never) && { [hook]: (...all: unknown[]) => told.push([hook, ...all]) };
  return { told, reports: new Reports({ ...note("onError"), ...note("onDiagnostic"), ...note("onAdvice") }) };
}

describe("Reports", () => {
  it("tells onError of what a handler threw, and nobody else", () => {
    const { reports, told } = record("onError", "onDiagnostic");
    reports.addRunner(() => assert.fail("the author has hooks"));
    reports.onError(fault, { method: "prompts/get" });
    assert.deepEqual(told, [["onError", fault, { method: "prompts/get" }]]);
  });

  it("makes a diagnostic of it where there is no onError, with the error as its detail", () => {
    const { reports, told } = record("onDiagnostic");
    reports.onError(fault, { method: "prompts/get" });
    reports.onError(fault, { method: "tools/call", name: "add" });
    const diagnostics = told.map(([, diagnostic]) => diagnostic as Diagnostic);
    assert.deepEqual(
      diagnostics.map(({ code, detail }) => [code, detail]),
      [
        ["MCP_D_HANDLER_FAULT", fault],
        ["MCP_D_HANDLER_FAULT", fault],
      ],
    );
    assert.match(diagnostics[0]?.message ?? "", /^prompts\/get threw/);
    assert.match(diagnostics[1]?.message ?? "", /^tools\/call of "add" threw/);
    assert.doesNotMatch(JSON.stringify(diagnostics.map(({ message }) => message)), /disk full/);
  });

  it("tells the first runner that is left where the author names no place", () => {
    const { reports } = record();
    const told: string[] = [];
    const runner = (name: string) => reports.addRunner(({ code }) => told.push(`${name} ${code}`));
    reports.onDiagnostic(odd);
    const stopFirst = runner("first");
    const stopSecond = runner("second");
    reports.onDiagnostic(odd);
    reports.onError(fault, { method: "ping" });
    stopFirst();
    stopFirst();
    reports.onDiagnostic(odd);
    stopSecond();
    reports.onDiagnostic(odd);
    assert.deepEqual(told, ["first MCP_D_X", "first MCP_D_HANDLER_FAULT", "second MCP_D_X"]);
  });

  it("tells runners nothing that the author hears of", () => {
    const { reports, told } = record("onDiagnostic");
    reports.addRunner(() => assert.fail("the author has a hook"));
    reports.onDiagnostic(odd);
    assert.deepEqual(told, [["onDiagnostic", odd]]);
  });

  it("survives hooks that throw, and says which one did", () => {
    const told: Diagnostic[] = [];
    const broken = (): never => {
      throw fault;
    };
    const reports = new Reports({
      onError: broken,
      onAdvice: broken,
      onDiagnostic: (diagnostic) => told.push(diagnostic),
    });
    reports.onError(new Error("another"), { method: "ping" });
    reports.onAdvice?.(odd);
    assert.deepEqual(
      told.map(({ code, message, detail }) => [code, message, detail]),
      [
        ["MCP_D_HOOK_FAULT", "onError threw", fault],
        ["MCP_D_HOOK_FAULT", "onAdvice threw", fault],
      ],
    );
    new Reports({ onDiagnostic: broken }).onDiagnostic(odd);
  });

  it("has advice only where somebody asked for it", () => {
    assert.equal(record("onDiagnostic").reports.onAdvice, undefined);
    const { reports, told } = record("onAdvice", "onDiagnostic");
    reports.onAdvice?.(odd);
    assert.deepEqual(told, [["onAdvice", odd]]);
  });

  it("reports a sending that failed, and nothing of one that did not", async () => {
    const { reports, told } = record("onDiagnostic");
    reports.forget(Promise.resolve());
    reports.forget(Promise.reject(fault));
    await turn();
    assert.deepEqual(told, [
      ["onDiagnostic", { code: "MCP_D_UNSENT", message: "a notification was not sent: disk full", detail: fault }],
    ]);
  });
});
