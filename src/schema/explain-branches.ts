// What to say when none of several allowed forms fits: the form the value was most likely meant to be,
// or, when it is like none of them, what all of them wanted.

import type { Phrase } from "./explain-values.ts";
import { alternatives, mustBe } from "./explain-values.ts";
import type { SchemaIssue } from "./issue.ts";
import { isRecord, own } from "./json-schema.ts";

type Path = readonly (string | number)[];

/** Either the issues of one form, or one phrase that covers all forms. */
export type BranchVerdict =
  | { readonly issues: readonly SchemaIssue[] }
  | { readonly issues?: undefined; readonly path: Path; readonly phrase: Phrase };

/** Chooses what to say from the issues of each form. */
export function explainBranches(
  branches: readonly (readonly SchemaIssue[])[],
  path: Path,
  value: unknown,
): BranchVerdict {
  const alike = branches.filter((issues) => !issues.some((issue) => isOfAnotherKind(issue, path)));
  const [best] = alike.toSorted((a, b) => a.length - b.length || depth(b) - depth(a));
  if (best !== undefined && best.length > 0) return { issues: best };
  const onItself = branches.flatMap((issues) =>
    issues.filter((issue) => issue.path.length === path.length && issue.expected !== undefined),
  );
  const deciding = discriminators(branches, path);
  const [first] = deciding;
  if (first !== undefined) {
    const step = first.path.at(-1);
    const got = isRecord(value) && typeof step === "string" ? own(value, step) : undefined;
    const same = deciding.filter((issue) => issue.path.at(-1) === step);
    return { path: first.path, phrase: mustBe(alternatives(same.map((issue) => issue.expected ?? "")), got) };
  }
  if (onItself.length > 0)
    return { path, phrase: mustBe(alternatives(onItself.map((issue) => issue.expected ?? "")), value) };
  return { path, phrase: { predicate: "fits none of the allowed forms" } };
}

/** A mismatch that shows the value was not meant to be this form at all. */
function isOfAnotherKind(issue: SchemaIssue, path: Path): boolean {
  const below = issue.path.length - path.length;
  if (issue.keyword === "type" || issue.keyword === "false") return below === 0;
  return (issue.keyword === "const" || issue.keyword === "enum") && below <= 1;
}

function discriminators(branches: readonly (readonly SchemaIssue[])[], path: Path): SchemaIssue[] {
  return branches.flatMap((issues) =>
    issues.filter(
      (issue) => isOfAnotherKind(issue, path) && issue.path.length === path.length + 1 && issue.expected !== undefined,
    ),
  );
}

function depth(issues: readonly SchemaIssue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length));
}
