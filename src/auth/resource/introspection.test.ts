import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { createResourceRequest } from "../../../test/fixtures/resource-request.ts";
import { TokenIssuer } from "../../../test/fixtures/token-issuer.ts";
import { createDeferred } from "../../base/deferred.ts";
import { UsageError } from "../../base/error.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import type { Fetch } from "../fetch.ts";
import { type IntrospectionVerifierOptions, introspectionVerifier } from "./introspection.ts";
import { isTokenRejected, isVerifierUnavailable, type Verifier } from "./verifier.ts";

const audience = "https://mcp.example/mcp";
const context = { resource: audience, request: createResourceRequest() };
const active = { active: true, aud: audience, client_id: "client-1", sub: "user-1", scope: "a b" };

let clock: FakeClock;
let issuer: TokenIssuer;
beforeEach(async () => {
  clock = createFakeClock(1_800_000_000_000);
  issuer = await TokenIssuer.create(clock);
});

function create(options: Partial<IntrospectionVerifierOptions> = {}): Verifier {
  const secret = "clientSecret" in options || "clientAssertion" in options ? {} : { clientSecret: "p:w" };
  return introspectionVerifier({
    issuer: issuer.issuer,
    audience,
    clientId: "mcp server",
    ...secret,
    clock,
    fetch: issuer.fetch,
    ...options,
  });
}

function count(): number {
  return issuer.log.filter((path) => path === "/introspect").length;
}

describe("introspectionVerifier", () => {
  it("asks the issuer, as the client that it is", async () => {
    issuer.answers.set("good", { ...active, exp: clock.now() / 1_000 + 60, cnf: { jkt: "abc" } });
    const { claims, ...verified } = (await create()("good", context)) ?? {};
    assert.deepEqual(verified, {
      clientId: "client-1",
      scopes: ["a", "b"],
      audience: [audience],
      subject: "user-1",
      issuer: issuer.issuer,
      expiresAtMs: clock.now() + 60_000,
      keyThumbprint: "abc",
    });
    assert.ok(claims);
    assert.equal(issuer.asked?.headers.authorization, `Basic ${btoa("mcp+server:p%3Aw")}`);
    assert.equal(issuer.asked?.body, "token=good&token_type_hint=access_token");
    await create({ authMethod: "client_secret_post" })("good", context);
    assert.match(issuer.asked?.body ?? "", /client_id=mcp\+server&client_secret=p%3Aw/);
    await create({ clientAssertion: (endpoint) => `signed-for-${new URL(endpoint).pathname}` })("good", context);
    assert.match(issuer.asked?.body ?? "", /client_assertion=signed-for-%2Fintrospect/);
  });

  it("refuses what is not active, for another audience or none, of another issuer, or out of time [AUTH-060] [AUTH-061] [AUTHDRAFT-034]", async () => {
    const now = clock.now() / 1_000;
    const answers = [
      { active: false },
      { ...active, active: "true" },
      { ...active, aud: "https://sister.example" },
      { ...active, aud: undefined },
      { ...active, aud: [] },
      { ...active, iss: "https://evil.example" },
      { ...active, exp: now - 31 },
      { ...active, nbf: now + 31 },
      { ...active, client_id: undefined },
    ];
    for (const [index, answer] of answers.entries()) {
      issuer.answers.set(`token-${index}`, answer);
      await assert.rejects(async () => create()(`token-${index}`, context), isTokenRejected, JSON.stringify(answer));
    }
  });

  it("keeps an answer for a while and asks once for many requests", async () => {
    issuer.answers.set("good", { ...active, exp: clock.now() / 1_000 + 20 });
    const verifier = create();
    await Promise.all(Array.from({ length: 10 }, () => verifier("good", context)));
    await verifier("good", context);
    assert.equal(count(), 1);
    await clock.advance(20_000);
    await verifier("good", context);
    assert.equal(count(), 2);
    issuer.answers.set("good", { active: false });
    await clock.advance(30_000);
    await assert.rejects(async () => verifier("good", context), isTokenRejected);
  });

  it("keeps a refusal for a few seconds only", async () => {
    const verifier = create();
    await assert.rejects(async () => verifier("early", context), isTokenRejected);
    await assert.rejects(async () => verifier("early", context), isTokenRejected);
    assert.equal(count(), 1);
    issuer.answers.set("early", active);
    await clock.advance(5_000);
    assert.ok(await verifier("early", context));
  });

  it("says that it cannot know where the issuer gives no proper answer, and keeps nothing of it [PP-103]", async () => {
    const verifier = create();
    issuer.answers.set("good", active);
    for (const failure of [0, 401, 500]) {
      issuer.failure = failure;
      await assert.rejects(async () => verifier("good", context), isVerifierUnavailable);
      await clock.advance(5_000);
    }
    issuer.failure = undefined;
    assert.ok(await verifier("good", context));
  });

  it("takes a number for the name of a user or client, and nothing else than that and a text [SEC-019]", async () => {
    issuer.answers.set("numbers", { ...active, sub: 2, client_id: 7 });
    const { subject, clientId } = (await create()("numbers", context)) ?? {};
    assert.deepEqual([subject, clientId], ["2", "7"]);
    for (const name of [true, {}, ["user-1"], 1.5, 2 ** 53]) {
      for (const claim of ["sub", "client_id"]) {
        const token = `${claim} ${JSON.stringify(name)}`;
        issuer.answers.set(token, { ...active, [claim]: name });
        await assert.rejects(async () => create()(token, context), isTokenRejected, token);
      }
    }
    issuer.answers.set("null", { ...active, sub: null });
    assert.equal((await create()("null", context))?.subject, undefined);
  });

  it("reads metadata that fails once at a time and within a cooldown, for however many tokens [PP-103]", async () => {
    const verifier = create();
    issuer.failure = 500;
    const askAll = (name: string) =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          assert.rejects(async () => verifier(`${name}-${index}`, context), isVerifierUnavailable),
        ),
      );
    await askAll("one");
    const once = issuer.log.length;
    assert.ok(once <= 3, issuer.log.join());
    await askAll("two");
    assert.equal(issuer.log.length, once);
    issuer.failure = undefined;
    issuer.answers.set("good", active);
    await clock.advance(5_000);
    assert.ok(await verifier("good", context));
  });

  it("reads the metadata again every hour, and where nothing answers at its address any more [PP-103]", async () => {
    const verifier = create({ cacheMs: 0 });
    const reads = () => issuer.log.filter((path) => path.startsWith("/.well-known/")).length;
    issuer.answers.set("good", active);
    await verifier("good", context);
    await clock.advance(3_599_999);
    await verifier("good", context);
    assert.equal(reads(), 1);
    await clock.advance(1);
    await verifier("good", context);
    assert.equal(reads(), 2);
    issuer.failure = 404;
    await assert.rejects(async () => verifier("good", context), isVerifierUnavailable);
    issuer.failure = undefined;
    await verifier("good", context);
    assert.equal(reads(), 2);
    await clock.advance(5_000);
    await verifier("good", context);
    assert.equal(reads(), 3);
  });

  it("asks about a limited number of tokens at a time [PP-103]", async () => {
    const gate = createDeferred<void>();
    const fetch: Fetch = async (url, init) => {
      await gate.promise;
      return issuer.fetch(url, init);
    };
    const verifier = create({ fetch });
    const waiting = Array.from({ length: 100 }, (_, index) => {
      issuer.answers.set(`token-${index}`, active);
      return verifier(`token-${index}`, context);
    });
    await assert.rejects(async () => verifier("one-more", context), isVerifierUnavailable);
    gate.resolve();
    assert.equal((await Promise.all(waiting)).length, 100);
    await assert.rejects(async () => verifier("one-more", context), isTokenRejected);
  });

  it("refuses options without a way to say who asks, or with an unsafe address", () => {
    assert.throws(() => create({ clientSecret: undefined }), UsageError);
    assert.throws(() => create({ clientSecret: "a", clientAssertion: () => "b" }), UsageError);
    assert.throws(() => create({ endpoint: "http://login.example/introspect" }), UsageError);
    assert.throws(() => create({ audience: "" }), UsageError);
  });
});
