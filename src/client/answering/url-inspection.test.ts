import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspectUrl } from "./url-inspection.ts";

describe("inspectUrl", () => {
  it("gives the whole URL, its host, and the domain split out for highlighting [ELIC-039] [ELIC-041]", () => {
    const url = inspectUrl("https://login.example.com/a?b=c#d");
    assert.deepEqual(url, {
      href: "https://login.example.com/a?b=c#d",
      host: "login.example.com",
      domain: "login.example.com",
      before: "https://",
      after: "/a?b=c#d",
      warnings: [],
    });
  });

  const suspicious = {
    "https://xn--pple-43d.com/": ["punycode"],
    "https://аpple.com/": ["punycode", "mixed-script"],
    "https://bank.example@evil.example/": ["user-info"],
    "https://10.0.0.1/": ["ip-address"],
    "https://[2001:db8::1]/": ["ip-address"],
    "http://example.com/": ["unencrypted"],
    "https://example.com:8443/": ["unusual-port"],
    "https://exa\u200bmple.com/": ["invisible-characters"],
    "http://localhost:3000/": [],
  };
  for (const [url, warnings] of Object.entries(suspicious)) {
    it(`warns of ${JSON.stringify(url)} with [${warnings.join(", ")}] [ELIC-041]`, () => {
      assert.deepEqual(inspectUrl(url)?.warnings, warnings);
    });
  }

  it("puts the domain where it stands, also behind user info that looks like it [ELIC-041]", () => {
    const url = inspectUrl("https://evil.example:p@evil.example/x");
    assert.equal(url?.before, "https://evil.example:p@");
    assert.equal(url?.domain, "evil.example");
    assert.equal(url?.after, "/x");
  });

  it("refuses what no browser should be sent to [ELIC-041]", () => {
    for (const url of ["javascript:alert(1)", "file:///etc/passwd", "vscode://x/y", "data:text/html,x", "no url", ""]) {
      assert.equal(inspectUrl(url), undefined);
    }
  });
});
