// Runs the official conformance suite against both fixtures: every scenario of the planned revisions, scored or not,
// each once. Its last line is `N passed, N failed`, counting scenarios; the exit code is 1 when any failed.

import { clientCommand, ServerFixture } from "./harness/fixtures.ts";
import { parseOptions, type RunOptions, usage } from "./harness/options.ts";
import { parallelScenarios, plans } from "./harness/plan.ts";
import { mapBounded } from "./harness/pool.ts";
import { closingLines, omissionLines, type Result, resultLines } from "./harness/report.ts";
import { assertScenariosExist, type Scenario, selectPlans, selectScenarios } from "./harness/scenario.ts";
import { Suite } from "./harness/suite.ts";
import { findSuiteNode } from "./harness/suite-node.ts";

async function main(options: RunOptions): Promise<number> {
  const suite = new Suite(await findSuiteNode());
  const chosen: Scenario[] = [];
  const known: Scenario[] = [];
  for (const plan of selectPlans(plans, options.filter)) {
    const scenarios = await suite.list(plan.revision);
    const selection = selectScenarios(scenarios, plan, options.filter);
    known.push(...scenarios);
    chosen.push(...selection.chosen);
    print(omissionLines(plan.revision, selection));
  }
  assertScenariosExist(known, options.filter);
  if (chosen.length === 0) {
    throw new Error("these options leave no scenario to run");
  }
  const results = await runAll(suite, chosen, options);
  print(closingLines(results));
  return results.every(({ verdict }) => verdict.passed) ? 0 : 1;
}

async function runAll(suite: Suite, scenarios: readonly Scenario[], { verbose }: RunOptions): Promise<Result[]> {
  const server = scenarios.some(({ role }) => role === "server") ? new ServerFixture() : undefined;
  try {
    const fixtures = { serverUrl: await server?.url(), clientCommand: clientCommand() };
    const results = await mapBounded(scenarios, parallelScenarios, async (scenario) => {
      const result = await suite.run(scenario, fixtures);
      print(resultLines(result, verbose));
      return result;
    });
    if (server !== undefined && (verbose || server.fault !== undefined)) {
      print([`the server fixture ${server.fault ?? "wrote"}:`, server.output]);
    }
    return results;
  } finally {
    await server?.stop();
  }
}

function print(lines: readonly string[]): void {
  for (const line of lines) {
    console.log(line);
  }
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => process.exit(1));
}

try {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
  } else {
    process.exitCode = await main(options);
  }
} catch (error) {
  console.error(`conformance: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
