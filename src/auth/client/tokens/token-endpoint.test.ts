import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClientSecretPost, None } from "oauth4webapi";
import {
  type Answer,
  createGrantRig,
  type GrantRig,
  toDiscovery,
  toJson,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { FetchFailure } from "../../fetch.ts";
import type { Registration, TokenSet } from "../storage/credential.ts";
import { chooseClientAuth } from "./client-auth.ts";
import { renewTokens, requestTokens, type TokenExchange } from "./token-endpoint.ts";

const issuer = "https://as.example";
const endpoint = `${issuer}/token`;
const good = { access_token: "at-1", token_type: "Bearer" };

function toExchange(more: Partial<TokenExchange> = {}): TokenExchange {
  return {
    discovery: toDiscovery(),
    clientId: "client-1",
    clientAuth: None(),
    grantType: "authorization_code",
    parameters: { code: "code-1", code_verifier: "verifier-1", redirect_uri: "http://127.0.0.1:1/cb" },
    scopes: ["a", "b"],
    stage: "token",
    signal: new AbortController().signal,
    ...more,
  };
}

function answering(...answers: Answer[]): GrantRig {
  let count = 0;
  return createGrantRig({
    [endpoint]: (sent) => {
      count += 1;
      return (answers[Math.min(count, answers.length) - 1] as Answer)(sent);
    },
  });
}

async function failureOf(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

describe("requestTokens", () => {
  it("sends the resource byte for byte, whatever the server says of it [AUTH-041] [AUTH-042] [PP-097]", async () => {
    for (const resource of ["https://mcp.example", "https://mcp.example/", "https://MCP.example/a%2fb"]) {
      const rig = answering(() => toJson(good));
      const tokens = await requestTokens(toExchange({ discovery: toDiscovery({}, resource) }), rig.context);
      assert.deepEqual(rig.sent[0]?.form.getAll("resource"), [resource]);
      assert.equal(tokens.resource, resource);
    }
  });

  it("leaves the resource out where that is configured", async () => {
    const rig = answering(() => toJson(good));
    await requestTokens(toExchange(), { ...rig.context, sendsResource: false });
    assert.equal(rig.sent[0]?.form.has("resource"), false);
  });

  it("sends the grant with the client's authentication and nothing besides", async () => {
    const rig = answering(() => toJson(good));
    await requestTokens(toExchange(), rig.context);
    assert.equal(rig.sent[0]?.method, "POST");
    assert.equal(rig.sent[0]?.headers.get("accept"), "application/json");
    assert.match(rig.sent[0]?.headers.get("content-type") ?? "", /^application\/x-www-form-urlencoded/);
    assert.deepEqual(Object.fromEntries(rig.sent[0]?.form ?? []), {
      grant_type: "authorization_code",
      client_id: "client-1",
      code: "code-1",
      code_verifier: "verifier-1",
      redirect_uri: "http://127.0.0.1:1/cb",
      resource: "https://mcp.example/mcp",
    });
  });

  it("counts the lifetime from when the answer arrives [PP-091]", async () => {
    const rig = createGrantRig({
      [endpoint]: async () => {
        await rig.clock.advance(5_000);
        return toJson({ ...good, expires_in: 60 });
      },
    });
    const { receivedAtMs, expiresAtMs } = await requestTokens(toExchange(), rig.context);
    assert.equal(receivedAtMs, rig.clock.now());
    assert.equal(expiresAtMs, rig.clock.now() + 60_000);
  });

  it("reports a refusal with the server's own words, its stage and issuer", async () => {
    const rig = answering(() => toJson({ error: "invalid_grant", error_description: "code\u0000 was\nused" }, 400));
    const error = await failureOf(requestTokens(toExchange(), rig.context));
    assert.equal(error.oauthError, "invalid_grant");
    assert.deepEqual([error.stage, error.issuer, error.isTransient], ["token", issuer, false]);
    assert.match(
      error.message,
      /https:\/\/as\.example\/token: answered 400 invalid_grant \(code was used\); .*new login/,
    );
    assert.match(rig.steps(), /"outcome":"failed".*invalid_grant/);
    assert.equal(rig.sent.length, 1);
  });

  it("keeps what it sent out of errors and record, even if the server repeats it [AUTH-056] [X-CC-013]", async () => {
    const registration: Registration = {
      kind: "preregistered",
      issuer,
      clientId: "client-1",
      clientSecret: "hush hush",
      redirectUris: [],
    };
    const basic = chooseClientAuth(toDiscovery().server, registration).authenticate;
    const echo: Answer = ({ form, headers }) => {
      const basicText = Buffer.from(headers.get("authorization")?.slice(6) ?? "", "base64").toString();
      const said = `${form} ${[...form.values()].join(" ")} ${headers.get("authorization")} ${basicText} hush hush`;
      return toJson({ error: "invalid_request", error_description: said }, 400);
    };
    for (const clientAuth of [basic, ClientSecretPost("hush hush")]) {
      for (const name of ["code", "code_verifier", "assertion", "refresh_token", "subject_token", "new_thing"]) {
        const rig = answering(echo);
        const error = await failureOf(
          requestTokens(toExchange({ clientAuth, parameters: { [name]: "tell/no one" } }), rig.context),
        );
        for (const text of [error.message, String(error.stack), rig.steps()]) {
          assert.doesNotMatch(text, /tell.{1,3}no.{1,3}one|hush.{1,3}hush|aHVzaCtodXNo/i);
          assert.match(text, /invalid_request/);
        }
      }
    }
  });

  it("keeps what it receives out of errors and record [AUTH-056]", async () => {
    const tokens = { access_token: "hush-1", refresh_token: "hush-2", id_token: "hush-3", token_type: "hush-4" };
    const answers: Answer[] = [
      () => toJson(tokens),
      () => toJson({ ...tokens, access_token: 7, token_type: "Bearer" }),
      () => toJson({ ...tokens, token_type: "DPoP" }),
      () => new Response(`{"access_token":"hush-1",`, { headers: { "content-type": "application/json" } }),
      () => new Response("access_token=hush-1&token_type=bearer"),
    ];
    for (const answer of answers) {
      const rig = answering(answer);
      const error = await failureOf(requestTokens(toExchange(), rig.context));
      assert.doesNotMatch(`${error.stack} ${rig.steps()}`, /hush/);
    }
    const rig = answering(() => toJson({ ...tokens, token_type: "Bearer" }));
    await requestTokens(toExchange(), rig.context);
    assert.doesNotMatch(rig.steps(), /hush/);
    assert.match(rig.steps(), /"outcome":"ok".*Bearer/);
  });

  it("is transient where the server fails or is out of reach, and only then", async () => {
    const answers: [Answer, boolean][] = [
      [() => new Response("", { status: 503 }), true],
      [() => toJson({ error: "temporarily_unavailable" }, 503), true],
      [() => new Response("", { status: 429 }), true],
      [() => new Response("", { status: 404 }), false],
      [() => Promise.reject(new FetchFailure("unreachable", endpoint, "no route")), true],
      [() => Promise.reject(new FetchFailure("timeout", endpoint, "too slow")), true],
      [() => Promise.reject(new FetchFailure("private-address", endpoint, "private")), false],
      [() => Promise.reject(new Error("odd")), false],
    ];
    for (const [answer, isTransient] of answers) {
      const rig = answering(answer);
      const error = await failureOf(requestTokens(toExchange({ stage: "refresh" }), rig.context));
      assert.equal(error.isTransient, isTransient, error.message);
      assert.equal(error.stage, "refresh");
    }
  });

  it("gives the signal's reason as it is", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const rig = answering(() => {
      controller.abort(reason);
      return Promise.reject(new DOMException("aborted", "AbortError"));
    });
    await assert.rejects(requestTokens(toExchange({ signal: controller.signal }), rig.context), (e) => e === reason);
  });

  it("sends nothing to a plain http address that is not on this machine", async () => {
    const rig = createGrantRig();
    await failureOf(
      requestTokens(toExchange({ discovery: toDiscovery({ token_endpoint: "http://as.example/token" }) }), rig.context),
    );
    assert.equal(rig.sent.length, 0);
  });
});

describe("renewTokens", () => {
  const tokens: TokenSet & { readonly refreshToken: string } = {
    issuer,
    resource: "https://mcp.example/mcp",
    clientId: "client-1",
    accessToken: "at-0",
    tokenType: "Bearer",
    refreshToken: "rt-0",
    receivedAtMs: 0,
    requestedScopes: ["a", "b"],
    grantedScopes: ["a"],
  };
  const registration: Registration = { kind: "dynamic", issuer, clientId: "client-1", redirectUris: [] };
  const renewal = {
    discovery: toDiscovery(),
    tokens,
    registration,
    clientAuth: None(),
    signal: new AbortController().signal,
  };

  it("sends the refresh token with the resource, and asks for no scope [AUTH-041] [PP-097]", async () => {
    const rig = answering(() => toJson(good));
    await renewTokens(renewal, rig.context);
    assert.deepEqual(Object.fromEntries(rig.sent[0]?.form ?? []), {
      grant_type: "refresh_token",
      client_id: "client-1",
      refresh_token: "rt-0",
      resource: "https://mcp.example/mcp",
    });
  });

  it("keeps the newest refresh token: the new one, else the one there was [AUTH-055]", async () => {
    const rotating = answering(() => toJson({ ...good, refresh_token: "rt-1" }));
    assert.equal((await renewTokens(renewal, rotating.context)).refreshToken, "rt-1");
    for (const answer of [good, { ...good, refresh_token: "" }]) {
      const rig = answering(() => toJson(answer));
      const renewed = await renewTokens(renewal, rig.context);
      assert.equal(renewed.refreshToken, "rt-0");
      assert.deepEqual([renewed.requestedScopes, renewed.grantedScopes], [["a", "b"], ["a"]]);
    }
  });

  it("shows tokens to no issuer and client but their own [M-AUTH-011]", async () => {
    const rig = answering(() => toJson(good));
    const elsewhere = { ...renewal, tokens: { ...tokens, issuer: "https://other.example" } };
    const asAnother = { ...renewal, registration: { ...registration, clientId: "client-2" } };
    for (const wrong of [elsewhere, asAnother]) {
      const error = await failureOf(renewTokens(wrong, rig.context));
      assert.equal(error.stage, "refresh");
      assert.doesNotMatch(error.message, /rt-0|at-0/);
    }
    assert.equal(rig.sent.length, 0);
  });
});
