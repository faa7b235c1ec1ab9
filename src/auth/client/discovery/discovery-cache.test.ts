import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { createFakeClock } from "../../../test/clock.ts";
import type { ServerMetadata } from "./discovery.ts";
import { DiscoveryCache } from "./discovery-cache.ts";

function serverOf(issuer: string): ServerMetadata {
  return { issuer, token_endpoint: `${issuer}/token` };
}

describe("DiscoveryCache", () => {
  it("finds a document under its exact issuer, for ten minutes", async () => {
    const clock = createFakeClock();
    const cache = new DiscoveryCache({ clock });
    const server = serverOf("https://as.example");
    cache.keep(server);
    assert.equal(cache.find("https://as.example"), server);
    assert.equal(cache.find("https://as.example/"), undefined);
    await clock.advance(599_999);
    assert.equal(cache.find("https://as.example"), server);
    await clock.advance(1);
    assert.equal(cache.find("https://as.example"), undefined);
  });

  it("keeps no more issuers than it may", () => {
    const cache = new DiscoveryCache({ clock: createFakeClock(), maxEntries: 1 });
    cache.keep(serverOf("https://a.example"));
    cache.keep(serverOf("https://b.example"));
    assert.equal(cache.find("https://a.example"), undefined);
    assert.notEqual(cache.find("https://b.example"), undefined);
  });

  it("forgets a document when told to", () => {
    const cache = new DiscoveryCache({ clock: createFakeClock() });
    cache.keep(serverOf("https://a.example"));
    cache.forget("https://a.example");
    assert.equal(cache.find("https://a.example"), undefined);
  });
});
