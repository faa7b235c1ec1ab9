import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createResourceRequest, readChallenge } from "../../../test/fixtures/resource-request.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { createFakeClock } from "../../test/clock.ts";
import { protectResource } from "./guard.ts";
import type { ResourceAuthentication, ResourceGuard, ResourceReply } from "./message.ts";
import type { ResourceOptions } from "./options.ts";
import { type Verifier, VerifierUnavailableError } from "./verifier.ts";

const clock = createFakeClock(1_800_000_000_000);
const audience = "https://mcp.example/mcp";

function own(verify: Verifier, options: Partial<ResourceOptions> = {}): ResourceGuard {
  return protectResource({ issuer: "https://login.example", audience, clock, verify, ...options });
}

function present(guard: ResourceGuard, authorization: string): Promise<ResourceAuthentication> {
  return guard.authenticate(createResourceRequest({ headers: { authorization } }));
}

async function refusal(guard: ResourceGuard, authorization: string): Promise<ResourceReply> {
  const outcome = await present(guard, authorization);
  assert.ok(!outcome.ok, "expected a refusal");
  return outcome.reply;
}

describe("a verifier of one's own", () => {
  it("answers by 401 whatever a verifier makes of a token: nothing, null, an error, nonsense [PP-103]", async () => {
    const told: string[] = [];
    const verifiers: Verifier[] = [
      () => undefined,
      async () => null,
      () => {
        throw new Error("bad signature of secret-token");
      },
      () => Promise.reject("no"),
      () => ({ clientId: "c" }) as never,
    ];
    for (const verify of verifiers) {
      const reply = await refusal(
        own(verify, { onDiagnostic: ({ message }) => told.push(message) }),
        "Bearer secret-token",
      );
      assert.deepEqual([reply.status, readChallenge(reply).error], [401, "invalid_token"]);
      assert.ok(!JSON.stringify(reply).includes("secret-token"));
    }
    assert.equal(told.length, 3);
    assert.ok(!told.join().includes("secret-token"));
  });

  it("answers by 503 only what is marked as a fault of the infrastructure, also by another copy of the package [PP-103]", async () => {
    const copy = Object.assign(new Error("down"), { code: "MCP_VERIFIER_UNAVAILABLE", retryAfterSeconds: 7 });
    for (const [error, seconds] of [
      [new VerifierUnavailableError("down", { retryAfterSeconds: 1.5 }), "2"],
      [copy, "7"],
      [Object.assign(new Error("down"), { code: "MCP_VERIFIER_UNAVAILABLE" }), "5"],
    ] as const) {
      const reply = await refusal(
        own(() => Promise.reject(error)),
        "Bearer abc",
      );
      assert.deepEqual([reply.status, reply.headers["retry-after"]], [503, seconds]);
      assert.equal(reply.headers["www-authenticate"], undefined);
    }
  });

  it("is not waited for beyond its limit, and is told so [PP-103]", async () => {
    let signal: AbortSignal | undefined;
    const hanging = own((_token, context) => {
      signal = context.signal;
      return new Promise(() => undefined);
    });
    const outcome = refusal(hanging, "Bearer abc");
    await clock.advance(9_999);
    assert.equal(signal?.aborted, false);
    await clock.advance(1);
    assert.equal((await outcome).status, 503);
    assert.equal(signal?.aborted, true);
  });

  it("tells the operator why it failed in the end, and no token [PP-103]", async () => {
    const told: Diagnostic[] = [];
    const onDiagnostic = (said: Diagnostic) => told.push(said);
    const cause = new Error("no connection", { cause: new Error("refused by 10.0.0.9") });
    const error = new VerifierUnavailableError("down", { cause });
    await refusal(
      own(() => Promise.reject(error), { onDiagnostic }),
      "Bearer abc",
    );
    assert.match(told[0]?.message ?? "", /down: no connection: refused by 10\.0\.0\.9$/);
    assert.equal(told[0]?.detail, error);
    const leak = new VerifierUnavailableError("down", { cause: new Error("no row for secret-token") });
    await refusal(
      own(() => Promise.reject(leak), { onDiagnostic }),
      "Bearer secret-token",
    );
    assert.match(told[1]?.message ?? "", /no row for <token>$/);
    assert.equal(told[1]?.detail, undefined);
  });

  it("checks audience, issuer and expiry of what a verifier of one's own returns [AUTH-060] [AUTH-061] [M-AUTH-026]", async () => {
    const good = { clientId: "c", scopes: [], audience: ["https://other.example", audience] };
    const answers = [
      { ...good, audience: "https://sister.example/mcp" },
      { ...good, audience: [] },
      { clientId: "c", scopes: [] } as never,
      { ...good, issuer: "https://evil.example" },
      { ...good, expiresAtMs: clock.now() - 31_000 },
      { ...good, expiresAtMs: Number.NaN },
    ];
    for (const answer of answers) {
      assert.equal(
        (
          await refusal(
            own(() => answer),
            "Bearer abc",
          )
        ).status,
        401,
      );
    }
    assert.ok(
      (
        await present(
          own(() => good),
          "Bearer abc",
        )
      ).ok,
    );
    assert.ok(
      (
        await present(
          own(() => ({ ...good, expiresAtMs: clock.now() - 29_000 })),
          "Bearer abc",
        )
      ).ok,
    );
    const unchecked = own(() => ({ ...good, audience: "x" }), { dangerouslySkipAudienceCheck: true });
    assert.ok((await present(unchecked, "Bearer abc")).ok);
  });

  it("refuses a bound token also where a verifier of one's own only hands its claims on [X-DPOP-013]", async () => {
    const verify: Verifier = () => ({ clientId: "c", scopes: [], audience, claims: { cnf: { jkt: "abc" } } });
    assert.equal((await refusal(own(verify), "Bearer abc")).status, 401);
  });

  it("refuses a token that is bound to a certificate or in any way that is not known, whatever else it is bound to", async () => {
    for (const cnf of [{ "x5t#S256": "abc" }, { jkt: "abc", "x5t#S256": "abc" }, { jwk: {} }, "x", null, []]) {
      for (const dpop of [false, true]) {
        const verify: Verifier = () => ({ clientId: "c", scopes: [], audience, claims: { cnf } });
        const reply = await refusal(own(verify, { dpop }), "Bearer abc");
        assert.equal(reply.status, 401);
        assert.match(reply.headers["www-authenticate"] ?? "", /certificate/);
      }
    }
  });
});
