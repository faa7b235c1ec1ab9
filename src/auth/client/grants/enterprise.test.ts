import assert from "node:assert/strict";
import { describe, it } from "node:test";
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
import { type EnterpriseManagedOptions, enterpriseManaged } from "./enterprise.ts";

const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const profile = "urn:ietf:params:oauth:grant-profile:id-jag";
const idpToken = "https://idp.example/token";
const asToken = "https://as.example/token";

const options: EnterpriseManagedOptions = {
  idp: { issuer: "https://idp.example", clientId: "at-idp", clientSecret: "idp-secret" },
  subjectToken: () => "id-token-1",
  client: { clientId: "at-as", clientSecret: "as-secret", issuer: "https://as.example" },
};

const answers: Readonly<Record<string, Answer>> = {
  "https://idp.example/.well-known/openid-configuration": () =>
    toJson({
      issuer: "https://idp.example",
      token_endpoint: idpToken,
      authorization_endpoint: "https://idp.example/a",
    }),
  [idpToken]: () => toJson({ access_token: "jag-1", issued_token_type: idJag, token_type: "N_A", expires_in: 60 }),
  [asToken]: () => toJson({ access_token: "at-1", token_type: "Bearer", expires_in: 60 }),
};

function createRun(
  changes: Partial<EnterpriseManagedOptions> = {},
  more: Readonly<Record<string, Answer>> = {},
  server = {},
) {
  const rig = createGrantRig({ ...answers, ...more });
  const grant = enterpriseManaged({ ...options, ...changes });
  const obtain = () => grant.obtain(toTokenRequest(toDiscovery(server), { scopes: ["a"] }), rig.context);
  const posts = () => rig.sent.filter(({ method }) => method === "POST");
  return { rig, grant, obtain, posts };
}

async function failure(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.catch((reason: unknown) => reason);
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

describe("enterpriseManaged", () => {
  it("trades the user's token for an assertion at the identity provider [X-EMA-003] [X-EMA-004] [X-EMA-005] [X-EMA-006]", async () => {
    const { obtain, posts } = createRun();
    await obtain();
    const [{ url, form, headers }] = posts() as [Sent];
    assert.equal(url, idpToken);
    assert.deepEqual(Object.fromEntries(form), {
      grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
      requested_token_type: idJag,
      subject_token: "id-token-1",
      subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
      audience: "https://as.example",
      resource: "https://mcp.example/mcp",
      scope: "a",
    });
    assert.equal(headers.get("authorization"), `Basic ${btoa("at-idp:idp-secret")}`);
  });

  it("trades the assertion for a token with the client's own credentials there, and sends nobody to a page [X-EMA-002] [X-EMA-008] [X-EMA-009]", async () => {
    const { obtain, posts } = createRun();
    const tokens = await obtain();
    assert.equal(tokens.accessToken, "at-1");
    assert.equal(tokens.clientId, "at-as");
    assert.deepEqual(
      posts().map(({ url }) => url),
      [idpToken, asToken],
    );
    const { form, headers } = posts()[1] as Sent;
    assert.equal(form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
    assert.equal(form.get("assertion"), "jag-1");
    assert.equal(headers.get("authorization"), `Basic ${btoa("at-as:as-secret")}`);
  });

  it("belongs to its extension, and asks no person of itself [X-EMA-001]", () => {
    const { grant } = createRun();
    assert.equal(grant.extension, "io.modelcontextprotocol/enterprise-managed-authorization");
    assert.equal(grant.isInteractive, false);
    const asking = Object.assign(() => "t", { isInteractive: true });
    assert.equal(createRun({ subjectToken: asking }).grant.isInteractive, true);
  });

  it("uses the configured token endpoint and kind of token, and its metadata document's address as id [X-EMA-008] [X-EMA-020]", async () => {
    const clientIdUrl = "https://app.example/client.json";
    const { obtain, posts, rig } = createRun(
      {
        idp: { ...options.idp, tokenEndpoint: "https://idp.example/other" },
        subjectToken: async () => ({ token: "rt", type: "refresh_token" }),
        client: { clientIdUrl },
      },
      { "https://idp.example/other": answers[idpToken] as Answer },
    );
    await obtain();
    assert.equal(rig.sent.length, 2);
    assert.equal(posts()[0]?.form.get("subject_token_type"), "urn:ietf:params:oauth:token-type:refresh_token");
    assert.equal(posts()[1]?.form.get("client_id"), clientIdUrl);
  });

  it("uses no other token than an ID-JAG [X-EMA-007]", async () => {
    for (const body of [
      { access_token: "jag-1", token_type: "N_A" },
      {
        access_token: "jag-1",
        issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
        token_type: "Bearer",
      },
      { issued_token_type: idJag, token_type: "N_A" },
      { access_token: 7, issued_token_type: idJag },
    ]) {
      const { obtain, posts } = createRun({}, { [idpToken]: () => toJson(body) });
      const error = await failure(obtain());
      assert.equal(error.issuer, "https://idp.example");
      assert.ok(!error.message.includes("jag-1"));
      assert.deepEqual(
        posts().map(({ url }) => url),
        [idpToken],
      );
    }
  });

  it("chooses the client by the issuer, and sends nothing where there is none [X-EMA-009] [X-EMA-020]", async () => {
    const client = [
      { clientId: "other", clientSecret: "other-secret", issuer: "https://other.example" },
      { clientId: "right", clientSecret: "right-secret", issuer: "https://as.example" },
    ];
    assert.equal((await createRun({ client }).obtain()).clientId, "right");
    const { obtain, rig } = createRun({ client: client.slice(0, 1) });
    assert.match((await failure(obtain())).message, /https:\/\/as\.example.*https:\/\/other\.example/);
    assert.equal(rig.sent.length, 0);
  });

  it("goes by the profiles that the server announces [X-EMA-010]", async () => {
    await createRun({ requireProfile: true }, {}, { authorization_grant_profiles_supported: [profile] }).obtain();
    for (const { obtain, rig } of [
      createRun({ requireProfile: true }),
      createRun({}, {}, { authorization_grant_profiles_supported: ["other"] }),
    ]) {
      assert.match((await failure(obtain())).message, /grant-profile:id-jag/);
      assert.equal(rig.sent.length, 0);
    }
  });

  it("tells refusals of the two servers apart, and tries nothing else after one [X-EMA-019]", async () => {
    for (const oauthError of ["access_denied", "invalid_grant", "insufficient_scope"]) {
      const refuse: Answer = () => toJson({ error: oauthError }, 400);
      const byIdp = createRun({}, { [idpToken]: refuse });
      const atIdp = await failure(byIdp.obtain());
      assert.deepEqual([atIdp.issuer, atIdp.oauthError, byIdp.posts().length], ["https://idp.example", oauthError, 1]);
      const byServer = createRun({}, { [asToken]: refuse });
      const atServer = await failure(byServer.obtain());
      assert.deepEqual(
        [atServer.issuer, atServer.oauthError, byServer.posts().length],
        ["https://as.example", oauthError, 2],
      );
    }
  });

  it("fetches another assertion for every token, from a user's token asked for anew [X-EMA-018]", async () => {
    let count = 0;
    const give: Answer = () => toJson({ access_token: `jag-${count}`, issued_token_type: idJag, token_type: "N_A" });
    const { obtain, posts } = createRun({ subjectToken: () => `id-token-${++count}` }, { [idpToken]: give });
    await obtain();
    await obtain();
    assert.deepEqual(
      posts().map(({ form }) => form.get("subject_token") ?? form.get("assertion")),
      ["id-token-1", "jag-1", "id-token-2", "jag-2"],
    );
  });

  it("keeps assertions, tokens and secrets out of errors, records, the store and addresses [X-EMA-016]", async () => {
    const echo: Answer = ({ form, headers }) =>
      toJson(
        {
          error: "invalid_grant",
          error_description: `${headers.get("authorization")} ${[...form.values()].join(" ")}`,
        },
        400,
      );
    for (const more of [{}, { [idpToken]: echo }, { [asToken]: echo }]) {
      const { obtain, rig } = createRun({}, more);
      const error = await obtain().catch((reason: unknown) => reason);
      const message = error instanceof Error ? error.message : "";
      const urls = rig.sent.map(({ url }) => url).join(" ");
      const shown = `${message}${rig.steps()}${JSON.stringify(rig.diagnostics)}${await rig.stored()}${urls}`;
      for (const secret of ["jag-1", "id-token-1", "idp-secret", "as-secret", btoa("at-as:as-secret")]) {
        assert.ok(!shown.includes(secret), secret);
      }
    }
  });

  it("refuses an identity provider that is not reached by TLS [X-EMA-016]", () => {
    for (const idp of [
      { ...options.idp, issuer: "http://idp.example" },
      { ...options.idp, tokenEndpoint: "http://idp.example/token" },
    ]) {
      assert.throws(() => enterpriseManaged({ ...options, idp }), UsageError);
    }
  });
});
