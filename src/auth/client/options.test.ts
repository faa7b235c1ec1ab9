import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Grant } from "./grant.ts";
import { type OAuthClientOptions, resolveOAuthOptions } from "./options.ts";

const grant: Grant = { type: "idle", isInteractive: false, obtain: () => assert.fail("nothing is to be obtained") };
const resolve = (more: Partial<OAuthClientOptions> = {}) => resolveOAuthOptions({ grant, ...more });

describe("resolveOAuthOptions", () => {
  it("fills in what its docstrings promise", () => {
    const { account, sendsResource, dpop, stepUp, renewAheadMs, legacyFallback, allowPrivateAddresses } = resolve();
    assert.deepEqual(
      { account, sendsResource, dpop, stepUp, renewAheadMs, legacyFallback, allowPrivateAddresses },
      {
        account: "default",
        sendsResource: true,
        dpop: "required",
        stepUp: { maxAttempts: 3, deniedTtlMs: 300_000 },
        renewAheadMs: 60_000,
        legacyFallback: undefined,
        allowPrivateAddresses: undefined,
      },
    );
  });

  it("takes each of the forms of dpop and stepUp", () => {
    assert.equal(resolve({ dpop: false }).dpop, "never");
    assert.equal(resolve({ dpop: true }).dpop, "supported");
    const { dpop, dpopOptions } = resolve({ dpop: { algorithm: "ES384" } });
    assert.deepEqual([dpop, dpopOptions], ["supported", { algorithm: "ES384" }]);
    assert.equal(resolve({ stepUp: false }).stepUp, undefined);
    assert.deepEqual(resolve({ stepUp: { maxAttempts: 1 } }).stepUp, { maxAttempts: 1, deniedTtlMs: 300_000 });
  });

  it("names the option that cannot work", () => {
    const faults: [Partial<OAuthClientOptions>, RegExp][] = [
      [{ renewAheadMs: Number.NaN }, /^renewAheadMs: .*got NaN/],
      [{ stepUp: { maxAttempts: 0 } }, /^stepUp\.maxAttempts: /],
      [{ stepUp: { deniedTtlMs: -1 } }, /^stepUp\.deniedTtlMs: /],
      [{ account: "" }, /^account: /],
      [{ scopes: ["a b"] }, /^scopes: .*"a b"/],
    ];
    for (const [more, message] of faults) {
      assert.throws(() => resolve(more), { code: "MCP_USAGE", message });
    }
  });
});
