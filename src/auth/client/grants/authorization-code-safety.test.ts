import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Answer,
  agree,
  createGrantRig,
  createPerson,
  type GrantRig,
  toDiscovery,
  toJson,
  toTokenRequest,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { AuthorizationError, AuthorizationRequiredError } from "../../../protocol/authorization-errors.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { Grant } from "../grant.ts";
import type { UserAgent } from "../login/user-agent.ts";
import { type AuthorizationCodeOptions, authorizationCode } from "./authorization-code.ts";

const client = { clientName: "Notes" };
const preregistered = [{ issuer: "https://as.example", clientId: "c1", clientSecret: "secret-1" }];
const redirectUri = "https://app.example/cb";
const { signal } = new AbortController();

const giveTokens: Answer = () => toJson({ access_token: "at-1", token_type: "Bearer", refresh_token: "rt-1" });

function createRig(more: Readonly<Record<string, Answer>> = {}): GrantRig {
  return createGrantRig({
    "https://as.example/token": giveTokens,
    "https://as.example/register": () => toJson({ client_id: "dyn-1" }, 201),
    ...more,
  });
}

async function failure(promise: Promise<unknown> | undefined): Promise<AuthorizationError> {
  const error = await promise?.catch((reason: unknown) => reason);
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

async function sendAway(grant: Grant, rig: GrantRig): Promise<URL> {
  const error = await grant.obtain(toTokenRequest(toDiscovery()), rig.context).catch((reason: unknown) => reason);
  assert.ok(error instanceof AuthorizationRequiredError, String(error));
  return new URL(error.url);
}

function complete(
  grant: Grant,
  rig: GrantRig,
  answer: string,
  discover: () => Promise<Discovery> = async () => toDiscovery(),
) {
  return grant.complete?.(answer, discover, rig.context, signal) ?? assert.fail();
}

function toAnswer(page: URL, more: Readonly<Record<string, string>> = {}): string {
  return `${redirectUri}?${new URLSearchParams({ ...agree(page), ...more })}`;
}

describe("authorizationCode, before anybody is asked", () => {
  it("registers nowhere that a login would be of no use [AUTH-046]", async () => {
    for (const change of [
      { code_challenge_methods_supported: undefined },
      { code_challenge_methods_supported: ["plain"] },
      { authorization_endpoint: undefined },
    ]) {
      const rig = createRig();
      const person = createPerson(agree);
      for (const way of [{ userAgent: person }, { redirectUri }]) {
        await failure(authorizationCode({ client, ...way }).obtain(toTokenRequest(toDiscovery(change)), rig.context));
      }
      assert.deepEqual([rig.sent.length, person.pages.length, person.open], [0, 0, 0]);
    }
  });

  it("opens no page where the server does not take the client's proof", async () => {
    const rig = createRig();
    const person = createPerson(agree);
    const methods = { token_endpoint_auth_methods_supported: ["tls_client_auth"] };
    for (const way of [{ userAgent: person }, { redirectUri }]) {
      const grant = authorizationCode({ client, preregistered, ...way });
      const error = await failure(grant.obtain(toTokenRequest(toDiscovery(methods)), rig.context));
      assert.match(error.message, /takes only "tls_client_auth"/);
    }
    assert.deepEqual([rig.sent.length, person.pages.length, person.open], [0, 0, 0]);
  });

  it("asks for a redirect URI of the issuer's own where the client registers itself, and only there", async () => {
    const cases: readonly [Partial<AuthorizationCodeOptions>, string | undefined][] = [
      [{}, "https://as.example"],
      [{ preregistered }, undefined],
      [{ clientIdUrl: "https://app.example/client.json" }, undefined],
    ];
    for (const [options, expected] of cases) {
      const rig = createRig();
      const issuers: (string | undefined)[] = [];
      const person = createPerson(agree);
      const userAgent: UserAgent = {
        prepare: (giveUp, { issuer } = {}) => {
          issuers.push(issuer);
          return person.prepare(giveUp);
        },
      };
      const discovery = toDiscovery({ client_id_metadata_document_supported: true });
      await authorizationCode({ client, userAgent, ...options }).obtain(toTokenRequest(discovery), rig.context);
      assert.deepEqual(issuers, [expected]);
    }
  });
});

describe("authorizationCode with an address of the application's own", () => {
  it("gives nobody the login that somebody else began [AUTH-050]", async () => {
    const rig = createRig();
    const grant = authorizationCode({ client, redirectUri, preregistered });
    const pages = [await sendAway(grant, rig), await sendAway(grant, rig)] as const;
    for (const name of ["state", "code_challenge"]) {
      assert.notEqual(pages[0].searchParams.get(name), pages[1].searchParams.get(name));
    }
    for (const page of pages) {
      assert.equal((await complete(grant, rig, toAnswer(page))).tokens.accessToken, "at-1");
    }
  });

  it("keeps the login where an answer came to another address or from another issuer", async () => {
    const rig = createRig();
    const grant = authorizationCode({ client, redirectUri, preregistered });
    const page = await sendAway(grant, rig);
    for (const wrong of [
      toAnswer(page).replace("https:", "http:"),
      toAnswer(page).replace("/cb?", "/cb/other?"),
      toAnswer(page, { iss: "https://evil.example" }),
    ]) {
      await failure(complete(grant, rig, wrong));
    }
    assert.equal(rig.sent.length, 0);
    assert.equal((await complete(grant, rig, toAnswer(page))).tokens.accessToken, "at-1");
    await failure(complete(grant, rig, toAnswer(page)));
  });

  it("keeps the login where the server cannot be found out about just now", async () => {
    const rig = createRig();
    const grant = authorizationCode({ client, redirectUri, preregistered });
    const page = await sendAway(grant, rig);
    const down = new AuthorizationError("out of reach", { stage: "server-metadata", isTransient: true });
    await assert.rejects(
      complete(grant, rig, toAnswer(page), () => Promise.reject(down)),
      down,
    );
    assert.equal((await complete(grant, rig, toAnswer(page))).tokens.accessToken, "at-1");
  });

  it("ends the login where the server refused it, and where its code was sent [PP-094]", async () => {
    const rig = createRig({ "https://as.example/token": () => toJson({ error: "invalid_grant" }, 400) });
    const grant = authorizationCode({ client, redirectUri, preregistered });
    const denied = await sendAway(grant, rig);
    const { state = "" } = agree(denied);
    const refusal = `${redirectUri}?${new URLSearchParams({ error: "access_denied", state })}`;
    assert.equal((await failure(complete(grant, rig, refusal))).oauthError, "access_denied");
    assert.match((await failure(complete(grant, rig, toAnswer(denied)))).message, /no login that is in progress/);
    const spent = await sendAway(grant, rig);
    await failure(complete(grant, rig, toAnswer(spent)));
    await failure(complete(grant, rig, toAnswer(spent)));
    assert.equal(rig.sent.length, 1);
  });

  it("gives the tokens to one of several that bring the same answer at once [AUTH-050]", async () => {
    const rig = createRig();
    const grant = authorizationCode({ client, redirectUri, preregistered });
    const answer = toAnswer(await sendAway(grant, rig));
    const outcomes = await Promise.allSettled([1, 2, 3].map(() => complete(grant, rig, answer)));
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
    assert.equal(rig.sent.length, 1);
  });
});

describe("authorizationCode's revocation", () => {
  it("is done as the client that the tokens were issued to", async () => {
    const endpoint = "https://as.example/revoke";
    const rig = createRig({ [endpoint]: () => new Response("") });
    const grant = authorizationCode({ client, userAgent: createPerson(agree), preregistered });
    const discovery = toDiscovery({ revocation_endpoint: endpoint });
    const tokens = await grant.obtain(toTokenRequest(discovery), rig.context);
    await grant.revoke?.({ discovery, tokens, signal }, rig.context);
    const sent = rig.sent.find(({ url }) => url === endpoint);
    assert.equal(sent?.form.get("token"), "rt-1");
    assert.equal(sent?.headers.get("authorization"), `Basic ${Buffer.from("c1:secret-1").toString("base64")}`);
  });
});
