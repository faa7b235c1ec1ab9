// Checks the package as users will install it: every promised file, publint, the types as other resolvers see them,
// then the tests under test/package/. Findings that are accepted stand in attw-accepted.json with their reason;
// one that no longer occurs must leave that file. Needs a build.

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { missingFiles } from "./entries.ts";
import { readText, root } from "./files.ts";
import { isMain, nodeArgs, run, tool } from "./program.ts";

/** A finding of attw that is accepted, and why. */
interface Accepted {
  readonly kind: string;
  readonly entrypoint?: string;
  readonly reason: string;
}

interface Problem {
  readonly kind: string;
  readonly entrypoint?: string;
  readonly resolutionKind?: string;
}

const packFolder = ".cache/pack";

/** Differences between what attw found and what is accepted, in words; empty when they agree. */
export function compareFindings(problems: readonly Problem[], accepted: readonly Accepted[]): string[] {
  const matches = (problem: Problem, { kind, entrypoint }: Accepted): boolean =>
    problem.kind === kind && (entrypoint === undefined || problem.entrypoint === entrypoint);
  const describe = ({ kind, entrypoint }: Problem | Accepted): string =>
    `${kind}${entrypoint ? ` at "${entrypoint}"` : ""}`;
  return [
    ...problems
      .filter((problem) => !accepted.some((entry) => matches(problem, entry)))
      .map((problem) => `attw: ${describe(problem)} (${problem.resolutionKind ?? "any resolution"})`),
    ...accepted
      .filter((entry) => !problems.some((problem) => matches(problem, entry)))
      .map((entry) => `attw: accepted finding ${describe(entry)} no longer occurs; remove it from the list`),
  ];
}

async function pack(): Promise<string> {
  rmSync(join(root, packFolder), { recursive: true, force: true });
  mkdirSync(join(root, packFolder), { recursive: true });
  const { code, stdout, output } = await run("npm", [
    "pack",
    "--ignore-scripts",
    "--json",
    "--pack-destination",
    packFolder,
  ]);
  const file = code === 0 ? /"filename":\s*"([^"]+)"/.exec(stdout)?.[1] : undefined;
  if (file === undefined) {
    throw new Error(`npm pack failed:\n${output}`);
  }
  return `${packFolder}/${file}`;
}

async function checkTypes(tarball: string): Promise<string[]> {
  const { stdout, output } = await run(tool("attw"), [tarball, "--profile", "esm-only", "--format", "json"]);
  try {
    const { analysis } = JSON.parse(stdout) as { analysis: { problems: Problem[] } };
    const relevant = analysis.problems.filter(({ resolutionKind }) => !ignoredByProfile.has(resolutionKind ?? ""));
    return compareFindings(relevant, JSON.parse(readText("scripts/attw-accepted.json")) as Accepted[]);
  } catch (cause) {
    throw new Error(`attw gave no report:\n${output}`, { cause });
  }
}

/** The JSON report lists problems of resolutions that the `esm-only` profile leaves out. */
const ignoredByProfile: ReadonlySet<string> = new Set(["node10", "node16-cjs"]);

async function main(): Promise<void> {
  const failures = missingFiles().map((path) => `${path} does not exist; run npm run build`);
  const publint = await run(tool("publint"), ["--strict"]);
  if (publint.code !== 0) {
    failures.push(publint.output.trim());
  }
  failures.push(...(await checkTypes(await pack())));
  const tests = await run(process.execPath, nodeArgs("scripts/run-tests.ts", "test/package"));
  console.log(tests.output.trim());
  for (const failure of failures) {
    console.error(failure);
  }
  console.log(`package: ${failures.length} findings, tests ${tests.code === 0 ? "passed" : "failed"}`);
  process.exitCode = failures.length === 0 && tests.code === 0 ? 0 : 1;
}

if (isMain(import.meta.url)) {
  await main();
}
