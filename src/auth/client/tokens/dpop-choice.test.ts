import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toDiscovery } from "../../../../test/fixtures/auth/grant-rig.ts";
import type { ResourceMetadata } from "../discovery/discovery.ts";
import { AuthorizationRecord } from "../record.ts";
import { chooseDpop, type DpopChoice } from "./dpop-choice.ts";
import type { DpopKeys } from "./dpop-keys.ts";

const keys: DpopKeys = { algorithm: "ES256", prove: async () => "proof", takeNonce: () => false };

/** Whether tokens are bound, whose keys were opened, and what the record says. */
async function choose(
  { policy = "required", isBound = false }: Partial<Pick<DpopChoice, "policy" | "isBound">>,
  { requiresDpop = false, algorithms }: { requiresDpop?: boolean; algorithms?: readonly string[] } = {},
) {
  const opened: string[] = [];
  const record = new AuthorizationRecord(() => 0);
  const found = toDiscovery(algorithms === undefined ? {} : { dpop_signing_alg_values_supported: [...algorithms] });
  const resourceMetadata: ResourceMetadata = {
    resource: found.resource,
    authorizationServers: [found.issuer],
    scopesSupported: undefined,
    requiresDpop,
  };
  const openKeys = async (issuer: string): Promise<DpopKeys> => {
    opened.push(issuer);
    return keys;
  };
  const discovery = { ...found, resourceMetadata };
  const chosen = await chooseDpop({ policy, discovery, isBound, openKeys, record });
  return { isChosen: chosen === keys, opened, steps: JSON.stringify(record.steps) };
}

describe("chooseDpop", () => {
  it("opens the issuer's keys where the resource requires it, also where the server lists no algorithms [AUTHDRAFT-018]", async () => {
    const { isChosen, opened } = await choose({}, { requiresDpop: true });
    assert.deepEqual([isChosen, opened], [true, ["https://as.example"]]);
  });

  it("opens no keys where nobody wants them", async () => {
    for (const [options, server] of [
      [{}, { algorithms: ["ES256"] }],
      [{ policy: "supported" }, {}],
      [
        { policy: "never", isBound: true },
        { requiresDpop: true, algorithms: ["ES256"] },
      ],
    ] as const) {
      const { isChosen, opened } = await choose(options, server);
      assert.deepEqual([isChosen, opened], [false, []]);
    }
  });

  it("stays with a key that tokens are bound to already", async () => {
    assert.equal((await choose({ isBound: true })).isChosen, true);
  });

  it("goes without, and says so, where the server takes only other algorithms", async () => {
    const { isChosen, steps } = await choose({ policy: "supported" }, { algorithms: ["ES512"] });
    assert.equal(isChosen, false);
    assert.match(steps, /takes proofs signed with ES512, not with ES256/);
  });
});
