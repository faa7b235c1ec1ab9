import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { createGrantRig, startMs, toDiscovery, toTokenRequest } from "../../../../test/fixtures/auth/grant-rig.ts";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { assertExtraParameters, createLogin, type LoginOptions } from "./authorization-request.ts";

const { context } = createGrantRig();

function toOptions(more: Partial<LoginOptions> = {}): LoginOptions {
  return {
    request: toTokenRequest(toDiscovery()),
    clientId: "client-1",
    redirectUri: "http://127.0.0.1:4000/callback",
    timeoutMs: 60_000,
    ...more,
  };
}

async function parametersOf(options: LoginOptions, inContext = context): Promise<Record<string, string>> {
  return Object.fromEntries(new URL((await createLogin(options, inContext)).url).searchParams);
}

async function refuses(options: LoginOptions, expected: RegExp): Promise<void> {
  await assert.rejects(
    () => createLogin(options, context),
    (error) => error instanceof AuthorizationError && error.stage === "authorization" && expected.test(error.message),
  );
}

describe("createLogin", () => {
  it("asks for a code with the hash of a verifier that it keeps to itself [AUTH-045]", async () => {
    const login = await createLogin(toOptions(), context);
    const { searchParams } = new URL(login.url);
    assert.equal(searchParams.get("response_type"), "code");
    assert.equal(searchParams.get("code_challenge_method"), "S256");
    const hash = createHash("sha256").update(login.codeVerifier).digest("base64url");
    assert.equal(searchParams.get("code_challenge"), hash);
    assert.ok(!login.url.includes(login.codeVerifier));
  });

  it("gives every login a state and a verifier of its own [AUTH-050]", async () => {
    const logins = await Promise.all([createLogin(toOptions(), context), createLogin(toOptions(), context)]);
    assert.equal(new Set(logins.map(({ state }) => state)).size, 2);
    assert.equal(new Set(logins.map(({ codeVerifier }) => codeVerifier)).size, 2);
    for (const { url, state } of logins) {
      assert.equal(new URL(url).searchParams.get("state"), state);
    }
  });

  it("keeps the issuer beside state and verifier [M-AUTH-001]", async () => {
    const { issuer, resource, clientId, redirectUri, expiresAtMs, isOpened } = await createLogin(toOptions(), context);
    assert.deepEqual(
      { issuer, resource, clientId, redirectUri, expiresAtMs, isOpened },
      {
        issuer: "https://as.example",
        resource: "https://mcp.example/mcp",
        clientId: "client-1",
        redirectUri: "http://127.0.0.1:4000/callback",
        expiresAtMs: startMs + 60_000,
        isOpened: false,
      },
    );
  });

  it("sends the resource byte for byte [PP-097]", async () => {
    for (const resource of [
      "https://mcp.example",
      "https://mcp.example/",
      "https://MCP.example:443/%7ea",
      "urn:a:b c",
    ]) {
      const request = toTokenRequest(toDiscovery({}, resource));
      assert.equal((await parametersOf(toOptions({ request }))).resource, resource);
    }
  });

  it("leaves the resource out where the server rejects it [PP-098]", async () => {
    const parameters = await parametersOf(toOptions(), { ...context, sendsResource: false });
    assert.ok(!("resource" in parameters));
  });

  it("leaves out what is not asked for", async () => {
    assert.deepEqual(Object.keys(await parametersOf(toOptions())).sort(), [
      "client_id",
      "code_challenge",
      "code_challenge_method",
      "redirect_uri",
      "resource",
      "response_type",
      "state",
    ]);
  });

  it("asks for scopes, a strength and an age of the user's authentication, and a prompt", async () => {
    const request = toTokenRequest(toDiscovery(), { scopes: ["a", "b"], acrValues: "gold silver", maxAge: 0 });
    const parameters = await parametersOf(toOptions({ request, prompt: "login" }));
    assert.equal(parameters.scope, "a b");
    assert.equal(parameters.acr_values, "gold silver");
    assert.equal(parameters.max_age, "0");
    assert.equal(parameters.prompt, "login");
  });

  it("asks for consent where it asks for access while the person is away", async () => {
    const request = toTokenRequest(toDiscovery(), { scopes: ["a", "offline_access"] });
    assert.equal((await parametersOf(toOptions({ request }))).prompt, "consent");
    assert.equal((await parametersOf(toOptions({ request, prompt: "login" }))).prompt, "login");
  });

  it("keeps the query that the endpoint has, and takes no protocol parameter from it", async () => {
    const authorization_endpoint = "https://as.example/authorize?tenant=a%26b&state=fixed&client_id=theirs";
    const login = await createLogin(
      toOptions({ request: toTokenRequest(toDiscovery({ authorization_endpoint })) }),
      context,
    );
    const { searchParams } = new URL(login.url);
    assert.deepEqual(searchParams.getAll("tenant"), ["a&b"]);
    assert.deepEqual(searchParams.getAll("state"), [login.state]);
    assert.deepEqual(searchParams.getAll("client_id"), ["client-1"]);
  });

  it("refuses a server that does not announce S256 [AUTH-046]", async () => {
    for (const methods of [undefined, [], ["plain"]]) {
      const discovery = toDiscovery({ code_challenge_methods_supported: methods });
      await refuses(toOptions({ request: toTokenRequest(discovery) }), /S256/);
    }
  });

  it("refuses an endpoint that no browser may be sent to [SEC-024]", async () => {
    for (const authorization_endpoint of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "vbscript:x",
      "http://as.example/authorize",
      undefined,
    ]) {
      const discovery = toDiscovery({ authorization_endpoint });
      await refuses(toOptions({ request: toTokenRequest(discovery) }), /authorization_endpoint/);
    }
  });

  it("refuses a redirect URI that is neither https nor loopback [AUTH-048]", async () => {
    await refuses(toOptions({ redirectUri: "http://example.com/cb" }), /redirect URI/);
    await createLogin(toOptions({ redirectUri: "https://app.example/cb" }), context);
  });

  it("adds what a particular server wants besides", async () => {
    const parameters = await parametersOf(toOptions({ extraParameters: { audience: "api" } }));
    assert.equal(parameters.audience, "api");
  });
});

describe("assertExtraParameters", () => {
  it("refuses parameters of the protocol", () => {
    for (const name of ["state", "redirect_uri", "code_challenge", "resource", "client_id", "scope"]) {
      assert.throws(() => assertExtraParameters({ [name]: "x" }), UsageError);
    }
    assertExtraParameters({ audience: "api", login_hint: "ann" });
  });
});
