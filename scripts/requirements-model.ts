// The pure core of the requirements report: tables, test titles that cite ids, coverage and the page that shows it.
// It reads no files; `requirements.ts` does.

import { tokenize } from "./source-text.ts";

/** One obligation of the protocol, a row of a table. */
export interface Requirement {
  readonly id: string;
  readonly group: string;
  readonly level: string;
  readonly who: string;
  readonly text: string;
  readonly howToObserve: string;
}

/** A test title that cites an id. */
export interface Citation {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  readonly title: string;
}

/** An id that is written where none belongs, or is not known. */
export interface Problem {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** How far one group of rows is proved. */
export interface GroupCoverage {
  readonly group: string;
  readonly covered: readonly Requirement[];
  readonly documented: readonly Requirement[];
  readonly uncovered: readonly Requirement[];
}

/** The group of an id: everything before its number, so `HTTP` of `HTTP-045` and `M-HTTP` of `M-HTTP-001`. */
export function groupOf(id: string): string {
  return id.replace(/-\d+$/, "");
}

/** Reads a table: a header line, then six columns separated by tabs. A malformed row throws, naming its line. */
export function parseTable(name: string, text: string): Requirement[] {
  const [, ...lines] = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line, index) => {
    const [id, level, who, area, requirement, howToObserve] = line.split("\t");
    if (
      id === undefined ||
      level === undefined ||
      who === undefined ||
      area === undefined ||
      requirement === undefined ||
      howToObserve === undefined
    ) {
      throw new Error(`${name}:${index + 2}: expected 6 columns, got ${line.split("\t").length}`);
    }
    return { id, group: groupOf(id), level, who, text: requirement, howToObserve: howToObserve.trim() };
  });
}

/** A fault known from other implementations, as a row: to be free of it is an obligation we gave ourselves. */
export function faultRow(id: string): Requirement {
  return { id, group: groupOf(id), level: "ours", who: "both", text: "Free of this known fault.", howToObserve: "" };
}

/** Reads the documented rows: the first and second cells of each table row whose first cell is an id. */
export function parseDocumented(markdown: string): Map<string, string> {
  const documented = new Map<string, string>();
  for (const line of markdown.split("\n")) {
    const cells = /^\s*\|(.*)\|\s*$/
      .exec(line)?.[1]
      ?.split("|")
      .map((cell) => cell.trim());
    const id = cells?.[0]?.replaceAll("`", "");
    if (cells !== undefined && id !== undefined && /^[A-Z][A-Z0-9-]*-\d+$/.test(id)) {
      documented.set(id, cells.slice(1).join("; "));
    }
  }
  return documented;
}

/** A call that registers a test, up to its first argument; `.skip` and `.todo` prove nothing and are left out. */
const registration = /(?<![\w$])(?:describe|suite|it|test)(?:\.only)?\s*\(\s*$|(?<![\w$])title:\s*$/;
const bracketed = /\[([A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*-\d[^[\]]*)\]/g;
const oneId = /^[A-Z][A-Z0-9]*(?:-[A-Z][A-Z0-9]*)*-\d{3}$/;

/** A string that ends like a title although nothing registers it as one. */
const strayTitle = /\[[A-Z][A-Z0-9-]*-\d{3}\]\s*$/;

/** Finds ids in square brackets inside the titles of a test file. Comments and other strings do not count. */
export function findCitations(path: string, source: string): { citations: Citation[]; problems: Problem[] } {
  const citations: Citation[] = [];
  const problems: Problem[] = [];
  let before = "";
  for (const token of tokenize(source).filter(({ kind }) => kind !== "comment")) {
    const { kind, text, line } = token;
    const isText = kind === "string" || kind === "template";
    if (isText && registration.test(before)) {
      const title = text.replaceAll(/\s*\[[A-Z][^[\]]*\]/g, "");
      for (const id of idsInTitle(text)) {
        if (oneId.test(id)) {
          citations.push({ id, path, line, title });
        } else {
          problems.push({ path, line, message: `"${id}" is not one id such as HTTP-045; ranges are not allowed` });
        }
      }
    } else if (isText && strayTitle.test(text)) {
      problems.push({ path, line, message: "an id outside the title of a running test proves nothing" });
    }
    before = kind === "code" ? text : "";
  }
  return { citations, problems };
}

function idsInTitle(title: string): string[] {
  return [...title.matchAll(bracketed)].flatMap((match) => (match[1] ?? "").split(/[,\s]+/)).filter((id) => id !== "");
}

/** Citations of ids that no table has. */
export function findUnknown(citations: readonly Citation[], known: ReadonlySet<string>): Problem[] {
  return citations
    .filter(({ id }) => !known.has(id))
    .map(({ id, path, line }) => ({ path, line, message: `${id} is in no table under test/requirements/` }));
}

/** What is to be proved now. */
export interface Scope {
  readonly groups: readonly string[];
  /** Rows of these groups that are not. */
  readonly excluded: readonly string[];
  /** Faults of other implementations. */
  readonly faults: readonly string[];
}

/** The rows in scope, faults included. An exclusion of what no table has throws, as it excludes nothing. */
export function rowsInScope(rows: readonly Requirement[], { groups, excluded, faults }: Scope): Requirement[] {
  const left = new Set(excluded);
  const chosen = rows.filter(({ id, group }) => !left.delete(id) && groups.includes(group));
  if (left.size > 0) {
    throw new Error(`excluded from scope: expected ids of rows, got ${[...left].join(", ")}`);
  }
  return [...chosen, ...faults.map(faultRow)];
}

/** Splits the rows of the groups in scope into proved by a test, met by documentation, and neither. */
export function measure(
  rows: readonly Requirement[],
  groups: readonly string[],
  citations: readonly Citation[],
  documented: ReadonlyMap<string, string>,
): GroupCoverage[] {
  const cited = new Set(citations.map(({ id }) => id));
  return groups.map((group) => {
    const covered: Requirement[] = [];
    const byDocs: Requirement[] = [];
    const uncovered: Requirement[] = [];
    for (const row of rows.filter((candidate) => candidate.group === group)) {
      const isDocumented = row.howToObserve === "docs" || documented.has(row.id);
      (cited.has(row.id) ? covered : isDocumented ? byDocs : uncovered).push(row);
    }
    return { group, covered, documented: byDocs, uncovered };
  });
}

/** The page that shows every row in scope with the tests that prove it. */
export function renderPage(
  coverage: readonly GroupCoverage[],
  citations: readonly Citation[],
  documented: ReadonlyMap<string, string>,
): string {
  const lines = [
    "# Conformance",
    "",
    "Written by `npm run requirements`; do not edit. Each row is an obligation of the protocol, in our words, with the",
    "tests that prove it. Rows that no test can prove are explained in [requirements.md](requirements.md).",
    "",
    "| Group | Proved by tests | Documented | Open | Rows |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...coverage.map(({ group, covered, documented: byDocs, uncovered }) => {
      const counts = [covered.length, byDocs.length, uncovered.length];
      return `| [${group}](#${group.toLowerCase()}) | ${counts.join(" | ")} | ${counts.reduce((a, b) => a + b, 0)} |`;
    }),
  ];
  for (const group of coverage) {
    const rows = [...group.covered, ...group.documented, ...group.uncovered].sort((a, b) => (a.id < b.id ? -1 : 1));
    lines.push(
      "",
      `## ${group.group}`,
      "",
      "| Id | Level | Who | Requirement | Proof |",
      "| --- | --- | --- | --- | --- |",
    );
    for (const row of rows) {
      lines.push(
        `| ${[row.id, row.level, row.who, cell(row.text), proofOf(row, citations, documented)].join(" | ")} |`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

function proofOf(row: Requirement, citations: readonly Citation[], documented: ReadonlyMap<string, string>): string {
  const tests = citations.filter(({ id }) => id === row.id).map(({ path, title }) => `\`${path}\` > ${cell(title)}`);
  if (tests.length > 0) {
    return [...new Set(tests)].join("<br>");
  }
  const reason = documented.get(row.id);
  return reason !== undefined ? `documented: ${cell(reason)}` : row.howToObserve === "docs" ? "documented" : "**open**";
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll(/\s+/g, " ").trim();
}
