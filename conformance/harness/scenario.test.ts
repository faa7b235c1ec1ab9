import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Plan } from "./plan.ts";
import { assertScenariosExist, type Filter, parseScenarios, selectPlans, selectScenarios } from "./scenario.ts";

const applicable = `Server scenarios (test against a server):
  - ping [2025-06-18,2025-11-25]
  - tools-list [2025-06-18,2025-11-25,2026-07-28]
  - brand-new [2025-11-25]

Client scenarios (test against a client):
  - initialize [2025-06-18,2025-11-25]
  - auth/pre-registration [2025-11-25]

Authorization server scenarios (test against an authorization server):
  - authorization-code-grant [2025-03-26]
`;

const required = `Required for 2025-11-25 (3 scenarios, frozen; run at the 2025-11-25 wire):

Server scenarios (test against a server):
  - ping

Client scenarios (test against a client):
  - initialize
  - auth/pre-registration

Run and reported, but never scored:
  extension (1):
    - auth/dpop [client]
  pending (1):
    - tools-list [server]

`;

const plan: Plan = { revision: "2025-11-25", omissions: [{ prefix: "auth/", reason: "no authorization" }] };
const everything: Filter = { roles: ["server", "client"], revisions: [], only: [] };
const scenarios = parseScenarios("2025-11-25", applicable, required);

describe("parseScenarios", () => {
  it("lists scored and unscored scenarios of both roles once, and says why one is not scored", () => {
    assert.deepEqual(
      scenarios.map(({ role, name, unscored }) => [role, name, unscored]),
      [
        ["server", "ping", undefined],
        ["server", "tools-list", "pending"],
        ["server", "brand-new", "not in the requirement set"],
        ["client", "initialize", undefined],
        ["client", "auth/pre-registration", undefined],
        ["client", "auth/dpop", "extension"],
      ],
    );
  });

  it("leaves scenarios for authorization servers alone", () => {
    assert.equal(
      scenarios.some(({ name }) => name === "authorization-code-grant"),
      false,
    );
  });

  it("fails when a role has no scenario, as when the suite prints its list in another form", () => {
    assert.throws(
      () => parseScenarios("2025-11-25", "Scenarios: ping", required),
      /expected a section "Server scenarios"/,
    );
    const emptied = applicable.replace(
      "  - initialize [2025-06-18,2025-11-25]\n  - auth/pre-registration [2025-11-25]\n",
      "",
    );
    assert.throws(() => parseScenarios("2025-11-25", emptied, required), /expected a section "Client scenarios"/);
  });
});

describe("selectScenarios", () => {
  const names = (filter: Filter): string[] => selectScenarios(scenarios, plan, filter).chosen.map(({ name }) => name);

  it("takes everything but what the plan leaves out, which it reports with the reason", () => {
    const { chosen, omitted } = selectScenarios(scenarios, plan, everything);
    assert.deepEqual(
      chosen.map(({ name }) => name),
      ["ping", "tools-list", "brand-new", "initialize"],
    );
    assert.deepEqual(omitted, [{ omission: plan.omissions[0], names: ["auth/pre-registration", "auth/dpop"] }]);
  });

  it("narrows down to a role", () => {
    assert.deepEqual(names({ ...everything, roles: ["client"] }), ["initialize"]);
  });

  it("runs a scenario that is named even where the plan leaves it out", () => {
    assert.deepEqual(names({ ...everything, only: ["auth/dpop"] }), ["auth/dpop"]);
  });

  it("refuses an omission that leaves nothing out", () => {
    const stale = { ...plan, omissions: [{ prefix: "tasks-", reason: "none" }] };
    assert.throws(() => selectScenarios(scenarios, stale, everything), /leaves out "tasks-"/);
  });
});

describe("selectPlans", () => {
  const plans: readonly Plan[] = [plan, { revision: "2026-07-28", omissions: [] }];

  it("takes every revision unless some are named", () => {
    assert.deepEqual(selectPlans(plans, everything), plans);
    assert.deepEqual(selectPlans(plans, { ...everything, revisions: ["2025-11-25"] }), [plan]);
  });

  it("refuses a revision without a plan and lists those with one", () => {
    assert.throws(
      () => selectPlans(plans, { ...everything, revisions: ["2024-01-01"] }),
      /--revision 2024-01-01: .* expected one of 2025-11-25, 2026-07-28/,
    );
  });
});

describe("assertScenariosExist", () => {
  it("refuses a name that is no scenario and lists those there are", () => {
    assert.throws(
      () => assertScenariosExist(scenarios, { ...everything, only: ["pong"] }),
      /--only pong: .* it has ping, tools-list/,
    );
    assertScenariosExist(scenarios, { ...everything, only: ["ping", "initialize"] });
  });
});
