import assert from "node:assert/strict";
import { describe, it } from "node:test";

import {
  type Answers,
  as,
  healthy,
  mcp,
  oauth,
  openid,
  resource,
  resourcePath,
  resourceRoot,
  runDiscovery,
} from "../../../../test/fixtures/auth/discovery-run.ts";
import { answerWith, describeServer } from "../../../../test/fixtures/auth/metadata-web.ts";
import { UsageError } from "../../../base/error.ts";
import { createFakeClock } from "../../../test/clock.ts";
import { DiscoveryCache } from "./discovery-cache.ts";

describe("discover: protected resource metadata", () => {
  it("finds the authorization server through it [AUTH-007]", async () => {
    const { found, asked } = await runDiscovery(healthy);
    assert.equal(found?.issuer, as);
    assert.equal(found?.server.token_endpoint, `${as}/token`);
    assert.equal(found?.resource, `${mcp}/mcp`);
    assert.deepEqual(found?.resourceMetadata?.authorizationServers, [as]);
    assert.deepEqual(asked, [resourcePath, as + oauth]);
  });

  it("asks the address of the challenge only, on whichever host it is [AUTH-010] [AUTHDRAFT-009]", async () => {
    const elsewhere = "https://meta.example/custom.json";
    const challenge = { resourceMetadata: elsewhere };
    const { found, asked } = await runDiscovery({ ...healthy, [elsewhere]: resource }, { challenge });
    assert.equal(found?.issuer, as);
    assert.deepEqual(asked, [elsewhere, as + oauth]);
  });

  it("goes on to the known places, each once, where the challenge's address gives nothing valid [PP-085]", async () => {
    const challenge = { resourceMetadata: resourcePath };
    const rooted = { ...healthy, [resourcePath]: answerWith(200, "<html>", "text/html"), [resourceRoot]: resource };
    const { found, asked } = await runDiscovery(rooted, { challenge });
    assert.equal(found?.issuer, as);
    assert.deepEqual(asked, [resourcePath, resourceRoot, as + oauth]);
  });

  it("tries the path form, then the root [AUTH-011]", async () => {
    const { asked } = await runDiscovery({
      ...healthy,
      [resourcePath]: answerWith(404),
      [resourceRoot]: { ...resource, resource: mcp },
    });
    assert.deepEqual(asked, [resourcePath, resourceRoot, as + oauth]);
  });

  it("keeps the published identifier byte for byte [PP-097]", async () => {
    for (const published of [`${mcp}/`, mcp, "HTTPS://MCP.example/mcp", `${mcp}/mcp/`]) {
      const { found } = await runDiscovery({ ...healthy, [resourcePath]: { ...resource, resource: published } });
      assert.equal(found?.resource, published);
    }
  });

  it("stops where it speaks of another resource, before any other server is asked [AUTH-013] [AUTHDRAFT-010] [M-AUTH-027]", async () => {
    const wrong = { ...resource, resource: "https://evil.example/mcp" };
    const { error, asked, record } = await runDiscovery({
      ...healthy,
      [resourcePath]: wrong,
      [resourceRoot]: resource,
    });
    assert.match(
      error?.message ?? "",
      /expected the resource "https:\/\/mcp\.example\/mcp".*got "https:\/\/evil\.example\/mcp"/,
    );
    assert.equal(error?.stage, "resource-metadata");
    assert.deepEqual(asked, [resourcePath]);
    assert.equal(record.steps.at(-1)?.outcome, "failed");
  });

  it("takes an identifier of another form by the setting that its error names [PP-098]", async () => {
    const answers = { ...healthy, [resourcePath]: { ...resource, resource: "api://mcp" } };
    assert.match((await runDiscovery(answers)).error?.message ?? "", /accept it with acceptResource/);
    const { found } = await runDiscovery(answers, { acceptResource: (published) => published === "api://mcp" });
    assert.equal(found?.resource, "api://mcp");
  });

  it("goes past metadata that names no authorization server", async () => {
    const { error } = await runDiscovery({ ...healthy, [resourcePath]: { resource: `${mcp}/mcp` } });
    assert.match(error?.message ?? "", /expected authorization_servers to name one, got none/);
  });
});

describe("discover: authorization server metadata", () => {
  const listing = (...issuers: string[]): Answers => ({
    [resourcePath]: { ...resource, authorization_servers: issuers },
  });

  it("takes a server that has either kind of document [AUTH-021]", async () => {
    for (const path of [oauth, openid]) {
      const { found } = await runDiscovery({ ...listing(as), [as + path]: describeServer(as) });
      assert.equal(found?.issuer, as);
    }
  });

  it("tries two places for an issuer without path and three for one with, in order [AUTH-022] [AUTH-023] [M-AUTH-009] [AUTHDRAFT-013]", async () => {
    assert.deepEqual((await runDiscovery(listing(as))).asked, [resourcePath, as + oauth, as + openid]);
    assert.deepEqual((await runDiscovery(listing(`${as}/t1`))).asked, [
      resourcePath,
      `${as}${oauth}/t1`,
      `${as}${openid}/t1`,
      `${as}/t1${openid}`,
    ]);
  });

  it("does not use a document that names another issuer, and says so [AUTH-024] [M-AUTH-008]", async () => {
    const { error } = await runDiscovery({ ...listing(as), [as + oauth]: describeServer("https://honest.example") });
    assert.match(error?.message ?? "", /issuer to be exactly "https:\/\/as\.example", got "https:\/\/honest\.example"/);
    assert.equal(error?.issuer, as);
  });

  it("goes past documents that are none or name bad addresses, to the next place [PP-085] [SEC-024] [AUTH-052]", async () => {
    for (const answer of [
      answerWith(403),
      answerWith(200, "<html>", "text/html"),
      { ...describeServer(as), authorization_endpoint: "javascript:alert(1)" },
      { ...describeServer(as), token_endpoint: "http://as.example/token" },
    ]) {
      const { found } = await runDiscovery({ ...listing(as), [as + oauth]: answer, [as + openid]: describeServer(as) });
      assert.equal(found?.server.token_endpoint, `${as}/token`);
    }
  });

  it("lists every address with its outcome where nothing is found [AUTH-012] [PP-085]", async () => {
    const { error } = await runDiscovery({
      ...listing(as),
      [as + oauth]: answerWith(503),
      [as + openid]: answerWith(403),
    });
    assert.equal(
      error?.message,
      [
        `expected metadata of the authorization server "${as}", found none that is valid; tried:`,
        `  ok: ${resourcePath}: valid`,
        `  failed: ${as}${oauth}: status 503`,
        `  failed: ${as}${openid}: status 403`,
      ].join("\n"),
    );
    assert.equal(error?.stage, "server-metadata");
    assert.equal(error?.isTransient, true);
  });

  it("takes the first of several servers that has valid metadata [AUTH-014]", async () => {
    const other = "https://other.example";
    const { found } = await runDiscovery({ ...listing(as, other), [other + openid]: describeServer(other) });
    assert.equal(found?.issuer, other);
  });

  it("goes past issuers that are no safe address, without asking them [SEC-027] [AUTH-052]", async () => {
    const { found, asked } = await runDiscovery({
      ...listing("javascript:alert(1)", "http://as.example", "https://as.example?x", as),
      [as + oauth]: describeServer(as),
    });
    assert.equal(found?.issuer, as);
    assert.deepEqual(asked, [resourcePath, as + oauth]);
  });

  it("lets the application choose among several, and asks no other then [AUTH-014]", async () => {
    const other = "https://other.example";
    const answers = { ...listing(as, other), [as + oauth]: describeServer(as) };
    const offered: unknown[] = [];
    const { error, asked } = await runDiscovery(answers, {
      selectServer: async (issuers) => {
        offered.push(...issuers);
        return other;
      },
    });
    assert.deepEqual(offered, [as, other]);
    assert.equal(error?.issuer, other);
    assert.deepEqual(asked, [resourcePath, other + oauth, other + openid]);
    await assert.rejects(runDiscovery(answers, { selectServer: () => "https://third.example" }), UsageError);
  });

  it("reads a document once where a cache is given", async () => {
    const cache = new DiscoveryCache({ clock: createFakeClock() });
    await runDiscovery(healthy, { cache });
    const { found, asked, record } = await runDiscovery(healthy, { cache });
    assert.equal(found?.issuer, as);
    assert.deepEqual(asked, [resourcePath]);
    assert.match(record.steps.at(-1)?.detail ?? "", /was read before/);
  });
});
