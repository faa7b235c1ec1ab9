import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { UsageError } from "../../../base/error.ts";
import {
  type ClientMetadata,
  checkClientIdUrl,
  checkClientMetadataDocument,
  checkRedirectUri,
  createClientMetadataDocument,
  toRegistrationRequest,
} from "./client-metadata.ts";

const metadata: ClientMetadata = { clientName: "Editor" };
const loopback = "http://127.0.0.1:3000/callback";
const remote = "https://app.example/callback";
const id = "https://app.example/client.json";

describe("toRegistrationRequest", () => {
  it("is native for addresses on the user's own machine and custom schemes, web for remote ones [M-AUTH-015]", () => {
    const typeOf = (...uris: string[]): string => toRegistrationRequest(metadata, uris, {}).application_type;
    assert.equal(typeOf(loopback), "native");
    assert.equal(typeOf("http://localhost:1/cb"), "native");
    assert.equal(typeOf("https://localhost/cb"), "native");
    assert.equal(typeOf("com.example.app:/cb"), "native");
    assert.equal(typeOf(remote), "web");
    assert.equal(typeOf(remote, loopback), "native");
  });

  it("asks for codes that come with refresh tokens [M-AUTH-023]", () => {
    const request = toRegistrationRequest(metadata, [loopback], {});
    assert.deepEqual(request.grant_types, ["authorization_code", "refresh_token"]);
    assert.deepEqual(request.response_types, ["code"]);
    assert.deepEqual(request.redirect_uris, [loopback]);
  });

  it("always names software and version, the same each time [AUTHDRAFT-016]", () => {
    const own = { clientName: "Editor", softwareId: "5d1a", softwareVersion: "2.1" };
    const { software_id: softwareId, software_version: version } = toRegistrationRequest(own, [loopback], {});
    assert.deepEqual([softwareId, version], ["5d1a", "2.1"]);
    const first = toRegistrationRequest(metadata, [loopback], {});
    assert.deepEqual(first, toRegistrationRequest(metadata, [loopback], {}));
    assert.equal(typeof first.software_id, "string");
    assert.equal(typeof first.software_version, "string");
  });

  it("is a public client unless the server takes none [AUTHDRAFT-021]", () => {
    const methodFor = (methods?: string[]): string =>
      toRegistrationRequest(metadata, [loopback], (methods && { token_endpoint_auth_methods_supported: methods }) || {})
        .token_endpoint_auth_method;
    assert.equal(methodFor(), "none");
    assert.equal(methodFor(["client_secret_basic", "none"]), "none");
    assert.equal(methodFor(["client_secret_post", "client_secret_basic"]), "client_secret_basic");
    assert.equal(methodFor(["client_secret_post"]), "client_secret_post");
    assert.equal(methodFor(["tls_client_auth"]), "none");
  });

  it("uses its keys where only clients with proof are taken", () => {
    const server = { token_endpoint_auth_methods_supported: ["private_key_jwt", "client_secret_basic"] };
    const withKeys = { ...metadata, jwksUri: "https://app.example/jwks.json" };
    assert.equal(toRegistrationRequest(withKeys, [loopback], server).token_endpoint_auth_method, "private_key_jwt");
    assert.equal(toRegistrationRequest(metadata, [loopback], server).token_endpoint_auth_method, "client_secret_basic");
  });

  it("asks for bound tokens on demand only [X-DPOP-009]", () => {
    const bound = toRegistrationRequest({ ...metadata, requestsDpop: true }, [loopback], {});
    assert.equal(bound.dpop_bound_access_tokens, true);
    assert.ok(!("dpop_bound_access_tokens" in toRegistrationRequest(metadata, [loopback], {})));
  });

  it("carries what else is stated, and nothing that is not", () => {
    const request = toRegistrationRequest({ ...metadata, clientUri: remote, scope: ["a", "b"] }, [loopback], {});
    assert.equal(request.client_uri, remote);
    assert.equal(request.scope, "a b");
    assert.ok(!("logo_uri" in request));
  });
});

describe("createClientMetadataDocument", () => {
  it("names its own address, the program and its redirect addresses [AUTH-029] [M-AUTH-023]", () => {
    const document = createClientMetadataDocument(id, metadata, [loopback, remote]);
    assert.equal(document.client_id, id);
    assert.equal(document.client_name, "Editor");
    assert.deepEqual(document.redirect_uris, [loopback, remote]);
    assert.ok(document.grant_types.includes("refresh_token"));
    assert.equal(document.token_endpoint_auth_method, "none");
    assert.equal(checkClientMetadataDocument(id, JSON.parse(JSON.stringify(document))), undefined);
  });

  it("announces signed assertions where it publishes keys [AUTH-030]", () => {
    const jwks = { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y" }] };
    const document = createClientMetadataDocument(id, { ...metadata, jwks }, [remote]);
    assert.equal(document.token_endpoint_auth_method, "private_key_jwt");
    assert.deepEqual(document.jwks, jwks);
  });

  it("never publishes a private key, nor shows it in the error", () => {
    const jwks = { keys: [{ kty: "EC", crv: "P-256", x: "x", y: "y", d: "private-part" }] };
    assert.throws(
      () => createClientMetadataDocument(id, { ...metadata, jwks }, [remote]),
      (error) => error instanceof UsageError && !error.message.includes("private-part"),
    );
  });

  it("refuses unfit addresses and missing ones [AUTH-028] [AUTH-048]", () => {
    assert.throws(() => createClientMetadataDocument("http://app.example/c", metadata, [remote]), UsageError);
    assert.throws(() => createClientMetadataDocument(id, metadata, ["http://example.com/cb"]), UsageError);
    assert.throws(() => createClientMetadataDocument(id, metadata, []), UsageError);
    assert.throws(() => createClientMetadataDocument(id, { clientName: "" }, [remote]), UsageError);
  });
});

describe("checkClientMetadataDocument", () => {
  it("refuses a document that names another address than its own [AUTH-029]", () => {
    const document = createClientMetadataDocument(id, metadata, [remote]);
    assert.match(checkClientMetadataDocument(`${id}/`, document) ?? "", /client_id: expected the document's own/);
    assert.match(checkClientMetadataDocument(id, { ...document, client_id: 1 }) ?? "", /client_id/);
  });

  it("refuses what is no such document", () => {
    assert.match(checkClientMetadataDocument(id, []) ?? "", /JSON object/);
    const document = createClientMetadataDocument(id, metadata, [remote]);
    assert.match(checkClientMetadataDocument(id, { ...document, redirect_uris: [1] }) ?? "", /list of texts/);
    assert.match(checkClientMetadataDocument(id, { ...document, jwks: { keys: 1 } }) ?? "", /list of keys/);
    assert.match(checkClientMetadataDocument(id, { ...document, client_name: null }) ?? "", /got null/);
  });
});

describe("checkClientIdUrl", () => {
  it("takes https with a path [AUTH-028]", () => {
    assert.equal(checkClientIdUrl(id), undefined);
    assert.equal(checkClientIdUrl("https://app.example:8443/a/b?v=1"), undefined);
  });

  it("refuses all else [AUTH-028]", () => {
    for (const url of [
      "http://app.example/client.json",
      "https://app.example",
      "https://app.example/",
      "https://app.example?x=/path",
      "https://app.example/a/../client.json",
      "https://app.example/./client.json",
      "https://app.example/%2e%2E/client.json",
      "https://user:word@app.example/client.json",
      "https://app.example/client.json#part",
      "client.json",
      "",
    ]) {
      assert.notEqual(checkClientIdUrl(url), undefined, url);
    }
  });
});

describe("checkRedirectUri", () => {
  it("takes https, and http on loopback [AUTH-048]", () => {
    for (const uri of [loopback, remote, "http://localhost:1/cb", "http://[::1]:1/cb"]) {
      assert.equal(checkRedirectUri(uri), undefined, uri);
    }
  });

  it("refuses all else [AUTH-048]", () => {
    for (const uri of [
      "http://example.com/cb",
      "http://127.0.0.1.example.com/cb",
      "javascript:1",
      "x:/cb",
      "",
      `${remote}#a`,
    ]) {
      assert.notEqual(checkRedirectUri(uri), undefined, uri);
    }
  });
});
