// What the checks of one scenario amount to. Stricter than the suite: a warning is a failure, and so is a scenario
// that proved nothing, since a scenario without a single success may only mean that it gave up early.

/** One check as the suite writes it to `checks.json`; there is more in it than is read here. */
export interface Check {
  readonly id: string;
  readonly status: string;
  readonly description?: string | undefined;
  readonly errorMessage?: string | undefined;
}

/** How a scenario ended. */
export interface Verdict {
  readonly passed: boolean;
  /** Checks that held. */
  readonly held: number;
  /** Checks that failed or warned. */
  readonly broken: number;
  /** Checks that the suite did not make. */
  readonly skipped: number;
  /** What went wrong, a line each. */
  readonly problems: readonly string[];
}

/** What a scenario left behind: the suite's exit code, and its checks unless it wrote none. */
export interface Outcome {
  readonly code: number;
  readonly checks: readonly Check[] | undefined;
}

/** Judges a scenario. */
export function judge({ code, checks }: Outcome): Verdict {
  if (checks === undefined) {
    return failed([`the suite wrote no checks and ended with code ${code}`]);
  }
  const count = (status: string): number => checks.filter((check) => check.status === status).length;
  const broken = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  const problems = broken.map(toProblem);
  const held = count("SUCCESS");
  if (problems.length === 0 && held === 0) {
    problems.push("no check was made, so nothing is proved");
  }
  if (problems.length === 0 && code !== 0) {
    problems.push(`every check held, yet the suite ended with code ${code}: the fixture failed or timed out`);
  }
  return { passed: problems.length === 0, held, broken: broken.length, skipped: count("SKIPPED"), problems };
}

/** A scenario that could not be run. */
export function failed(problems: readonly string[]): Verdict {
  return { passed: false, held: 0, broken: 0, skipped: 0, problems };
}

/** Reads `checks.json`; throws for what is no list of checks. */
export function parseChecks(text: string): Check[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || !parsed.every(isCheck)) {
    throw new Error(`expected a list of checks with id and status, got ${text.slice(0, 200)}`);
  }
  return parsed;
}

function isCheck(value: unknown): value is Check {
  const check = value as Partial<Check> | null;
  return typeof check?.id === "string" && typeof check.status === "string";
}

function toProblem({ id, status, errorMessage, description }: Check): string {
  return `${status.toLowerCase()} of ${id}: ${errorMessage ?? description ?? "no reason given"}`;
}
