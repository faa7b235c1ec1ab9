import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toTokens } from "../../../../test/fixtures/auth/authorization-rig.ts";
import { createFakeClock } from "../../../test/clock.ts";
import type { AuthChallenge } from "../../challenge.ts";
import { isFit, type Need, type NeedKind, toDemandedScopes, toNeedKey } from "./need.ts";

const clock = createFakeClock();
const challenge = (scopes: readonly string[]): AuthChallenge => ({ scheme: "bearer", scopes, problems: [] }) as never;
const need = (kind: NeedKind, more: Partial<Need> = {}): Need => ({ kind, mayRenew: true, mayObtain: true, ...more });
const tokens = toTokens("t1", clock, { requestedScopes: ["a", "b"], grantedScopes: ["a"] });

describe("isFit", () => {
  it("takes any other token that is still good for a refused one", () => {
    assert.equal(isFit(tokens, need("rejected", { unfit: "t0" }), clock.now()), true);
    assert.equal(isFit(tokens, need("rejected", { unfit: "t1" }), clock.now()), false);
    assert.equal(isFit(tokens, need("rejected", { unfit: "t0" }), clock.now() + 3_600_000), false);
  });

  it("wants the scopes that were demanded [PP-088]", () => {
    assert.equal(isFit(tokens, need("scopes", { unfit: "t0", challenge: challenge(["a"]) }), clock.now()), true);
    assert.equal(isFit(tokens, need("scopes", { unfit: "t0", challenge: challenge(["b"]) }), clock.now()), false);
  });

  it("takes nothing for a login that was asked for", () => {
    assert.equal(isFit(tokens, need("login"), clock.now()), false);
  });
});

describe("toNeedKey", () => {
  it("is the same for refusals of one token, whatever they say", () => {
    const keys = [challenge(["a"]), challenge(["b"])].map((said) =>
      toNeedKey(need("rejected", { unfit: "t0", challenge: said })),
    );
    assert.equal(new Set(keys).size, 1);
  });

  it("differs by the scopes that are demanded", () => {
    const keys = [challenge(["a"]), challenge(["b"])].map((said) =>
      toNeedKey(need("scopes", { unfit: "t0", challenge: said })),
    );
    assert.equal(new Set(keys).size, 2);
  });
});

describe("toDemandedScopes", () => {
  it("unites what was asked for, what was granted and what is demanded for a step-up [M-AUTH-018]", () => {
    const scopes = toDemandedScopes(need("scopes", { challenge: challenge(["c", "a"]) }), tokens, ["z"]);
    assert.deepEqual(scopes, ["a", "b", "c"]);
  });

  it("takes what was requested where nothing tells what was granted [M-AUTH-018]", () => {
    const untold = { ...tokens, grantedScopes: [] };
    assert.deepEqual(toDemandedScopes(need("scopes", { challenge: challenge(["c"]) }), untold, []), ["a", "b", "c"]);
  });

  it("takes all that the resource has where a step-up does not say what for", () => {
    assert.deepEqual(toDemandedScopes(need("scopes"), tokens, ["z"]), ["a", "b", "z"]);
  });

  it("goes by the challenge alone otherwise, and without one asks for what was asked for before [AUTH-018]", () => {
    assert.deepEqual(toDemandedScopes(need("rejected", { challenge: challenge(["c"]) }), tokens, ["z"]), ["c"]);
    assert.deepEqual(toDemandedScopes(need("stale"), tokens, ["z"]), ["a", "b"]);
    assert.deepEqual(toDemandedScopes(need("stale"), undefined, ["z"]), []);
    assert.deepEqual(toDemandedScopes(need("login"), tokens, ["z"]), []);
  });
});
