// The official conformance suite as a program: lists its scenarios, runs one of them against a fixture, and reads what
// it wrote. Judging that is verdict.ts; which Node runs it is suite-node.ts.

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../scripts/files.ts";
import { run } from "../../scripts/program.ts";
import { scenarioTimeoutMs } from "./plan.ts";
import type { Result } from "./report.ts";
import { parseScenarios, type Scenario } from "./scenario.ts";
import { failed, judge, parseChecks, type Verdict } from "./verdict.ts";

const program = join(root, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
/** What the suite writes stays here until the next run, one folder per scenario. */
const resultsFolder = join(root, ".cache", "conformance");
/** What starting and ending the suite may take beside the scenario, in milliseconds. */
const overheadMs = 30_000;

/** What a scenario is run against. */
export interface Fixtures {
  /** Endpoint of the server fixture; needed by scenarios that test servers. */
  readonly serverUrl: string | undefined;
  /** Command line of the client fixture; the suite appends the URL. */
  readonly clientCommand: string;
}

/** See the head of this file. */
export class Suite {
  readonly #node: string;

  /** @param node - path of the Node that runs the suite */
  constructor(node: string) {
    this.#node = node;
  }

  /** Every scenario the suite has for a revision, scored or not. */
  async list(revision: string): Promise<Scenario[]> {
    const [applicable, required] = await Promise.all([
      this.#list("--spec-version", revision),
      this.#list("--requirements", revision),
    ]);
    return parseScenarios(revision, applicable, required);
  }

  /** Runs one scenario once; there is no second try. */
  async run(scenario: Scenario, fixtures: Fixtures): Promise<Result> {
    const { role, name, revision } = scenario;
    const folder = join(resultsFolder, revision, role, name);
    rmSync(folder, { recursive: true, force: true });
    const target = role === "server" ? ["--url", fixtures.serverUrl ?? ""] : ["--command", fixtures.clientCommand];
    const started = performance.now();
    const { code, output } = await run(
      this.#node,
      [
        ...[program, role, ...target, "--scenario", name, "--spec-version", revision, "--force"],
        ...["--timeout", String(scenarioTimeoutMs), "--output-dir", folder],
      ],
      {},
      scenarioTimeoutMs + overheadMs,
    );
    const durationMs = performance.now() - started;
    return { scenario, verdict: readVerdict(folder, code), durationMs, output };
  }

  async #list(...args: string[]): Promise<string> {
    const { code, stdout, output } = await run(this.#node, [program, "list", ...args]);
    if (code !== 0) {
      throw new Error(`the suite cannot list its scenarios (code ${code}):\n${output.trim()}`);
    }
    return stdout;
  }
}

function readVerdict(folder: string, code: number): Verdict {
  const [written] = existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(isChecks)
    : [];
  try {
    return judge({
      code,
      checks: written === undefined ? undefined : parseChecks(readFileSync(join(folder, written), "utf8")),
    });
  } catch (error) {
    return failed([`the suite's checks cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
}

function isChecks(path: string): boolean {
  return path.endsWith("checks.json");
}
