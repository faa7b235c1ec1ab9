// The one command for all gates. Each gate is a program of its own, so that it can be run alone; here they run in
// order, two at a time where neither needs the machine to itself. A gate that fails prints its output and the others
// still run, except those that need what it makes.

import { isMain, nodeArgs, run, tool } from "./program.ts";

/** One gate: a program, and the name of the gate whose product it needs. */
export interface Gate {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly needs?: string;
}

/** How a gate ended; a gate that could not run because of another counts as failed. */
export interface Verdict {
  readonly name: string;
  readonly passed: boolean;
  readonly durationMs: number;
  readonly output: string;
}

const script = (name: string, file: string, ...args: string[]): Gate => ({
  name,
  command: process.execPath,
  args: nodeArgs(`scripts/${file}`, ...args),
});
const compiler = (name: string, config: string): Gate => ({ name, command: tool("tsc"), args: ["-p", config] });

/** Gates in their order; those of one stage run side by side. */
const stages: readonly (readonly Gate[])[] = [
  [
    { name: "lint", command: tool("biome"), args: ["check", "--error-on-warnings", "."] },
    script("layers", "check-layers.ts"),
  ],
  [compiler("types", "tsconfig.json"), compiler("types (portable)", "tsconfig.portable.json")],
  [script("tests", "run-tests.ts")],
  [script("build", "build.ts"), script("requirements", "requirements.ts", "--check")],
  [
    { ...script("package", "check-package.ts"), needs: "build" },
    { ...script("sizes", "size-report.ts"), needs: "build" },
  ],
  [script("snippets", "sync-snippets.ts"), script("examples", "run-examples.ts")],
];

/** Runs the stages one after the other and tells of each gate as it ends. */
export async function runStages(
  gates: readonly (readonly Gate[])[],
  runGate: (gate: Gate) => Promise<Verdict>,
  tell: (verdict: Verdict) => void,
): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  for (const stage of gates) {
    const failed = new Set(verdicts.filter(({ passed }) => !passed).map(({ name }) => name));
    const ended = await Promise.all(
      stage.map(async (gate) => {
        const verdict =
          gate.needs !== undefined && failed.has(gate.needs)
            ? { name: gate.name, passed: false, durationMs: 0, output: `not run: it needs "${gate.needs}"` }
            : await runGate(gate);
        tell(verdict);
        return verdict;
      }),
    );
    verdicts.push(...ended);
  }
  return verdicts;
}

/** The closing lines of a gate: the counts of node's test runner, or else its last line. */
export function closingLines(output: string): string[] {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const counts = lines.filter((line) => /^ℹ (tests|pass|fail|skipped|todo|duration_ms) /.test(line));
  return [...counts, ...lines.slice(-1).filter((line) => !counts.includes(line))];
}

async function runOne(gate: Gate): Promise<Verdict> {
  const started = Date.now();
  const { code, output } = await run(gate.command, gate.args);
  return { name: gate.name, passed: code === 0, durationMs: Date.now() - started, output };
}

function print({ name, passed, durationMs, output }: Verdict): void {
  console.log(`${passed ? "ok    " : "FAILED"}  ${name.padEnd(18)}${(durationMs / 1000).toFixed(1)} s`);
  const shown = passed ? closingLines(output) : focus(output).split("\n");
  for (const line of shown) {
    console.log(`        ${line}`);
  }
}

/** Of a failed test run, the part that says what failed; of anything else, all of it. */
function focus(output: string): string {
  const at = output.indexOf("✖ failing tests:");
  const counts = closingLines(output).filter((line) => line.startsWith("ℹ"));
  return at === -1 ? output.trim() : [...counts, output.slice(at).trim()].join("\n");
}

if (isMain(import.meta.url)) {
  const started = Date.now();
  const verdicts = await runStages(stages, runOne, print);
  const failed = verdicts.filter(({ passed }) => !passed).map(({ name }) => name);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `check: ${verdicts.length - failed.length} gates passed, ${failed.length} failed in ${seconds} s${failed.length === 0 ? "" : `: ${failed.join(", ")}`}`,
  );
  process.exitCode = failed.length === 0 ? 0 : 1;
}
