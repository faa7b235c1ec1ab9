import assert from "node:assert/strict";
import { describe, it } from "node:test";

import {
  answerWith,
  createMetadataWeb,
  describeServer,
  failWith,
  type MetadataWeb,
  type WebAnswer,
} from "../../../../test/fixtures/auth/metadata-web.ts";
import { latestHandshake } from "../../../revision/registry.ts";
import { AuthorizationRecord } from "../record.ts";
import type { ServerMetadata } from "./discovery.ts";
import { DiscoveryLog } from "./discovery-log.ts";
import { findLegacyServer } from "./legacy-server.ts";
import { checkPkce } from "./server-metadata.ts";

const origin = "https://mcp.example";
const oauth = `${origin}/.well-known/oauth-authorization-server`;

async function find(
  answers: Readonly<Record<string, WebAnswer>>,
  endpoint = `${origin}/team/mcp`,
): Promise<{ web: MetadataWeb; server: ServerMetadata | undefined }> {
  const web = createMetadataWeb(answers);
  const log = new DiscoveryLog(new AuthorizationRecord(() => 0));
  const context = { fetch: web.fetch, log, signal: new AbortController().signal };
  return { web, server: await findLegacyServer(new URL(endpoint), context) };
}

describe("findLegacyServer", () => {
  it("asks at the root of the server's own origin first, naming the revision [O0326-019] [O0326-020]", async () => {
    const { web, server } = await find({ [oauth]: describeServer(origin) });
    assert.equal(server?.token_endpoint, `${origin}/token`);
    assert.deepEqual(web.asked, [oauth]);
    assert.equal(web.requests[0]?.headers?.["mcp-protocol-version"], latestHandshake.id);
  });

  it("takes both ways to write an origin for the issuer, and no other [AUTH-024]", async () => {
    assert.equal(
      (await find({ [oauth]: { ...describeServer(origin), issuer: `${origin}/` } })).server?.issuer,
      `${origin}/`,
    );
    assert.equal((await find({ [oauth]: { ...describeServer(origin), issuer: `${origin}/team` } })).server, undefined);
  });

  it("takes the three fixed paths where nothing is published [O0326-021]", async () => {
    const { web, server } = await find({});
    assert.deepEqual(server, {
      issuer: origin,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      code_challenge_methods_supported: ["S256"],
    });
    assert.deepEqual(web.asked, [oauth, `${origin}/.well-known/openid-configuration`]);
  });

  it("has codes protected by S256 on those paths too [O0326-023]", async () => {
    const { server } = await find({});
    assert.ok(server);
    assert.equal(checkPkce(server), undefined);
  });

  it("takes no fixed paths where the answer is anything but absence [O0326-022]", async () => {
    for (const answer of [
      answerWith(500),
      answerWith(401),
      answerWith(200, "<html>", "text/html"),
      failWith("unreachable"),
      describeServer("https://other.example"),
    ]) {
      assert.equal((await find({ [oauth]: answer })).server, undefined);
    }
  });

  it("takes no fixed paths over plain http, but on this machine [AUTH-052]", async () => {
    assert.equal((await find({}, "http://mcp.example/mcp")).server, undefined);
    assert.equal((await find({}, "http://localhost:3000/mcp")).server?.token_endpoint, "http://localhost:3000/token");
  });
});
