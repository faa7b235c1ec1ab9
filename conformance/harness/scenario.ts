// The suite's scenarios as data, read from what its `list` command prints, and the choice of those to run. Pure:
// running the command is suite.ts. What cannot be read is an error, so that a changed format never means fewer tests.

import type { Omission, Plan } from "./plan.ts";

/** Which side of the protocol a scenario tests; also the suite's subcommand. */
export type Role = "server" | "client";

/** One scenario of the suite for one revision. */
export interface Scenario {
  readonly name: string;
  readonly role: Role;
  readonly revision: string;
  /** Why the suite does not score it; `undefined` where it does. */
  readonly unscored: string | undefined;
}

/** What a run narrows the scenarios down to; everything where nothing is said. */
export interface Filter {
  readonly roles: readonly Role[];
  /** Revisions by name. */
  readonly revisions: readonly string[];
  /** Scenarios by name. */
  readonly only: readonly string[];
}

/** The scenarios to run, and those left out with the reason. */
export interface Selection {
  readonly chosen: readonly Scenario[];
  readonly omitted: readonly { readonly omission: Omission; readonly names: readonly string[] }[];
}

const roles: readonly Role[] = ["server", "client"];

/**
 * The scenarios of a revision: those the suite calls applicable, and those its requirement set names.
 *
 * @param applicable - what `list --spec-version` printed
 * @param required - what `list --requirements` printed
 */
export function parseScenarios(revision: string, applicable: string, required: string): Scenario[] {
  const requirements = readRequirements(required);
  const scenarios = new Map<string, Scenario>();
  const add = (role: Role, name: string, unscored: string | undefined): void => {
    const key = `${role} ${name}`;
    if (!scenarios.has(key)) {
      scenarios.set(key, { name, role, revision, unscored });
    }
  };
  for (const role of roles) {
    for (const name of requirements.scored[role]) {
      add(role, name, undefined);
    }
    for (const [name, reason] of requirements.unscored[role]) {
      add(role, name, reason);
    }
    for (const name of readSection(applicable, role)) {
      add(role, name, "not in the requirement set");
    }
  }
  return [...scenarios.values()];
}

/** The plans that the filter of this run leaves; a revision that has no plan fails. */
export function selectPlans(plans: readonly Plan[], { revisions }: Filter): readonly Plan[] {
  const planned = plans.map(({ revision }) => revision);
  const unknown = revisions.find((revision) => !planned.includes(revision));
  if (unknown !== undefined) {
    throw new Error(`--revision ${unknown}: there is no plan for it; expected one of ${planned.join(", ")}`);
  }
  return revisions.length === 0 ? plans : plans.filter(({ revision }) => revisions.includes(revision));
}

/** Fails for a name that is no scenario of any revision that runs. */
export function assertScenariosExist(scenarios: readonly Scenario[], { only }: Filter): void {
  const unknown = only.find((name) => !scenarios.some((scenario) => scenario.name === name));
  if (unknown !== undefined) {
    const known = [...new Set(scenarios.map(({ name }) => name))].join(", ");
    throw new Error(`--only ${unknown}: the suite has no such scenario; it has ${known}`);
  }
}

/** Applies a plan's omissions and the filter of this run. */
export function selectScenarios(scenarios: readonly Scenario[], plan: Plan, filter: Filter): Selection {
  const omissions = plan.omissions.map((omission) => ({
    omission,
    names: scenarios.map(({ name }) => name).filter((name) => name.startsWith(omission.prefix)),
  }));
  const stale = omissions.find(({ names }) => names.length === 0);
  if (stale !== undefined) {
    throw new Error(
      `plan.ts leaves out "${stale.omission.prefix}", but no scenario of ${plan.revision} begins with it; remove the omission`,
    );
  }
  const isOmitted = (name: string): boolean => plan.omissions.some(({ prefix }) => name.startsWith(prefix));
  const chosen = scenarios.filter(
    ({ name, role }) =>
      filter.roles.includes(role) && (filter.only.length === 0 ? !isOmitted(name) : filter.only.includes(name)),
  );
  return { chosen, omitted: filter.only.length === 0 ? omissions : [] };
}

function readSection(text: string, role: Role): string[] {
  const heading = role === "server" ? "Server scenarios" : "Client scenarios";
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(heading));
  const names: string[] = [];
  for (const line of lines.slice(start + 1)) {
    const name = /^ {2}- (\S+)/.exec(line)?.[1];
    if (name === undefined) {
      break;
    }
    names.push(name);
  }
  if (start === -1 || names.length === 0) {
    throw new Error(`expected a section "${heading}" in the suite's list, got:\n${text}`);
  }
  return names;
}

interface Requirements {
  readonly scored: Readonly<Record<Role, readonly string[]>>;
  readonly unscored: Readonly<Record<Role, ReadonlyMap<string, string>>>;
}

function readRequirements(text: string): Requirements {
  const unscored = { server: new Map<string, string>(), client: new Map<string, string>() };
  let reason: string | undefined;
  for (const line of text.split("\n")) {
    reason = /^ {2}([a-z-]+) \(\d+\):$/.exec(line)?.[1] ?? reason;
    const entry = /^ {4}- (\S+) \[(server|client)\]$/.exec(line);
    if (entry?.[1] !== undefined && reason !== undefined) {
      unscored[entry[2] as Role].set(entry[1], reason);
    }
  }
  return { scored: { server: readSection(text, "server"), client: readSection(text, "client") }, unscored };
}
