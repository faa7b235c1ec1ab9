import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refuse, toInit } from "../../../test/fixtures/auth/authorization-rig.ts";
import { agree, createPerson } from "../../../test/fixtures/auth/grant-rig.ts";
import type { Fetch } from "../fetch.ts";
import { authorizationCode } from "./grants/authorization-code.ts";
import { clientCredentials } from "./grants/client-credentials.ts";
import { createOAuthClient } from "./oauth-client.ts";

const prm = "/.well-known/oauth-protected-resource/mcp";
const oauth = "/.well-known/oauth-authorization-server";
const openid = "/.well-known/openid-configuration";

/** Servers at `https://<name>.example/mcp`, each with an issuer whose metadata lies at one of two places. */
function createWeb(places: Readonly<Record<string, { metadata: string; registers: boolean }>>) {
  const asked: string[] = [];
  const fetch: Fetch = async (text, { method, headers }) => {
    const { origin, hostname, pathname } = new URL(text);
    asked.push(`${method} ${text}`);
    const [, isIssuer, name = ""] = /^(as-)?(\w+)\.example$/.exec(hostname) ?? [];
    const place = places[name];
    if (place === undefined) {
      return new Response("", { status: 404 });
    }
    if (isIssuer === undefined) {
      if (pathname === prm) {
        return Response.json({ resource: `${origin}/mcp`, authorization_servers: [`https://as-${hostname}`] });
      }
      return headers.authorization === `Bearer at-${name}`
        ? new Response("{}")
        : refuse({ resource_metadata: origin + prm });
    }
    switch (pathname) {
      case place.metadata:
        return Response.json({
          issuer: origin,
          authorization_endpoint: `${origin}/login`,
          token_endpoint: `${origin}/exchange`,
          ...(place.registers ? { registration_endpoint: `${origin}/clients` } : undefined),
          code_challenge_methods_supported: ["S256"],
        });
      case "/exchange":
        return Response.json({ access_token: `at-${name}`, token_type: "Bearer" });
      case "/clients":
        return Response.json({ client_id: `client-at-${name}` }, { status: 201 });
      default:
        return new Response("", { status: 404 });
    }
  };
  return { fetch, asked };
}

describe("createOAuthClient, from the refusal to the token", () => {
  it("finds the token endpoint of a program as that of a person, and registers and logs in nowhere [X-CC-003]", async () => {
    const { fetch, asked } = createWeb({ job: { metadata: oauth, registers: true } });
    const client = createOAuthClient({ grant: clientCredentials({ clientId: "job", clientSecret: "hush" }), fetch });
    const url = "https://job.example/mcp";
    assert.equal((await client.fetchFor(url, fetch)(url, toInit())).status, 200);
    assert.deepEqual(asked, [
      `POST ${url}`,
      `GET https://job.example${prm}`,
      `GET https://as-job.example${oauth}`,
      "POST https://as-job.example/exchange",
      `POST ${url}`,
    ]);
  });

  it("takes no server for its own authorization server where legacyFallback is off", async () => {
    const { fetch, asked } = createWeb({});
    const grant = clientCredentials({ clientId: "job", clientSecret: "hush" });
    const client = createOAuthClient({ grant, fetch, legacyFallback: false });
    await assert.rejects(client.login("https://bare.example/mcp"), /name the authorization server with issuer; tried:/);
    assert.ok(asked.every((line) => line.includes("/.well-known/oauth-protected-resource")));
    const lenient = createOAuthClient({ grant, fetch });
    await assert.rejects(lenient.login("https://bare.example/mcp"));
    assert.ok(asked.includes(`GET https://bare.example${oauth}`));
  });

  it("logs in with one client at servers of every kind: either metadata, with registration and without [AUTHDRAFT-002]", async () => {
    const { fetch } = createWeb({
      plain: { metadata: oauth, registers: true },
      openid: { metadata: openid, registers: true },
      closed: { metadata: oauth, registers: false },
    });
    const grant = authorizationCode({
      client: { clientName: "Notes" },
      userAgent: createPerson(agree),
      preregistered: [{ issuer: "https://as-closed.example", clientId: "agreed" }],
      dynamicRegistration: true,
    });
    const client = createOAuthClient({ grant, fetch });
    for (const name of ["plain", "openid", "closed"]) {
      const url = `https://${name}.example/mcp`;
      assert.equal((await client.fetchFor(url, fetch)(url, toInit())).status, 200, name);
    }
  });
});
