import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { findState, readCallback } from "./callback.ts";

const login = { state: "s1", issuer: "https://as.example", redirectUri: "http://127.0.0.1:4000/callback" };
const silent = { issuer: "https://as.example" };
const naming = { ...silent, authorization_response_iss_parameter_supported: true };

function read(query: string, server: typeof silent = silent, redirectUri = login.redirectUri): string {
  const address = `${redirectUri}${redirectUri.includes("?") ? "&" : "?"}${query}`;
  return readCallback(address, { ...login, redirectUri }, server);
}

function refusal(run: () => unknown): AuthorizationError {
  let caught: unknown;
  try {
    run();
  } catch (error) {
    caught = error;
  }
  assert.ok(caught instanceof AuthorizationError, "expected an AuthorizationError");
  assert.equal(caught.stage, "authorization");
  assert.equal(caught.issuer, login.issuer);
  return caught;
}

describe("readCallback", () => {
  it("gives the code of an answer that belongs to the login", () => {
    assert.equal(read("code=c&state=s1"), "c");
    assert.equal(read("code=c&state=s1&iss=https%3A%2F%2Fas.example", naming), "c");
  });

  it("refuses an answer whose state is missing, another one or empty [AUTH-050]", () => {
    for (const query of ["code=c", "code=c&state=s2", "code=c&state=", "code=c&state=S1"]) {
      assert.match(refusal(() => read(query)).message, /state/);
    }
  });

  it("refuses an iss that is another text, advertised or not [M-AUTH-002] [M-AUTH-004]", () => {
    const others = [
      "https://evil.example",
      "https://as.example/",
      "https://AS.example",
      "https://as.example:443",
      "https://as.ex%61mple",
      "",
    ];
    for (const server of [silent, naming]) {
      for (const iss of others) {
        const query = new URLSearchParams({ code: "c", state: "s1", iss });
        const error = refusal(() => read(query.toString(), server));
        assert.ok(!error.message.includes("evil"), error.message);
      }
    }
  });

  it("goes on without iss only where the server did not promise one [M-AUTH-003]", () => {
    assert.match(refusal(() => read("code=c&state=s1", naming)).message, /promises to name itself/);
    assert.equal(read("code=c&state=s1", silent), "c");
  });

  it("shows nothing of an error answer from elsewhere, nor acts on it [M-AUTH-006]", () => {
    const query = "error=access_denied&error_description=Call+0900&error_uri=https%3A%2F%2Fevil.example&state=s1&iss=x";
    const error = refusal(() => read(query));
    assert.equal(error.oauthError, undefined);
    assert.doesNotMatch(error.message, /access_denied|0900|evil/);
    assert.equal(refusal(() => read("error=access_denied&state=s1", naming)).oauthError, undefined);
    assert.equal(refusal(() => read("error=access_denied&state=other")).oauthError, undefined);
  });

  it("tells a person's refusal and the server's errors by their codes", () => {
    const denied = refusal(() => read("error=access_denied&state=s1"));
    assert.equal(denied.oauthError, "access_denied");
    assert.match(denied.message, /access was denied at https:\/\/as\.example/);
    const scope = refusal(() => read("error=invalid_scope&error_description=No+such+scope&state=s1&code=c"));
    assert.equal(scope.oauthError, "invalid_scope");
    assert.match(scope.message, /invalid_scope.*No such scope/);
  });

  it("puts a server's text on one bounded line without control or direction characters", () => {
    const description = `a\u001b[31m\nb\u202ec\u2028${"x".repeat(1_000)}`;
    const query = new URLSearchParams({ error: "server_error", error_description: description, state: "s1" });
    const { message } = refusal(() => read(query.toString()));
    assert.doesNotMatch(message, /[\p{C}\u2028]/u);
    assert.ok(message.length < 400, `got ${message.length} characters`);
    const odd = refusal(() => read(new URLSearchParams({ error: "a\nb", state: "s1" }).toString()));
    assert.equal(odd.oauthError, "unknown_error");
  });

  it("refuses parameters that come twice", () => {
    for (const name of ["code", "state", "iss", "error"]) {
      const query = `code=c&state=s1&iss=${encodeURIComponent(login.issuer)}`;
      const value = new URLSearchParams(query).get(name) ?? "e";
      const twice = `${query}&${name}=${encodeURIComponent(value)}${name === "error" ? "&error=e" : ""}`;
      assert.match(refusal(() => read(twice)).message, /more than once/);
    }
  });

  it("refuses an answer that came to another address", () => {
    for (const address of [
      "http://127.0.0.1:4001/callback",
      "http://127.0.0.1:4000/callback/x",
      "https://127.0.0.1:4000/callback",
      "http://localhost:4000/callback",
      "nonsense",
    ]) {
      const error = refusal(() => readCallback(`${address}?code=c&state=s1`, login, silent));
      assert.match(error.message, /another address/);
    }
  });

  it("keeps to the query that the redirect URI has itself", () => {
    assert.equal(read("code=c&state=s1", silent, "https://app.example/cb?tenant=1"), "c");
    const foreign = () =>
      readCallback(
        "https://app.example/cb?tenant=2&code=c&state=s1",
        { ...login, redirectUri: "https://app.example/cb?tenant=1" },
        silent,
      );
    assert.match(refusal(foreign).message, /another address/);
  });

  it("refuses an answer with neither code nor error", () => {
    assert.match(refusal(() => read("state=s1")).message, /neither a code nor an error/);
    assert.match(refusal(() => read("state=s1&code=")).message, /neither a code nor an error/);
  });
});

describe("findState", () => {
  it("gives the only state, and nothing where there is none or more than one", () => {
    assert.equal(findState("https://app.example/cb?state=s&code=c"), "s");
    assert.equal(findState("https://app.example/cb?state=s&state=s"), undefined);
    assert.equal(findState("https://app.example/cb"), undefined);
    assert.equal(findState("/cb?state=s"), undefined);
  });
});
