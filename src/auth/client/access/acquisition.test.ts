import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createAuthorizationRig,
  endpoint,
  type RigScript,
  toInit,
  toTokens,
} from "../../../../test/fixtures/auth/authorization-rig.ts";
import { createDeferred } from "../../../base/deferred.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { TokenSet } from "../storage/credential.ts";

/** A rig whose kept tokens are over, and whose renewal waits until it is told its outcome. */
async function createRenewing(more: RigScript = {}) {
  const begun = createDeferred();
  const renewal = createDeferred<TokenSet>();
  const rig = createAuthorizationRig({
    ...more,
    grant: {
      renew: () => {
        begun.resolve();
        return renewal.promise;
      },
    },
  });
  await rig.keep({ expiresAtMs: rig.clock.now() });
  return { rig, begun: begun.promise, end: () => renewal.resolve(toTokens("renewed", rig.clock)) };
}

describe("Acquisition, while tokens are being renewed", () => {
  it("leaves those of a login that ended meanwhile, and uses them", async () => {
    const { rig, begun, end } = await createRenewing();
    const call = rig.call();
    await begun;
    await rig.authorization.adopt(toTokens("adopted", rig.clock));
    end();
    assert.equal(await call, 200);
    assert.deepEqual([rig.arrived.at(-1)?.token, (await rig.kept())?.accessToken], ["adopted", "adopted"]);
  });

  it("leaves those that another process kept meanwhile, and uses them [PP-089]", async () => {
    const { rig, begun, end } = await createRenewing();
    const call = rig.call();
    await begun;
    await rig.credentials.saveTokens(endpoint, toTokens("theirs", rig.clock));
    end();
    assert.equal(await call, 200);
    assert.deepEqual([rig.arrived.at(-1)?.token, (await rig.kept())?.accessToken], ["theirs", "theirs"]);
  });

  it("does not bring back what another process has logged out of", async () => {
    const { rig, begun, end } = await createRenewing();
    const call = rig.fetch(endpoint, toInit());
    await begun;
    await rig.credentials.deleteTokens(endpoint, "https://as.example");
    end();
    await assert.rejects(call, (error) => error instanceof AuthorizationError && error.isTransient);
    assert.equal(await rig.kept(), undefined);
  });
});

describe("Acquisition, when the caller gives up", () => {
  it("keeps tokens that were renewed though nobody waits any more [PP-089]", async () => {
    const { rig, begun, end } = await createRenewing();
    const control = new AbortController();
    const call = rig.call({ signal: control.signal });
    await begun;
    control.abort(new Error("enough"));
    await assert.rejects(call, /enough/);
    end();
    assert.equal(await rig.call(), 200);
    assert.equal((await rig.kept())?.accessToken, "renewed");
    assert.deepEqual([rig.renewed.length, rig.obtained.length], [1, 0]);
  });
});

describe("Acquisition, when the store takes no tokens", () => {
  it("uses renewed ones from memory, and says so [PP-094]", async () => {
    const { rig, begun, end } = await createRenewing();
    const call = rig.call();
    await begun;
    const set = rig.store.set.bind(rig.store);
    rig.store.set = async (key, ...rest) =>
      key.startsWith("tokens") ? Promise.reject(new Error("full")) : set(key, ...rest);
    end();
    assert.equal(await call, 200);
    assert.deepEqual([rig.arrived.at(-1)?.token, rig.diagnostics[0]?.code], ["renewed", "MCP_D_CREDENTIALS"]);
  });
});

describe("Acquisition, when it is logged out of", () => {
  it("forgets the tokens of every issuer that the server ever named, and of no other server", async () => {
    const rig = createAuthorizationRig();
    const former = await rig.keep({ issuer: "https://former.example", accessToken: "former" });
    await rig.credentials.saveTokens("https://other.example/mcp", former);
    await rig.keep();
    const tokens = await rig.authorization.logOut();
    assert.deepEqual(tokens.map(({ accessToken }) => accessToken).sort(), ["former", "t0"]);
    assert.deepEqual(await rig.credentials.findAllTokens(endpoint), []);
    assert.equal((await rig.credentials.findAllTokens("https://other.example/mcp")).length, 1);
  });
});
