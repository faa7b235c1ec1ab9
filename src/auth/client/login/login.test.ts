import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  agree,
  createGrantRig,
  createPerson,
  type GrantRig,
  type Person,
  toDiscovery,
  toJson,
  toTokenRequest,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { createDeferred, type Deferred } from "../../../base/deferred.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { authorizationCode } from "../grants/authorization-code.ts";

const client = { clientName: "Notes" };
const preregistered = [{ issuer: "https://as.example", clientId: "c1" }];

function createRig(): GrantRig {
  return createGrantRig({
    "https://as.example/token": () => toJson({ access_token: "at-1", token_type: "Bearer" }),
  });
}

/** A person who looks at the page and does nothing. */
function createHesitant(opened: Deferred<void>): Person {
  return createPerson(() => {
    opened.resolve();
    return new Promise<never>(() => undefined);
  });
}

async function failure(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.catch((reason: unknown) => reason);
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

describe("a login in progress", () => {
  it("goes on with a login that another process began, in the tab that is open", async () => {
    const rig = createRig();
    const stopped = new AbortController();
    const opened = createDeferred();
    const first = createHesitant(opened);
    const begun = authorizationCode({ client, userAgent: first, preregistered }).obtain(
      toTokenRequest(toDiscovery(), { scopes: ["a", "b"], signal: stopped.signal }),
      rig.context,
    );
    await opened.promise;
    stopped.abort(new Error("killed"));
    await assert.rejects(begun, /killed/);
    const second = createPerson(agree);
    const grant = authorizationCode({ client, userAgent: second, preregistered });
    await grant.obtain(toTokenRequest(toDiscovery(), { scopes: ["a"] }), rig.context);
    assert.equal(second.visits[0]?.url, first.visits[0]?.url);
    assert.deepEqual([first.visits[0]?.isOpened, second.visits[0]?.isOpened], [false, true]);
  });

  it("begins anew where the login in progress is not the same", async () => {
    const stale = new AbortController();
    for (const change of [
      { scopes: ["a", "c"] },
      { scopes: undefined },
      { scopes: ["a"], acrValues: "gold" },
      { discovery: toDiscovery({ authorization_endpoint: "https://as.example/other" }), scopes: ["a"] },
    ]) {
      const rig = createRig();
      const opened = createDeferred();
      const controller = new AbortController();
      const first = createHesitant(opened);
      const request = toTokenRequest(toDiscovery(), { scopes: ["a"], signal: controller.signal });
      const begun = authorizationCode({ client, userAgent: first, preregistered }).obtain(request, rig.context);
      await opened.promise;
      controller.abort(new Error("killed"));
      await assert.rejects(begun);
      const second = createPerson(agree);
      const next = toTokenRequest(toDiscovery(), { signal: stale.signal, ...change });
      await authorizationCode({ client, userAgent: second, preregistered }).obtain(next, rig.context);
      assert.equal(second.visits[0]?.isOpened, false);
      assert.notEqual(second.visits[0]?.state, first.visits[0]?.state);
    }
  });

  it("stops the clocks of those who wait while the person is asked, also when that fails", async () => {
    for (const answer of [agree, () => Promise.reject(new Error("no browser"))]) {
      const rig = createRig();
      const events: string[] = [];
      const hold = () => {
        events.push("hold");
        return () => void events.push("release");
      };
      const person = createPerson((page) => {
        events.push("ask");
        return answer(page);
      });
      const grant = authorizationCode({ client, userAgent: person, preregistered });
      await grant.obtain(toTokenRequest(toDiscovery(), { hold }), rig.context).catch((error: unknown) => {
        assert.ok(error instanceof AuthorizationError && /no browser/.test(error.message), String(error));
      });
      assert.deepEqual(events, ["hold", "ask", "release"]);
      assert.equal(person.open, 0);
    }
  });

  it("says that the login timed out, and leaves no timer", async () => {
    const rig = createRig();
    const opened = createDeferred();
    const person = createHesitant(opened);
    const grant = authorizationCode({ client, userAgent: person, preregistered, loginTimeoutMs: 60_000 });
    const outcome = failure(grant.obtain(toTokenRequest(toDiscovery()), rig.context));
    await opened.promise;
    await rig.clock.advance(60_000);
    assert.match((await outcome).message, /timed out.*60 s/);
    assert.equal(rig.clock.pendingTimers, 0);
    assert.equal(person.open, 0);
  });
});
