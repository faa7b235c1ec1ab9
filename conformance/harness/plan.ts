// What the conformance run covers, as data: the revisions, and what is left out of each with the reason. A scenario
// is listed nowhere: whatever the suite has for a revision runs, scored or not. There is no list of expected failures.

/** Scenarios that are not run, by the beginning of their names. One that matches nothing fails the run. */
export interface Omission {
  readonly prefix: string;
  readonly reason: string;
}

/** One revision of the protocol to prove. */
export interface Plan {
  readonly revision: string;
  readonly omissions: readonly Omission[];
}

/** The revisions, in the order they run. */
export const plans: readonly Plan[] = [
  {
    revision: "2025-11-25",
    omissions: [],
  },
  {
    revision: "2026-07-28",
    omissions: [
      { prefix: "tasks-status-notifications", reason: "the suite makes no check in it, whatever a server does" },
    ],
  },
];

/** Scenarios at the same time: one per core of the smallest machine this runs on. */
export const parallelScenarios = 2;

/** How long the suite waits for one scenario, in milliseconds. */
export const scenarioTimeoutMs = 30_000;
