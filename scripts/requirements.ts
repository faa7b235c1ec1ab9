// Says how many obligations of the protocol are proved by tests, names the rest, and writes docs/conformance.md.
// With `--check` it writes nothing and fails when that page is not what the tests say. Scope: test/requirements/scope.json.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listTree, readText, readTree, root } from "./files.ts";
import { isMain } from "./program.ts";
import {
  type Citation,
  findCitations,
  findUnknown,
  type GroupCoverage,
  measure,
  type Problem,
  parseDocumented,
  parseTable,
  renderPage,
  rowsInScope,
  type Scope,
} from "./requirements-model.ts";

const tables = "test/requirements";
const page = "docs/conformance.md";
const documentedPage = "docs/requirements.md";

function readCitations(): { citations: Citation[]; problems: Problem[] } {
  const suites = readTree(["test/contract", "test/e2e", "test/interop", "test/transcripts"], /\.ts$/);
  const tests = readTree(["src", "test", "scripts", "conformance"], /\.test\.ts$/);
  const found = [...new Map([...suites, ...tests])].map(([path, source]) => findCitations(path, source));
  return {
    citations: found.flatMap(({ citations }) => citations),
    problems: found.flatMap(({ problems }) => problems),
  };
}

function printCoverage(coverage: readonly GroupCoverage[]): void {
  const sum = { covered: 0, testable: 0, total: 0 };
  console.log("group     covered / testable / total");
  for (const { group, covered, documented, uncovered } of coverage) {
    const testable = covered.length + uncovered.length;
    const total = testable + documented.length;
    sum.covered += covered.length;
    sum.testable += testable;
    sum.total += total;
    const missing = uncovered.length === 0 ? "" : `  missing: ${uncovered.map(({ id }) => id).join(" ")}`;
    console.log(`${group.padEnd(10)}${covered.length} / ${testable} / ${total}${missing}`);
  }
  console.log(`requirements: ${sum.covered} covered, ${sum.testable - sum.covered} uncovered, ${sum.total} in scope`);
}

function pageIsCurrent(text: string): boolean {
  return existsSync(join(root, page)) && readText(page) === text;
}

function main(checkOnly: boolean): void {
  const rows = listTree([tables], /\.tsv$/).flatMap((path) => parseTable(path, readText(path)));
  const faults = readText(`${tables}/known-faults.txt`).split(/\s+/);
  const scope = JSON.parse(readText(`${tables}/scope.json`)) as Scope;
  const documented = parseDocumented(readText(documentedPage));
  const { citations, problems } = readCitations();
  const known = new Set([...rows.map(({ id }) => id), ...faults.filter((id) => id !== "")]);
  problems.push(...findUnknown(citations, known));
  for (const id of documented.keys()) {
    if (!known.has(id)) {
      problems.push({ path: documentedPage, line: 1, message: `${id} is in no table under ${tables}/` });
    }
  }
  const coverage = measure(rowsInScope(rows, scope), [...scope.groups, "PP"], citations, documented);
  const text = renderPage(coverage, citations, documented);
  if (!checkOnly) {
    writeFileSync(join(root, page), text);
  } else if (!pageIsCurrent(text)) {
    problems.push({ path: page, line: 1, message: "is not what the tests say; run npm run requirements" });
  }
  for (const { path, line, message } of problems) {
    console.error(`${path}:${line}  ${message}`);
  }
  printCoverage(coverage);
  const isComplete = coverage.every(({ uncovered }) => uncovered.length === 0);
  process.exitCode = problems.length === 0 && isComplete ? 0 : 1;
}

if (isMain(import.meta.url)) {
  main(process.argv.includes("--check"));
}
