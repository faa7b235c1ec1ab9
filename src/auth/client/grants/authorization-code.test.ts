import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import {
  type Answer,
  agree,
  createGrantRig,
  createPerson,
  type GrantRig,
  type Sent,
  toDiscovery,
  toJson,
  toTokenRequest,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { createDeferred } from "../../../base/deferred.ts";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError, AuthorizationRequiredError } from "../../../protocol/authorization-errors.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { type AuthorizationCodeOptions, authorizationCode } from "./authorization-code.ts";

const client = { clientName: "Notes" };
const preregistered = [{ issuer: "https://as.example", clientId: "c1", clientSecret: "secret-1" }];
const redirectUri = "https://app.example/cb";

const giveTokens: Answer = () => toJson({ access_token: "at-1", token_type: "Bearer", refresh_token: "rt-1" });

function createRig(more: Readonly<Record<string, Answer>> = {}): GrantRig {
  return createGrantRig({ "https://as.example/token": giveTokens, ...more });
}

function tokenRequests({ sent }: GrantRig): Sent[] {
  return sent.filter(({ url }) => url.endsWith("/token"));
}

async function failure(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.then(
    () => assert.fail("expected a rejection"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

async function sendAway(
  grant: ReturnType<typeof authorizationCode>,
  rig: GrantRig,
  discovery = toDiscovery(),
): Promise<URL> {
  const error = await grant.obtain(toTokenRequest(discovery), rig.context).catch((reason: unknown) => reason);
  assert.ok(error instanceof AuthorizationRequiredError, String(error));
  return new URL(error.url);
}

describe("authorizationCode with a user agent", () => {
  it("trades the code for tokens with the verifier of the challenge [AUTH-045] [AUTHDRAFT-022]", async () => {
    const rig = createRig();
    const person = createPerson(agree);
    const grant = authorizationCode({ client, userAgent: person, preregistered });
    const tokens = await grant.obtain(toTokenRequest(toDiscovery(), { scopes: ["a"] }), rig.context);
    assert.equal(tokens.accessToken, "at-1");
    assert.deepEqual(tokens.requestedScopes, ["a"]);
    const [{ form }] = tokenRequests(rig) as [Sent];
    assert.equal(form.get("grant_type"), "authorization_code");
    assert.equal(form.get("code"), "code-1");
    assert.equal(form.get("redirect_uri"), "http://127.0.0.1:4000/callback");
    assert.equal(form.get("resource"), "https://mcp.example/mcp");
    const hash = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    assert.equal(person.pages[0]?.searchParams.get("code_challenge"), hash);
    assert.equal(person.open, 0);
  });

  it("opens no browser where the server does not announce S256 [AUTH-046] or its page is no address for one [SEC-024]", async () => {
    for (const changes of [
      { code_challenge_methods_supported: undefined },
      { authorization_endpoint: "javascript:alert(1)" },
    ]) {
      const rig = createRig();
      const person = createPerson(agree);
      const grant = authorizationCode({ client, userAgent: person, preregistered });
      await failure(grant.obtain(toTokenRequest(toDiscovery(changes)), rig.context));
      assert.deepEqual([person.pages.length, person.open, rig.sent.length], [0, 0, 0]);
    }
  });

  it("asks no token endpoint after an answer with a wrong state or issuer [AUTH-050] [M-AUTH-002] [M-AUTH-005]", async () => {
    for (const change of [{ state: "other" }, { iss: "https://evil.example" }]) {
      const rig = createRig();
      const person = createPerson((page) => ({ ...agree(page), ...change }));
      await failure(
        authorizationCode({ client, userAgent: person, preregistered }).obtain(
          toTokenRequest(toDiscovery()),
          rig.context,
        ),
      );
      assert.equal(rig.sent.length, 0);
      assert.match(rig.steps(), /"failed"/);
    }
  });

  it("checks each of two logins at once against its own issuer [M-AUTH-001]", async () => {
    const both = createDeferred();
    let arrived = 0;
    const answer = async (page: URL, iss: string) => {
      arrived += 1;
      if (arrived === 2) both.resolve();
      await both.promise;
      return { ...agree(page), iss };
    };
    const discoveries = ["one", "two"].map((name) =>
      toDiscovery({}, `https://mcp-${name}.example/mcp`, `https://as-${name}.example`),
    ) as [Discovery, Discovery];
    const rig = createRig({ "https://as-one.example/token": giveTokens, "https://as-two.example/token": giveTokens });
    const ids = ["one", "two"].map((name) => ({ issuer: `https://as-${name}.example`, clientId: name }));
    const grants = [
      authorizationCode({ client, preregistered: ids, userAgent: createPerson((page) => answer(page, page.origin)) }),
      authorizationCode({
        client,
        preregistered: ids,
        userAgent: createPerson((page) => answer(page, "https://as-one.example")),
      }),
    ] as const;
    const outcomes = await Promise.allSettled([
      grants[0].obtain(toTokenRequest(discoveries[0]), rig.context),
      grants[1].obtain(toTokenRequest(discoveries[1]), rig.context),
    ]);
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ["fulfilled", "rejected"],
    );
    assert.deepEqual(
      rig.sent.map(({ url }) => url),
      ["https://as-one.example/token"],
    );
  });

  it("tells a person's refusal, and leaves no login behind", async () => {
    const rig = createRig();
    const person = createPerson((page) => ({ error: "access_denied", state: agree(page).state ?? "" }));
    const grant = authorizationCode({ client, userAgent: person, preregistered });
    const error = await failure(grant.obtain(toTokenRequest(toDiscovery()), rig.context));
    assert.equal(error.oauthError, "access_denied");
    assert.equal(await rig.context.credentials.findPending("https://mcp.example/mcp"), undefined);
  });

  it("never sends a code twice, and reports a static client's refusal as it came [PP-094]", async () => {
    const refuse: Answer = () => toJson({ error: "invalid_client", error_description: "unknown client" }, 401);
    const register: Answer = () => toJson({ client_id: "dyn-1" }, 201);
    const cases: Pick<AuthorizationCodeOptions, "preregistered">[] = [{ preregistered }, {}];
    for (const options of cases) {
      const rig = createRig({ "https://as.example/token": refuse, "https://as.example/register": register });
      const person = createPerson(agree);
      const grant = authorizationCode({ client, userAgent: person, ...options });
      const error = await failure(grant.obtain(toTokenRequest(toDiscovery()), rig.context));
      assert.equal(error.oauthError, "invalid_client");
      assert.match(error.message, /unknown client/);
      assert.equal(tokenRequests(rig).length, 1);
      assert.equal(person.pages.length, 1);
    }
  });

  it("registers anew once where the login page no longer knows a client that registered itself [PP-094]", async () => {
    let registrations = 0;
    const register: Answer = () => toJson({ client_id: `dyn-${++registrations}` }, 201);
    for (const knowsSecond of [true, false]) {
      registrations = 0;
      const rig = createRig({ "https://as.example/register": register });
      const person = createPerson((page) => {
        const isKnown = knowsSecond && page.searchParams.get("client_id") === "dyn-2";
        return isKnown ? agree(page) : { error: "invalid_client", state: agree(page).state ?? "" };
      });
      const outcome = authorizationCode({ client, userAgent: person }).obtain(
        toTokenRequest(toDiscovery()),
        rig.context,
      );
      if (knowsSecond) {
        assert.equal((await outcome).clientId, "dyn-2");
      } else {
        assert.equal((await failure(outcome)).oauthError, "invalid_client");
      }
      assert.equal(registrations, 2);
      assert.equal(person.pages.length, 2);
    }
  });

  it("keeps code, verifier, secret and tokens out of errors and the record", async () => {
    const echo: Answer = ({ form }) =>
      toJson({ error: "invalid_grant", error_description: [...form.values()].join(" ") }, 400);
    const rig = createRig({ "https://as.example/token": echo });
    const grant = authorizationCode({ client, userAgent: createPerson(agree), preregistered });
    const error = await failure(grant.obtain(toTokenRequest(toDiscovery()), rig.context));
    const [{ form }] = tokenRequests(rig) as [Sent];
    const shown = `${error.message}${rig.steps()}${JSON.stringify(rig.diagnostics)}`;
    for (const secret of ["code-1", form.get("code_verifier") ?? "?", "secret-1"]) {
      assert.ok(!shown.includes(secret), secret);
    }
  });
});

describe("authorizationCode with an address of the application's own", () => {
  it("says where to send the person, and ends the login with what comes back", async () => {
    const rig = createRig();
    const grant = authorizationCode({ client, redirectUri, preregistered });
    const page = await sendAway(grant, rig);
    const answer = `${redirectUri}?${new URLSearchParams(agree(page))}`;
    const { server, tokens } =
      (await grant.complete?.(answer, async () => toDiscovery(), rig.context, new AbortController().signal)) ??
      assert.fail();
    assert.equal(server, "https://mcp.example/mcp");
    assert.equal(tokens.accessToken, "at-1");
  });

  it("uses an answer once: replayed, late and unknown states are refused [AUTH-050]", async () => {
    const rig = createRig();
    const grant = authorizationCode({ client, redirectUri, preregistered, loginTimeoutMs: 1_000 });
    const complete = (query: Record<string, string>) =>
      grant.complete?.(
        `${redirectUri}?${new URLSearchParams(query)}`,
        async () => toDiscovery(),
        rig.context,
        new AbortController().signal,
      ) ?? assert.fail();
    const page = await sendAway(grant, rig);
    await failure(complete({ code: "c", state: "unknown" }));
    await failure(complete({ code: "c" }));
    await complete(agree(page));
    await failure(complete(agree(page)));
    assert.equal(tokenRequests(rig).length, 1);
    const late = await sendAway(grant, rig);
    await rig.clock.advance(1_001);
    await failure(complete(agree(late)));
    assert.equal(tokenRequests(rig).length, 1);
  });

  it("refuses the answer where the server has moved to another issuer or resource meanwhile [M-AUTH-001]", async () => {
    for (const moved of [toDiscovery({}, undefined, "https://other.example"), toDiscovery({}, "https://mcp.example")]) {
      const rig = createRig();
      const grant = authorizationCode({ client, redirectUri, preregistered });
      const answer = `${redirectUri}?${new URLSearchParams(agree(await sendAway(grant, rig)))}`;
      await failure(
        grant.complete?.(answer, async () => moved, rig.context, new AbortController().signal) ?? assert.fail(),
      );
      assert.equal(rig.sent.length, 0);
    }
  });
});

describe("authorizationCode's renewal", () => {
  it("forgets a client that registered itself and is no longer known, and only that [PP-094]", async () => {
    const refuse: Answer = ({ form }) =>
      form.get("grant_type") === "refresh_token"
        ? toJson({ error: "invalid_client" }, 401)
        : toJson({ access_token: "at", token_type: "Bearer", refresh_token: "rt" });
    const rig = createRig({
      "https://as.example/token": refuse,
      "https://as.example/register": () => toJson({ client_id: "dyn-1" }, 201),
    });
    const grant = authorizationCode({ client, userAgent: createPerson(agree) });
    const discovery = toDiscovery();
    const { refreshToken = "", ...tokens } = await grant.obtain(toTokenRequest(discovery), rig.context);
    const request = { discovery, tokens: { ...tokens, refreshToken }, signal: new AbortController().signal };
    assert.ok(await rig.context.credentials.findRegistration("https://as.example"));
    assert.equal((await failure(grant.renew?.(request, rig.context) ?? assert.fail())).oauthError, "invalid_client");
    assert.equal(await rig.context.credentials.findRegistration("https://as.example"), undefined);
    assert.equal((await failure(grant.renew?.(request, rig.context) ?? assert.fail())).stage, "refresh");
  });
});

describe("authorizationCode's options", () => {
  it("are refused where they contradict each other or the protocol [AUTH-048]", () => {
    for (const options of [
      { client },
      { client, redirectUri, userAgent: createPerson(agree) },
      { client, redirectUri: "http://example.com/cb" },
      { client, redirectUri, loginTimeoutMs: 0 },
      { client: { clientName: " " }, redirectUri },
      JSON.parse(`{ "client": {}, "redirectUri": "${redirectUri}" }`),
      JSON.parse(`{ "redirectUri": "${redirectUri}" }`),
      { client, redirectUri, extraParameters: { state: "mine" } },
    ]) {
      assert.throws(() => authorizationCode(options), UsageError);
    }
  });
});
