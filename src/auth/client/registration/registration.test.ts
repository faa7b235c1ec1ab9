import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ServerChanges, startMs, toDiscovery, toJson } from "../../../../test/fixtures/auth/grant-rig.ts";
import { createRegistrationRig, type RegistrationRig } from "../../../../test/fixtures/auth/registration-rig.ts";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { Registration } from "../storage/credential.ts";
import { Registrar, type RegistrarOptions } from "./registration.ts";

const one = "https://one.example";
const two = "https://two.example";
const url = "https://app.example/client.json";
const redirectUri = "http://127.0.0.1:4000/callback";
const takesDocuments = { client_id_metadata_document_supported: true };

function toRegistrar(options: Partial<RegistrarOptions> = {}): Registrar {
  return new Registrar({ metadata: { clientName: "Editor" }, ...options });
}

function register(
  registrar: Registrar,
  rig: RegistrationRig,
  { issuer = one, ...more }: ServerChanges & { readonly issuer?: string } = {},
  uri = redirectUri,
): Promise<Registration> {
  const { signal } = new AbortController();
  const discovery = toDiscovery(more, undefined, issuer);
  return registrar.register({ discovery, redirectUri: uri, signal }, rig.context);
}

/** A server that gives each client another id. */
function counting(more: Record<string, unknown> = {}): RegistrationRig {
  let count = 0;
  return createRegistrationRig([
    () => {
      count += 1;
      return toJson({ client_id: `dynamic-${count}`, ...more }, 201);
    },
  ]);
}

async function refusalOf(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AuthorizationError, String(error));
  assert.equal(error.stage, "registration");
  return error;
}

describe("Registrar.register", () => {
  it("prefers an id agreed on, then its document, then registering [AUTH-025] [AUTH-026] [AUTH-027] [M-AUTH-014]", async () => {
    const rig = createRegistrationRig();
    const preregistered = [{ issuer: one, clientId: "agreed", clientSecret: "s" }];
    const agreed = await register(toRegistrar({ preregistered, clientIdUrl: url, dynamic: true }), rig, takesDocuments);
    assert.deepEqual([agreed.kind, agreed.clientId, agreed.clientSecret], ["preregistered", "agreed", "s"]);
    const document = await register(toRegistrar({ clientIdUrl: url }), rig, takesDocuments);
    assert.deepEqual([document.kind, document.clientId], ["metadata-document", url]);
    assert.equal(rig.sent.length, 0);
    assert.equal((await register(toRegistrar({ clientIdUrl: url }), rig)).kind, "dynamic");
    assert.equal(rig.sent.length, 1);
  });

  it("picks the agreed id of the issuer, without registering [AUTHDRAFT-017] [M-AUTH-010]", async () => {
    const rig = createRegistrationRig();
    const preregistered = [
      { issuer: one, clientId: "at-one" },
      { issuer: two, clientId: "at-two" },
    ];
    const registrar = toRegistrar({ preregistered });
    assert.equal((await register(registrar, rig, { issuer: two })).clientId, "at-two");
    assert.equal((await register(registrar, rig)).clientId, "at-one");
    assert.equal(rig.sent.length, 0);
  });

  it("names both issuers where the agreed id is of another one [M-AUTH-012] [M-AUTH-011]", async () => {
    const rig = createRegistrationRig();
    const registrar = toRegistrar({ preregistered: [{ issuer: one, clientId: "a", clientSecret: "hush" }] });
    const error = await refusalOf(register(registrar, rig, { issuer: two }));
    assert.ok(error.message.includes(one) && error.message.includes(two), error.message);
    assert.doesNotMatch(`${error.message}${rig.steps()}`, /hush/);
    assert.equal(rig.sent.length, 0);
  });

  it("shows an id without issuer to the first issuer only [M-AUTH-011] [M-AUTH-012]", async () => {
    const rig = createRegistrationRig();
    const registrar = toRegistrar({ preregistered: [{ clientId: "a" }] });
    assert.equal((await register(registrar, rig)).clientId, "a");
    const error = await refusalOf(register(registrar, rig, { issuer: two }));
    assert.ok(error.message.includes(one) && error.message.includes(two), error.message);
    assert.equal(await registrar.find(two, "a", rig.context), undefined);
  });

  it("is the same document at every issuer that takes such ids [M-AUTH-013]", async () => {
    const rig = createRegistrationRig();
    const registrar = toRegistrar({ clientIdUrl: url });
    for (const issuer of [one, two]) {
      assert.equal((await register(registrar, rig, { issuer, ...takesDocuments })).clientId, url);
    }
    assert.equal(rig.sent.length, 0);
  });

  it("signs assertions where its document publishes keys [AUTH-030]", async () => {
    const metadata = { clientName: "Editor", jwksUri: "https://app.example/jwks.json" };
    const registrar = toRegistrar({ metadata, clientIdUrl: url });
    const { tokenEndpointAuthMethod } = await register(registrar, createRegistrationRig(), takesDocuments);
    assert.equal(tokenEndpointAuthMethod, "private_key_jwt");
  });

  it("registers anew at another issuer, and once at each [M-AUTH-010] [M-AUTH-011]", async () => {
    const rig = counting();
    const registrar = toRegistrar();
    assert.equal((await register(registrar, rig)).clientId, "dynamic-1");
    assert.equal((await register(registrar, rig, { issuer: two })).clientId, "dynamic-2");
    assert.equal((await register(toRegistrar(), rig)).clientId, "dynamic-1");
    assert.equal(await registrar.find(two, "dynamic-1", rig.context), undefined);
  });

  it("registers for another redirect address, and still knows both clients [PP-092]", async () => {
    const rig = counting();
    const registrar = toRegistrar();
    await register(registrar, rig);
    const other = await register(registrar, rig, {}, "http://127.0.0.1:5000/callback");
    assert.equal(other.clientId, "dynamic-2");
    assert.equal((await registrar.find(one, "dynamic-1", rig.context))?.clientId, "dynamic-1");
    assert.equal((await registrar.find(one, "dynamic-2", rig.context))?.clientId, "dynamic-2");
    assert.equal((await register(registrar, rig)).clientId, "dynamic-1");
    assert.equal(rig.sent.length, 2);
  });

  it("registers again when the secret has expired", async () => {
    const rig = counting({ client_secret: "s", client_secret_expires_at: startMs / 1_000 + 60 });
    const registrar = toRegistrar();
    await register(registrar, rig);
    await rig.clock.advance(59_999);
    assert.equal((await register(registrar, rig)).clientId, "dynamic-1");
    await rig.clock.advance(1);
    assert.equal(await registrar.find(one, "dynamic-1", rig.context), undefined);
    assert.equal((await register(registrar, rig)).clientId, "dynamic-2");
  });

  it("lets one of two that register at once win", async () => {
    const rig = counting();
    const [first, second] = await Promise.all([register(toRegistrar(), rig), register(toRegistrar(), rig)]);
    assert.equal(rig.sent.length, 2);
    assert.equal(first?.clientId, second?.clientId);
  });

  it("says at once what to configure where nothing applies [AUTH-025] [AUTH-038] [M-AUTH-014]", async () => {
    const rig = createRegistrationRig();
    const { registration_endpoint: _, ...server } = toDiscovery({}, undefined, one).server;
    const discovery = { ...toDiscovery({}, undefined, one), server };
    const { signal } = new AbortController();
    const closed = await refusalOf(toRegistrar().register({ discovery, redirectUri, signal }, rig.context));
    assert.match(closed.message, /offers no registration: register a client there by hand .* preregistered/);
    const off = await refusalOf(register(toRegistrar({ dynamic: false }), rig, takesDocuments));
    assert.match(off.message, /clientIdUrl .* or allow dynamic registration/);
    assert.equal(rig.sent.length, 0);
  });

  it("refuses redirect addresses that are neither https nor loopback [AUTH-048]", async () => {
    const rig = createRegistrationRig();
    await refusalOf(register(toRegistrar(), rig, {}, "http://example.com/cb"));
    assert.equal(rig.sent.length, 0);
  });
});

describe("Registrar.discard", () => {
  it("forgets the client that had registered itself, and no other [PP-094]", async () => {
    const rig = counting();
    const registrar = toRegistrar();
    const first = await register(registrar, rig);
    const second = await register(registrar, rig, {}, "http://127.0.0.1:5000/callback");
    const elsewhere = await register(registrar, rig, { issuer: two });
    await registrar.discard(second, rig.context);
    assert.equal(await registrar.find(one, second.clientId, rig.context), undefined);
    assert.equal((await registrar.find(one, first.clientId, rig.context))?.clientId, first.clientId);
    await registrar.discard(first, rig.context);
    assert.equal(await registrar.find(one, first.clientId, rig.context), undefined);
    assert.equal((await registrar.find(two, elsewhere.clientId, rig.context))?.clientId, elsewhere.clientId);
    assert.equal((await register(registrar, rig)).clientId, "dynamic-4");
  });

  it("leaves configured clients alone [PP-094]", async () => {
    const rig = createRegistrationRig();
    const registrar = toRegistrar({ preregistered: [{ issuer: one, clientId: "a" }], clientIdUrl: url });
    for (const clientId of ["a", url]) {
      const registration = await registrar.find(one, clientId, rig.context);
      assert.ok(registration !== undefined);
      await registrar.discard(registration, rig.context);
      assert.deepEqual(await registrar.find(one, clientId, rig.context), registration);
    }
  });
});

describe("Registrar", () => {
  it("refuses an unfit address of its document, and two ids for one issuer [AUTH-028]", () => {
    assert.throws(() => toRegistrar({ clientIdUrl: "http://app.example/client.json" }), UsageError);
    assert.throws(() => toRegistrar({ clientIdUrl: "https://app.example" }), UsageError);
    for (const issuer of [one, undefined]) {
      const preregistered = [
        { issuer, clientId: "a" },
        { issuer, clientId: "b" },
      ];
      assert.throws(() => toRegistrar({ preregistered }), UsageError);
    }
  });
});
