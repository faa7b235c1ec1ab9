import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startMs, toDiscovery, toJson } from "../../../../test/fixtures/auth/grant-rig.ts";
import { createRegistrationRig, type RegistrationRig } from "../../../../test/fixtures/auth/registration-rig.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { FetchFailure } from "../../fetch.ts";
import type { Registration } from "../storage/credential.ts";
import { registerClient } from "./dynamic-registration.ts";

const redirectUri = "http://127.0.0.1:4000/callback";
const endpoint = "https://as.example/register";

function register(rig: RegistrationRig): Promise<Registration> {
  const { signal } = new AbortController();
  const metadata = { clientName: "Editor" };
  return registerClient({ metadata, discovery: toDiscovery(), endpoint, redirectUri, signal }, rig.context);
}

async function refusalOf(rig: RegistrationRig): Promise<AuthorizationError> {
  const error = await register(rig).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AuthorizationError, String(error));
  assert.deepEqual([error.stage, error.issuer], ["registration", "https://as.example"]);
  return error;
}

describe("registerClient", () => {
  it("posts what the client is to the endpoint and takes the id that comes back [AUTH-038] [AUTHDRAFT-015] [AUTHDRAFT-016]", async () => {
    const rig = createRegistrationRig();
    const registration = await register(rig);
    assert.deepEqual([registration.kind, registration.clientId], ["dynamic", "dynamic-1"]);
    assert.equal(registration.issuer, "https://as.example");
    assert.deepEqual(registration.redirectUris, [redirectUri]);
    assert.equal(rig.sent[0]?.url, endpoint);
    assert.equal(rig.sent[0]?.body.client_name, "Editor");
    assert.deepEqual(rig.sent[0]?.body.redirect_uris, [redirectUri]);
    assert.equal(rig.sent[0]?.body.application_type, "native");
    assert.ok(rig.sent[0]?.body.software_id && rig.sent[0]?.body.software_version);
  });

  it("takes status 200 like 201, and fields of other types", async () => {
    const body = {
      client_id: "c",
      client_secret: "s",
      client_secret_expires_at: `${startMs / 1_000 + 60}`,
      token_endpoint_auth_method: "client_secret_post",
    };
    const registration = await register(createRegistrationRig([() => toJson(body, 200)]));
    assert.equal(registration.clientSecret, "s");
    assert.equal(registration.secretExpiresAtMs, startMs + 60_000);
    assert.equal(registration.tokenEndpointAuthMethod, "client_secret_post");
    for (const expiry of [0, undefined, "never"]) {
      const forever = createRegistrationRig([() => toJson({ ...body, client_secret_expires_at: expiry }, 201)]);
      assert.equal((await register(forever)).secretExpiresAtMs, undefined);
    }
  });

  it("refuses an id, a secret or a method that could not be sent, and repeats nothing of it", async () => {
    for (const change of [
      { client_id: "x\u001b[2J\nFAKE LINE" },
      { client_id: "A".repeat(2_049) },
      { client_secret: "s\u0000hush" },
      { client_secret: "s".repeat(2_049) },
      { token_endpoint_auth_method: "evil\u009bmethod" },
    ]) {
      const rig = createRegistrationRig([() => toJson({ client_id: "c", client_secret: "s", ...change }, 201)]);
      const { message } = await refusalOf(rig);
      assert.match(message, /printable ASCII/);
      assert.doesNotMatch(`${message}${rig.steps()}`, /FAKE|AAAA|hush|ssss|evil/);
      assert.equal(await rig.stored(), "");
    }
  });

  it("does not believe a method that needs a secret where none was given", async () => {
    const body = { client_id: "c", client_secret: "", token_endpoint_auth_method: "client_secret_basic" };
    const registration = await register(createRegistrationRig([() => toJson(body, 201)]));
    assert.equal(registration.tokenEndpointAuthMethod, undefined);
    assert.equal(registration.clientSecret, undefined);
  });

  it("tries the other kind of application once where the redirect address is refused [M-AUTH-016]", async () => {
    const refusal = { error: "invalid_redirect_uri", error_description: "loopback needs web" };
    const rig = createRegistrationRig([() => toJson(refusal, 400), () => toJson({ client_id: "c" }, 201)]);
    assert.equal((await register(rig)).clientId, "c");
    assert.deepEqual(
      rig.sent.map(({ body }) => body.application_type),
      ["native", "web"],
    );
    assert.match(rig.steps(), /loopback needs web\); trying application_type web/);
  });

  it("says which redirect address is refused, after both kinds were [M-AUTH-016]", async () => {
    for (const error of ["invalid_redirect_uri", "invalid_client_metadata"]) {
      const rig = createRegistrationRig([() => toJson({ error, error_description: "bad redirect" }, 400)]);
      const refusal = await refusalOf(rig);
      assert.equal(refusal.oauthError, error);
      assert.match(refusal.message, /does not take the redirect address http:\/\/127\.0\.0\.1:4000\/callback/);
      assert.equal(rig.sent.length, 2);
    }
  });

  it("tries nothing else after other refusals", async () => {
    const rig = createRegistrationRig([
      () => toJson({ error: "invalid_client_metadata", error_description: "no" }, 400),
    ]);
    assert.equal((await refusalOf(rig)).oauthError, "invalid_client_metadata");
    assert.equal(rig.sent.length, 1);
  });

  it("is transient where the server is out of reach or failing", async () => {
    const lost = createRegistrationRig([() => Promise.reject(new FetchFailure("unreachable", endpoint, "no route"))]);
    assert.equal((await refusalOf(lost)).isTransient, true);
    assert.equal((await refusalOf(createRegistrationRig([() => new Response("", { status: 502 })]))).isTransient, true);
    assert.equal((await refusalOf(createRegistrationRig([() => toJson({}, 201)]))).isTransient, false);
  });

  it("keeps secrets out of record and errors [AUTH-056]", async () => {
    const good = createRegistrationRig([() => toJson({ client_id: "c", client_secret: "hush" }, 201)]);
    await register(good);
    assert.doesNotMatch(good.steps(), /hush/);
    const bad = createRegistrationRig([() => toJson({ client_id: 7, client_secret: "hush" }, 201)]);
    assert.doesNotMatch(`${(await refusalOf(bad)).message}${bad.steps()}`, /hush/);
  });
});
