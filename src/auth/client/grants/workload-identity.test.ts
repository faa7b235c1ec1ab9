import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Answer,
  createGrantRig,
  type Sent,
  startMs,
  toDiscovery,
  toJson,
  toTokenRequest,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { type WorkloadIdentityOptions, workloadIdentity } from "./workload-identity.ts";

const now = startMs / 1_000;
const good = { iss: "https://platform.example", sub: "pod-1", aud: "https://as.example", iat: now, exp: now + 300 };

function toJwt(claims: object, signature = "c2ln"): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
  return `${encode({ alg: "RS256" })}.${encode(claims)}.${signature}`;
}

const giveToken: Answer = () => toJson({ access_token: "at-1", token_type: "Bearer" });

function createRun(options: WorkloadIdentityOptions, answer = giveToken) {
  const rig = createGrantRig({ "https://as.example/token": answer });
  const grant = workloadIdentity(options);
  const obtain = (scopes?: readonly string[]) => grant.obtain(toTokenRequest(toDiscovery(), { scopes }), rig.context);
  return { rig, grant, obtain };
}

async function failure(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.catch((reason: unknown) => reason);
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

describe("workloadIdentity", () => {
  it("sends the assertion with the resource and the scopes, and nothing of a client [X-WIF-001] [X-WIF-002]", async () => {
    const assertion = toJwt(good);
    const { rig, obtain } = createRun({ assertion: () => assertion });
    assert.equal((await obtain(["a"])).accessToken, "at-1");
    const [{ form, headers }] = rig.sent as [Sent];
    assert.deepEqual(Object.fromEntries(form), {
      grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
      assertion,
      resource: "https://mcp.example/mcp",
      scope: "a",
    });
    assert.equal(headers.has("authorization"), false);
  });

  it("names a client where one is configured", async () => {
    const { rig, obtain } = createRun({ assertion: () => toJwt(good), clientId: "w1" });
    assert.equal((await obtain()).clientId, "w1");
    assert.equal(rig.sent[0]?.form.get("client_id"), "w1");
  });

  it("asks its source anew each time [X-WIF-003]", async () => {
    let asked = 0;
    const { rig, obtain } = createRun({ assertion: async () => toJwt({ ...good, jti: `${++asked}` }) });
    await obtain();
    await obtain();
    assert.equal(new Set(rig.sent.map(({ form }) => form.get("assertion"))).size, 2);
  });

  it("sends no assertion that has visibly expired or is for others [X-WIF-004]", async () => {
    for (const [claims, expected] of [
      [{ ...good, exp: now - 60 }, /expired/],
      [{ ...good, aud: "https://wrong.example" }, /audience/],
      [{ ...good, aud: ["https://wrong.example"] }, /audience/],
      [{ ...good, aud: undefined }, /audience/],
    ] as const) {
      const { rig, obtain } = createRun({ assertion: () => toJwt(claims) });
      assert.match((await failure(obtain())).message, expected);
      assert.equal(rig.sent.length, 0);
    }
    const { obtain } = createRun({ assertion: () => "" });
    assert.match((await failure(obtain())).message, /empty/);
  });

  it("takes the issuer, also with a slash, and the token endpoint for the right audience", async () => {
    for (const aud of ["https://as.example/", "https://as.example/token", ["x", "https://as.example"]]) {
      const { rig, obtain } = createRun({ assertion: () => toJwt({ ...good, aud }) });
      await obtain();
      assert.equal(rig.sent.length, 1);
    }
  });

  it("sends nothing that cannot be read as a JWT, and repeats nothing of it [X-WIF-004] [X-WIF-008]", async () => {
    for (const text of ["hush-nonsense", "hush.b.c", `hush.${"A".repeat(70_000)}.y`, "hush.e30"]) {
      const { rig, obtain } = createRun({ assertion: () => text });
      const { message } = await failure(obtain());
      assert.match(message, /not sent: expected a signed JWT/);
      assert.doesNotMatch(`${message}${rig.steps()}`, /hush|AAAA/);
      assert.equal(rig.sent.length, 0);
    }
  });

  it("reports the server's refusal as it came [X-WIF-005]", async () => {
    const { rig, obtain } = createRun({ assertion: () => toJwt(good) }, () => toJson({ error: "invalid_grant" }, 400));
    assert.equal((await failure(obtain())).oauthError, "invalid_grant");
    assert.equal(rig.sent.length, 1);
  });

  it("tells its source who will get the assertion", async () => {
    const asked: { readonly issuer: string; readonly tokenEndpoint: string; readonly signal: AbortSignal }[] = [];
    const { obtain } = createRun({
      assertion: (target) => {
        asked.push(target);
        return toJwt({ ...good, aud: target.issuer });
      },
    });
    await obtain();
    assert.deepEqual(
      asked.map(({ issuer, tokenEndpoint }) => [issuer, tokenEndpoint]),
      [["https://as.example", "https://as.example/token"]],
    );
    assert.ok(asked[0]?.signal instanceof AbortSignal);
  });

  it("asks its source for no server but its own: the configured one, else the first [M-AUTH-012]", async () => {
    const evil = toDiscovery({}, undefined, "https://evil.example");
    for (const issuer of ["https://as.example", undefined]) {
      const issuers: string[] = [];
      const { rig, grant, obtain } = createRun({
        issuer,
        assertion: (target) => {
          issuers.push(target.issuer);
          return toJwt({ ...good, aud: target.issuer });
        },
      });
      await obtain();
      const { message } = await failure(grant.obtain(toTokenRequest(evil), rig.context));
      assert.match(message, /as\.example.*evil\.example/);
      assert.deepEqual(issuers, ["https://as.example"]);
      assert.equal(rig.sent.length, 1);
    }
  });

  it("sends one request, and no other grant, whatever the refusal [X-WIF-006] [X-WIF-007]", async () => {
    for (const code of ["invalid_grant", "invalid_scope", "unauthorized_client"]) {
      const { rig, obtain, grant } = createRun({ assertion: () => toJwt(good) }, () => toJson({ error: code }, 400));
      assert.equal((await failure(obtain(["a"]))).oauthError, code);
      assert.deepEqual(
        rig.sent.map(({ form }) => form.get("grant_type")),
        ["urn:ietf:params:oauth:grant-type:jwt-bearer"],
      );
      assert.equal(grant.isInteractive, false);
    }
  });

  it("keeps assertions out of errors and records [X-WIF-008]", async () => {
    const echo: Answer = ({ form }) =>
      toJson({ error: "invalid_grant", error_description: form.get("assertion") }, 400);
    for (const assertion of [toJwt(good, "c2VjcmV0"), toJwt({ ...good, exp: 1 }, "c2VjcmV0")]) {
      const { rig, obtain } = createRun({ assertion: () => assertion }, echo);
      const error = await failure(obtain());
      const shown = `${error.message}${rig.steps()}${JSON.stringify(rig.diagnostics)}${await rig.stored()}`;
      assert.ok(!shown.includes("c2VjcmV0") && !shown.includes(assertion.split(".")[1] ?? "?"));
    }
  });
});
