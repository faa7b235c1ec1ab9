import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { decodeJwt, decodeProtectedHeader } from "jose";
import {
  type Answer,
  createGrantRig,
  type Sent,
  toDiscovery,
  toJson,
  toTokenRequest,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { type ClientCredentialsOptions, clientCredentials } from "./client-credentials.ts";

const token = "https://as.example/token";
const revoke = "https://as.example/revoke";
const giveToken: Answer = () => toJson({ access_token: "at-1", token_type: "Bearer", expires_in: 60 });
const pem = generateKeyPairSync("ec", { namedCurve: "P-256" })
  .privateKey.export({ type: "pkcs8", format: "pem" })
  .toString();

async function run(options: ClientCredentialsOptions, changes = {}, answer = giveToken, scopes?: readonly string[]) {
  const rig = createGrantRig({ [token]: answer });
  const outcome = await clientCredentials(options)
    .obtain(toTokenRequest(toDiscovery(changes), { scopes }), rig.context)
    .then(
      (tokens) => ({ tokens, error: undefined }),
      (error: unknown) => ({ tokens: undefined, error }),
    );
  return { rig, ...outcome };
}

describe("clientCredentials", () => {
  it("asks the token endpoint alone, for the resource and the scopes [X-CC-001] [X-CC-004]", async () => {
    const { rig, tokens } = await run({ clientId: "job", clientSecret: "hush" }, {}, giveToken, ["a", "b"]);
    assert.equal(tokens?.accessToken, "at-1");
    assert.deepEqual(
      rig.sent.map(({ url }) => url),
      [token],
    );
    const [{ form }] = rig.sent as [Sent];
    assert.deepEqual(Object.fromEntries(form), {
      grant_type: "client_credentials",
      resource: "https://mcp.example/mcp",
      scope: "a b",
    });
  });

  it("asks for configured scopes where the server names none, else for none", async () => {
    const named = await run({ clientId: "job", clientSecret: "hush", scopes: ["mine"] });
    assert.equal(named.rig.sent[0]?.form.get("scope"), "mine");
    const bare = await run({ clientId: "job", clientSecret: "hush" });
    assert.equal(bare.rig.sent[0]?.form.has("scope"), false);
  });

  it("belongs to its extension, and neither asks a person nor renews [X-CC-002]", () => {
    const grant = clientCredentials({ clientId: "job", clientSecret: "hush" });
    assert.equal(grant.extension, "io.modelcontextprotocol/oauth-client-credentials");
    assert.equal(grant.isInteractive, false);
    assert.equal(grant.renew, undefined);
    assert.equal(grant.complete, undefined);
  });

  it("sends the secret by HTTP Basic where that is listed, else in the body [X-CC-008]", async () => {
    const basic = await run({ clientId: "job", clientSecret: "hush" });
    assert.equal(basic.rig.sent[0]?.headers.get("authorization"), `Basic ${btoa("job:hush")}`);
    const post = await run(
      { clientId: "job", clientSecret: "hush" },
      { token_endpoint_auth_methods_supported: ["client_secret_post"] },
    );
    assert.equal(post.rig.sent[0]?.headers.has("authorization"), false);
    assert.equal(post.rig.sent[0]?.form.get("client_secret"), "hush");
  });

  it("signs an assertion for the issuer, and leaves the client id out of the body [X-CC-005] [X-CC-006] [X-CC-007]", async () => {
    const { rig } = await run({ clientId: "job", privateKey: pem, algorithm: "ES256", keyId: "k1" });
    const [{ form }] = rig.sent as [Sent];
    const assertion = form.get("client_assertion") ?? "";
    assert.equal(form.get("client_assertion_type"), "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    assert.equal(form.has("client_id"), false);
    const { iss, sub, aud, exp, iat, jti } = decodeJwt(assertion);
    assert.deepEqual({ iss, sub, aud }, { iss: "job", sub: "job", aud: "https://as.example" });
    assert.ok(exp !== undefined && iat !== undefined && exp > iat && jti);
    assert.deepEqual(decodeProtectedHeader(assertion), { alg: "ES256", kid: "k1" });
  });

  it("sends nothing where the server does not take the key's algorithm [X-CC-007]", async () => {
    const changes = { token_endpoint_auth_signing_alg_values_supported: ["RS256"] };
    const { rig, error } = await run({ clientId: "job", privateKey: pem, algorithm: "ES256" }, changes);
    assert.ok(error instanceof AuthorizationError && /ES256/.test(error.message));
    assert.equal(rig.sent.length, 0);
  });

  it("sends credentials to no other issuer than theirs, and names both [M-AUTH-012]", async () => {
    const { rig, error } = await run({ clientId: "job", clientSecret: "hush", issuer: "https://other.example" });
    assert.ok(error instanceof AuthorizationError);
    assert.match(error.message, /https:\/\/other\.example.*https:\/\/as\.example/);
    assert.equal(rig.sent.length, 0);
  });

  it("belongs to the first issuer that it meets, where none is configured [M-AUTH-012]", async () => {
    const other = "https://other.example";
    const rig = createGrantRig({ [token]: giveToken, [`${other}/token`]: giveToken });
    const grant = clientCredentials({ clientId: "job", clientSecret: "hush" });
    await grant.obtain(toTokenRequest(toDiscovery()), rig.context);
    const moved = toTokenRequest(toDiscovery({}, "https://mcp.example/mcp", other));
    await assert.rejects(grant.obtain(moved, rig.context), /https:\/\/as\.example.*https:\/\/other\.example/);
    assert.deepEqual(
      rig.sent.map(({ url }) => url),
      [token],
    );
  });

  it("proves who it is where it revokes a token, too", async () => {
    const revoke = "https://as.example/revoke";
    const rig = createGrantRig({ [token]: giveToken, [revoke]: () => new Response("") });
    const grant = clientCredentials({ clientId: "job", clientSecret: "hush" });
    const request = toTokenRequest(toDiscovery({ revocation_endpoint: revoke }));
    const tokens = await grant.obtain(request, rig.context);
    await grant.revoke?.({ ...request, tokens }, rig.context);
    assert.equal(rig.sent[1]?.headers.get("authorization"), `Basic ${btoa("job:hush")}`);
    assert.equal(rig.sent[1]?.form.get("token"), "at-1");
  });

  it("reports refusals as they come, after one request [X-CC-012]", async () => {
    for (const code of ["invalid_client", "invalid_scope"]) {
      const { rig, error } = await run({ clientId: "job", clientSecret: "hush" }, {}, () =>
        toJson({ error: code }, 400),
      );
      assert.ok(error instanceof AuthorizationError);
      assert.equal(error.oauthError, code);
      assert.equal(rig.sent.length, 1);
    }
  });

  it("keeps secrets and keys out of errors, records and addresses [X-CC-013]", async () => {
    const echo: Answer = ({ form, headers }) =>
      toJson(
        {
          error: "invalid_client",
          error_description: `${headers.get("authorization")} ${[...form.values()].join(" ")}`,
        },
        401,
      );
    for (const options of [
      { clientId: "job", clientSecret: "hush-hush" },
      { clientId: "job", clientSecret: "hush-hush", tokenEndpointAuthMethod: "client_secret_post" },
      { clientId: "job", privateKey: pem, algorithm: "ES256" },
    ]) {
      const { rig, error } = await run(options, {}, echo);
      assert.ok(error instanceof AuthorizationError);
      const [{ form, url }] = rig.sent as [Sent];
      const shown = `${error.message}${rig.steps()}${JSON.stringify(rig.diagnostics)}${await rig.stored()}${url}`;
      for (const secret of ["hush-hush", btoa("job:hush-hush"), form.get("client_assertion") ?? "hush-hush", pem]) {
        assert.ok(!shown.includes(secret));
      }
    }
  });

  it("refuses options that contradict each other", () => {
    for (const options of [
      { clientId: "job" },
      { clientId: "", clientSecret: "hush" },
      { clientId: "job", clientSecret: "hush", privateKey: pem, algorithm: "ES256" },
      { clientId: "job", privateKey: pem },
      { clientId: "", clientSecret: "s" },
      JSON.parse('{ "clientSecret": "s" }'),
      { clientId: "job", privateKey: pem, algorithm: "HS256" },
    ]) {
      assert.throws(() => clientCredentials(options), UsageError);
    }
  });

  it("revokes tokens as the client that they belong to, and at its own server only [M-AUTH-012]", async () => {
    const rig = createGrantRig({ [token]: giveToken, [revoke]: () => new Response("") });
    const grant = clientCredentials({ clientId: "job", clientSecret: "s", issuer: "https://as.example" });
    const discovery = toDiscovery({ revocation_endpoint: revoke });
    const { signal } = new AbortController();
    const tokens = await grant.obtain(toTokenRequest(discovery), rig.context);
    await grant.revoke?.({ discovery, tokens, signal }, rig.context);
    const [, sent] = rig.sent;
    assert.deepEqual([sent?.url, sent?.form.get("token")], [revoke, "at-1"]);
    assert.equal(sent?.headers.get("authorization"), `Basic ${Buffer.from("job:s").toString("base64")}`);
    const evil = toDiscovery({ revocation_endpoint: revoke }, undefined, "https://evil.example");
    await assert.rejects(
      async () => grant.revoke?.({ discovery: evil, tokens, signal }, rig.context),
      AuthorizationError,
    );
    assert.equal(rig.sent.length, 2);
  });
});
