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
import type { DiscoveryOptions } from "./discover.ts";

describe("discover: trust", () => {
  it("takes the configured issuer where the server names it among others", async () => {
    const issuer = "https://second.example";
    const { found, asked } = await runDiscovery(
      {
        [resourcePath]: { ...resource, authorization_servers: [as, issuer] },
        [issuer + oauth]: describeServer(issuer),
      },
      { issuer },
    );
    assert.equal(found?.issuer, issuer);
    assert.deepEqual(asked, [resourcePath, issuer + oauth]);
  });

  it("stops where the server names others than the configured issuer, naming both [M-AUTH-012]", async () => {
    const { error, asked } = await runDiscovery(healthy, { issuer: "https://mine.example" });
    assert.match(error?.message ?? "", /configured issuer "https:\/\/mine\.example", got "https:\/\/as\.example"/);
    assert.deepEqual(asked, [resourcePath]);
  });

  it("takes the configured issuer where the server publishes nothing [AUTH-012]", async () => {
    for (const answer of [answerWith(404), answerWith(401)]) {
      const { found } = await runDiscovery({ ...healthy, [resourcePath]: answer }, { issuer: as });
      assert.equal(found?.issuer, as);
      assert.equal(found?.resource, `${mcp}/mcp`);
      assert.equal(found?.resourceMetadata, undefined);
    }
  });

  it("asks whether a found issuer is to be trusted, and stops where not [AUTHDRAFT-011]", async () => {
    const shown: unknown[] = [];
    const approve = (answer: boolean) => ({
      approveIssuer: async (issuer: string, endpoint: URL) => {
        shown.push(issuer, endpoint.href);
        return answer;
      },
    });
    assert.equal((await runDiscovery(healthy, approve(true))).found?.issuer, as);
    const { error, asked } = await runDiscovery(healthy, approve(false));
    assert.match(error?.message ?? "", /expected an issuer that approveIssuer approves, got "https:\/\/as\.example"/);
    assert.equal(error?.issuer, as);
    assert.deepEqual(asked, [resourcePath, as + oauth]);
    assert.deepEqual(shown, [as, `${mcp}/mcp`, as, `${mcp}/mcp`]);
    await runDiscovery(healthy, { ...approve(false), issuer: as });
    assert.equal(shown.length, 4);
  });

  it("ends with the signal's reason while somebody is asked", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const approveIssuer = (): Promise<boolean> => {
      controller.abort(reason);
      return new Promise(() => undefined);
    };
    await assert.rejects(runDiscovery(healthy, { approveIssuer, signal: controller.signal }), reason);
  });
});

describe("discover: servers of the first revision with authorization", () => {
  it("takes the server for its own authorization server where nothing is published anywhere [O0326-019] [O0326-021]", async () => {
    const { found, asked } = await runDiscovery({});
    assert.equal(found?.issuer, mcp);
    assert.equal(found?.server.authorization_endpoint, `${mcp}/authorize`);
    assert.deepEqual(asked, [resourcePath, resourceRoot, mcp + oauth, mcp + openid]);
  });

  it("has a resource to send there too [O0326-024]", async () => {
    assert.equal((await runDiscovery({})).found?.resource, `${mcp}/mcp`);
  });

  it("does not where anything but absence was met, or metadata was promised [O0326-022] [AUTHDRAFT-014]", async () => {
    const tries: readonly (readonly [Answers, Partial<DiscoveryOptions>])[] = [
      [{ [resourcePath]: answerWith(500) }, {}],
      [{ [resourcePath]: answerWith(401) }, {}],
      [{ [resourceRoot]: answerWith(200, "<html>", "text/html") }, {}],
      [{ [resourceRoot]: { resource: `${mcp}/mcp` } }, {}],
      [{}, { challenge: { resourceMetadata: resourcePath } }],
      [{}, { legacyFallback: false }],
    ];
    for (const [answers, options] of tries) {
      const { error, asked } = await runDiscovery({ ...answers, [mcp + oauth]: describeServer(mcp) }, options);
      assert.match(
        error?.message ?? "",
        /^expected https:\/\/mcp\.example\/mcp to publish protected resource metadata/,
      );
      assert.deepEqual(asked, [resourcePath, resourceRoot]);
    }
  });

  it("takes no fixed paths at a server that was named but has no metadata [AUTHDRAFT-014]", async () => {
    const { found, asked } = await runDiscovery({ [resourcePath]: { ...resource, authorization_servers: [mcp] } });
    assert.equal(found, undefined);
    assert.deepEqual(asked, [resourcePath, mcp + oauth, mcp + openid]);
  });
});
