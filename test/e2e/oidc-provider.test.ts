import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as oauth from "oauth4webapi";
import { follow } from "../fixtures/auth/headless-browser.ts";
import { startOidcServer } from "../fixtures/auth/oidc-server.node.ts";

const redirectUri = "http://127.0.0.1:53682/callback";
const resource = "https://mcp.example/mcp";
const insecure = { [oauth.allowInsecureRequests]: true };

describe("a real authorization server", () => {
  for (const approves of ["at-once", "by-form"] as const) {
    it(`is discovered, registers a client, and trades a code for a token of the resource, approving ${approves}`, async (context) => {
      const server = await startOidcServer({ approves, accessTokenTtlSeconds: 5 });
      context.after(() => server.close());
      const issuer = new URL(server.issuer);
      const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
      const as = await oauth.processDiscoveryResponse(issuer, found);
      const metadata = { redirect_uris: [redirectUri], application_type: "native", token_endpoint_auth_method: "none" };
      const grants = { grant_types: ["authorization_code", "refresh_token"], response_types: ["code"] };
      const registered = await oauth.dynamicClientRegistrationRequest(as, { ...metadata, ...grants }, insecure);
      const client: oauth.Client = await oauth.processDynamicClientRegistrationResponse(registered);
      const verifier = oauth.generateRandomCodeVerifier();
      const page = new URL(as.authorization_endpoint ?? "");
      page.search = new URLSearchParams({
        response_type: "code",
        client_id: client.client_id,
        redirect_uri: redirectUri,
        scope: "mcp",
        state: "s",
        resource,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }).toString();
      const answer = oauth.validateAuthResponse(as, client, new URL(await follow(page.href, redirectUri)), "s");
      const sent = await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), answer, redirectUri, verifier, {
        ...insecure,
        additionalParameters: { resource },
      });
      const tokens = await oauth.processAuthorizationCodeResponse(as, client, sent);
      assert.deepEqual([tokens.token_type, tokens.expires_in, tokens.scope], ["bearer", 5, "mcp"]);
      assert.equal(tokens.access_token.split(".").length, 3);
      assert.equal(typeof tokens.refresh_token, "string");
      assert.equal(server.stats.get("POST /token"), 1);
    });
  }
});
