import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createResourceRequest, type RequestSpelling, readChallenge } from "../../../test/fixtures/resource-request.ts";
import { UsageError } from "../../base/error.ts";
import { protectResource } from "./guard.ts";
import type { ResourceReply } from "./message.ts";
import type { ResourceOptions } from "./options.ts";

const root = "/.well-known/oauth-protected-resource";

function read(
  options: Partial<ResourceOptions>,
  path: string,
  spelling: RequestSpelling = {},
): ResourceReply | undefined {
  const guard = protectResource({ issuer: "https://login.example", audience: "https://mcp.example/mcp", ...options });
  return guard.documents.get(path)?.(createResourceRequest({ method: "GET", url: path, ...spelling }));
}

function parse(reply: ResourceReply | undefined): { readonly [member: string]: unknown } {
  assert.equal(reply?.status, 200);
  return JSON.parse(reply.body) as { readonly [member: string]: unknown };
}

/** The address of the metadata in a challenge, and the resource in the document. */
async function advertised(options: Partial<ResourceOptions>, spelling: RequestSpelling, path = `${root}/mcp`) {
  const guard = protectResource({ issuer: "https://login.example", audience: "urn:mcp", ...options });
  const outcome = await guard.authenticate(createResourceRequest(spelling));
  const document = parse(guard.documents.get(path)?.(createResourceRequest({ ...spelling, method: "GET", url: path })));
  return [outcome.ok ? undefined : readChallenge(outcome.reply).resource_metadata, document.resource];
}

describe("resource metadata", () => {
  it("names resource and authorization servers, at the path form and at the root [AUTH-005] [AUTH-006] [AUTH-008] [AUTH-009]", () => {
    for (const path of [`${root}/mcp`, root]) {
      assert.deepEqual(parse(read({ scopes: ["a"], scopesSupported: ["a", "b"], resourceName: "Files" }, path)), {
        resource: "https://mcp.example/mcp",
        authorization_servers: ["https://login.example"],
        scopes_supported: ["a", "b"],
        bearer_methods_supported: ["header"],
        resource_name: "Files",
      });
    }
    assert.throws(() => read({ issuer: [] }, root), UsageError);
    assert.equal(read({ rootDocument: false }, root), undefined);
    assert.equal(parse(read({ resource: "https://mcp.example" }, root)).resource, "https://mcp.example");
  });

  it("says whether tokens are bound to keys", () => {
    const document = parse(read({ dpop: { required: true, algorithms: ["ES256"] } }, root));
    assert.deepEqual(document.dpop_signing_alg_values_supported, ["ES256"]);
    assert.equal(document.dpop_bound_access_tokens_required, true);
    assert.equal("dpop_bound_access_tokens_required" in parse(read({ dpop: true }, root)), false);
  });

  it("may be read by any web page, and by no other method", () => {
    const get = read({}, root);
    assert.equal(get?.headers["access-control-allow-origin"], "*");
    assert.match(get?.headers["cache-control"] ?? "", /max-age/);
    assert.deepEqual({ ...read({}, root, { method: "HEAD" }), body: get?.body }, get);
    const headers = { "access-control-request-headers": "mcp-protocol-version" };
    const preflight = read({}, root, { method: "OPTIONS", headers });
    assert.equal(preflight?.status, 204);
    assert.equal(preflight?.headers["access-control-allow-headers"], "mcp-protocol-version");
    assert.equal(read({}, root, { method: "POST" })?.status, 405);
  });

  it("takes a configured address for everything, whatever the request and its proxies say [PP-101]", async () => {
    const resource = "https://public.example/tools/mcp";
    const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example;proto=http" };
    for (const url of ["/mcp", "/tools/mcp"]) {
      assert.deepEqual(
        await advertised(
          { resource, trustForwardedHeaders: "x-forwarded" },
          { url, authority: "10.0.0.1:3000", headers },
          root,
        ),
        [`https://public.example${root}/tools/mcp`, resource],
      );
    }
    const metadataUrl = `https://public.example/tools${root}`;
    assert.deepEqual(await advertised({ resource, metadataUrl }, {}, root), [metadataUrl, resource]);
  });

  it("believes forwarded headers only where they are trusted [PP-101]", async () => {
    const authority = "internal:3000";
    const headers = { "x-forwarded-host": "mcp.example", "x-forwarded-proto": "https, http" };
    assert.deepEqual(await advertised({}, { authority, headers }), [
      `https://internal:3000${root}/mcp`,
      "https://internal:3000/mcp",
    ]);
    assert.deepEqual(await advertised({ trustForwardedHeaders: "x-forwarded" }, { authority, headers }), [
      `https://mcp.example${root}/mcp`,
      "https://mcp.example/mcp",
    ]);
    const standard = { ...headers, forwarded: 'for=1.2.3.4;host="other.example:8443";proto=https, host=inner' };
    assert.deepEqual(await advertised({ trustForwardedHeaders: "forwarded" }, { authority, headers: standard }), [
      `https://other.example:8443${root}/mcp`,
      "https://other.example:8443/mcp",
    ]);
  });

  it("leads back here through a proxy that takes a prefix off, and agrees with one that keeps it [PP-101]", async () => {
    const stripped = { "x-forwarded-host": "e.example", "x-forwarded-proto": "https", "x-forwarded-prefix": "/tools/" };
    assert.deepEqual(await advertised({ trustForwardedHeaders: "x-forwarded" }, { headers: stripped }), [
      `https://e.example/tools${root}/mcp`,
      "https://e.example/tools/mcp",
    ]);
    const { "x-forwarded-prefix": _, ...kept } = stripped;
    const options = { trustForwardedHeaders: "x-forwarded" as const, path: "/tools/mcp" };
    assert.deepEqual(await advertised(options, { url: "/tools/mcp", headers: kept }, `${root}/tools/mcp`), [
      `https://e.example${root}/tools/mcp`,
      "https://e.example/tools/mcp",
    ]);
  });

  it("believes no header of the family that its proxy does not write, as that is the caller's [PP-101]", async () => {
    const x = { "x-forwarded-host": "x.example", "x-forwarded-proto": "https", "x-forwarded-prefix": "/x" };
    const headers = { ...x, forwarded: "host=standard.example;proto=https" };
    const resourceBy = async (trustForwardedHeaders: "forwarded" | "x-forwarded") =>
      (await advertised({ trustForwardedHeaders }, { headers }))[1];
    assert.equal(await resourceBy("x-forwarded"), "https://x.example/x/mcp");
    assert.equal(await resourceBy("forwarded"), "https://standard.example/mcp");
    assert.throws(() => read({ trustForwardedHeaders: true as never }, root), UsageError);
  });

  it("lets no header write anything but a host, a scheme and a path", async () => {
    const evil = { "x-forwarded-host": 'a"b, x', "x-forwarded-proto": "javascript", "x-forwarded-prefix": '/a"b' };
    assert.deepEqual(await advertised({ trustForwardedHeaders: "x-forwarded" }, { headers: evil }), [
      `https://mcp.example${root}/mcp`,
      "https://mcp.example/mcp",
    ]);
    assert.deepEqual(await advertised({}, { authority: 'x"y' }), [
      `http://localhost${root}/mcp`,
      "http://localhost/mcp",
    ]);
    assert.deepEqual(await advertised({}, { authority: undefined, url: "http://[" }), [
      `http://localhost${root}/mcp`,
      "http://localhost/mcp",
    ]);
  });

  it("takes the scheme of an absolute address, and plain HTTP for this machine", async () => {
    const [metadataUrl] = await advertised({}, { url: "http://mcp.example/mcp" });
    assert.equal(metadataUrl, `http://mcp.example${root}/mcp`);
    assert.deepEqual(await advertised({}, { authority: "127.0.0.1:3000" }), [
      `http://127.0.0.1:3000${root}/mcp`,
      "http://127.0.0.1:3000/mcp",
    ]);
  });
});
