import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { type AddressPolicyOptions, createAddressPolicy } from "./address-policy.ts";

const hosts = [
  "as.example",
  "localhost",
  "10.0.0.1",
  "[fd00::1]",
  "wiki",
  "169.254.169.254",
  "[fe80::1]",
  "0.0.0.0",
  "224.0.0.1",
];

/** The hosts that a policy lets pass. */
function allowed(options: AddressPolicyOptions): readonly string[] {
  const policy = createAddressPolicy(options);
  return hosts.filter((host) => policy.check(new URL(`https://${host}/`)) === undefined);
}

describe("createAddressPolicy", () => {
  it("lets only public hosts pass by default, and next to a server on the Internet [SEC-014] [SEC-016]", () => {
    assert.deepEqual(allowed({}), ["as.example"]);
    assert.deepEqual(allowed({ trusted: new URL("https://mcp.example/mcp") }), ["as.example"]);
    assert.deepEqual(allowed({ trusted: new URL("https://8.8.8.8/") }), ["as.example"]);
  });

  it("lets a local or intranet server point to its neighbours, but never from the network to this machine [SEC-016]", () => {
    const reach = (trusted: string) => allowed({ trusted: new URL(trusted) });
    const isLocal = (host: string): boolean => host === "localhost";
    assert.deepEqual(reach("http://localhost:3000/mcp"), hosts.slice(0, 5));
    for (const trusted of ["https://192.168.0.7/mcp", "https://tools/mcp", "https://[fd00::9]/"]) {
      assert.deepEqual(
        reach(trusted),
        hosts.slice(0, 5).filter((host) => !isLocal(host)),
        trusted,
      );
    }
    assert.deepEqual(
      reach("https://169.254.3.4/mcp"),
      hosts.slice(0, 7).filter((host) => !isLocal(host)),
    );
    assert.deepEqual(reach("https://0.0.0.0/mcp"), ["as.example"]);
  });

  it("lets pass what the caller says", () => {
    assert.deepEqual(allowed({ allowPrivateAddresses: true }), hosts);
    assert.deepEqual(allowed({ allowPrivateAddresses: (url) => url.hostname === "10.0.0.1" }), [
      "as.example",
      "10.0.0.1",
    ]);
  });

  it("judges a public name by what it resolves to, and says both [SEC-017]", () => {
    const policy = createAddressPolicy();
    const url = new URL("https://as.example/secret?x");
    assert.equal(policy.check(url, "8.8.8.8"), undefined);
    assert.equal(
      policy.check(url, "169.254.169.254"),
      'expected a public address, got as.example, which is 169.254.169.254 (link-local); "allowPrivateAddresses" lets it pass',
    );
  });
});
