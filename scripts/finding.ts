// What a textual checker reports.

/** One broken rule: where, which, and what to do about it. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly rule: string;
  readonly message: string;
}

/** A finding as one line for a person: place, rule, advice. */
export function formatFinding(finding: Finding): string {
  return `${finding.path}:${finding.line}  ${finding.rule}: ${finding.message}`;
}
