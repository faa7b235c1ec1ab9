// What the run prints: a line per scenario, the reasons of each failure below it, and the closing lines. Pure.

import type { Scenario, Selection } from "./scenario.ts";
import type { Verdict } from "./verdict.ts";

/** A scenario that has run. */
export interface Result {
  readonly scenario: Scenario;
  readonly verdict: Verdict;
  readonly durationMs: number;
  /** What the suite and the fixture printed. */
  readonly output: string;
}

/** The line of one scenario, and what went wrong. */
export function resultLines({ scenario, verdict, durationMs, output }: Result, verbose: boolean): string[] {
  const { name, role, revision, unscored } = scenario;
  const skipped = verdict.skipped === 0 ? "" : `, ${verdict.skipped} not made`;
  const checks = `${verdict.held}/${verdict.held + verdict.broken} checks${skipped}`;
  const note = unscored === undefined ? "" : ` (unscored: ${unscored})`;
  const mark = verdict.passed ? "ok    " : "FAILED";
  const seconds = `${(durationMs / 1_000).toFixed(1)} s`;
  const line = `${mark} ${revision} ${role} ${name.padEnd(36)} ${checks.padEnd(14)} ${seconds}${note}`;
  const details = verbose || !verdict.passed ? indent(output.trimEnd().split("\n")) : [];
  return [line, ...indent(verdict.problems), ...(verbose || verdict.held + verdict.broken === 0 ? details : [])];
}

/** What was left out of a revision, a line per reason. */
export function omissionLines(revision: string, { omitted }: Selection): string[] {
  return omitted.map(
    ({ omission: { prefix, reason }, names }) =>
      `left out of ${revision}: ${names.length} scenarios ${prefix}*, ${reason}`,
  );
}

/** The closing lines: what the checks add up to, then the scenarios alone in the last line. */
export function closingLines(results: readonly Result[]): string[] {
  const sum = (read: (verdict: Verdict) => number): number =>
    results.reduce((total, { verdict }) => total + read(verdict), 0);
  const passed = results.filter(({ verdict }) => verdict.passed).length;
  return [
    `checks: ${sum(({ held }) => held)} held, ${sum(({ broken }) => broken)} broken, ${sum(({ skipped }) => skipped)} not made`,
    `${passed} passed, ${results.length - passed} failed`,
  ];
}

function indent(lines: readonly string[]): string[] {
  return lines.filter((line) => line !== "").map((line) => `         ${line}`);
}
