// Programs without a user: one proves itself by a key, another by the word of the platform that it runs on. The server
// tells users from programs, and asks the first of its own verifier.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { clientCredentials, createOAuthClient, workloadIdentity } from "parley-mcp/auth/client";
import { jwtVerifier, protectResource, TokenRejectedError } from "parley-mcp/auth/resource";
import { connect } from "parley-mcp/connect";
import { createNodeHandler } from "parley-mcp/http/node";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { startAuthorizationServer } from "../authorization-login/authorization-server.ts";

const login = await startAuthorizationServer();
const { issuer } = login;
const keys = await generateKeyPair("ES256", { extractable: true });
login.trust("nightly-key", await exportJWK(keys.publicKey));

const app = defineServer({
  name: "reports",
  version: "1.0.0",
  tools: { whoAsks: tool({ description: "Names the program" }, (_args, ctx) => ctx.auth?.clientId ?? "nobody") },
});

const server = createServer();
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

// #region verifier
const blocked = new Set<string>();
const verifyJwt = jwtVerifier({ issuer, audience: url });
const auth = protectResource({
  issuer,
  audience: url,
  scopes: ["reports:read"],
  verify: async (token, context) => {
    const verified = await verifyJwt(token, context);
    if (verified && blocked.has(verified.clientId)) {
      throw new TokenRejectedError("this client is blocked"); // what the caller is told
    }
    return verified;
  },
});
// #endregion
const handler = createHttpHandler(app, { auth });
server.on("request", createNodeHandler(handler));

{
  const { privateKey } = keys;
  // #region credentials
  const auth = createOAuthClient({
    grant: clientCredentials({
      clientId: "nightly",
      privateKey, // PEM, JWK or a key of WebCrypto; or clientSecret
      algorithm: "ES256",
      keyId: "nightly-key",
      issuer, // the credentials go there and nowhere else
    }),
  });
  const client = await connect<typeof app>(url, { auth });
  assert.deepEqual(await client.tools.whoAsks(), [{ type: "text", text: "nightly" }]);
  // #endregion
  blocked.add("nightly");
  await assert.rejects(client.tools.whoAsks(), { code: "MCP_AUTHORIZATION" });
  await client.close();
}

{
  /** What a cluster or a cloud puts into a file for each of its programs. */
  const readAssertion = (): Promise<string> =>
    new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid: "nightly-key" })
      .setIssuer("https://platform.example")
      .setSubject("pod-7")
      .setAudience(issuer)
      .setIssuedAt()
      .setExpirationTime("5 minutes")
      .sign(keys.privateKey);
  // #region workload
  const auth = createOAuthClient({
    grant: workloadIdentity({ assertion: readAssertion }), // or assertionFile("/var/run/secrets/tokens/mcp")
    issuer, // the only authorization server that may get the assertion
  });
  // #endregion
  const client = await connect<typeof app>(url, { auth });
  assert.deepEqual(await client.tools.whoAsks(), [{ type: "text", text: "pod-7" }]);
  await client.close();
}

assert.deepEqual(
  login.grants.filter((grant, index, all) => grant !== all[index - 1]),
  ["client_credentials", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
);
handler.close();
server.close();
server.closeAllConnections();
login.close();
