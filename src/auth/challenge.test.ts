import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { UsageError } from "../base/error.ts";
import { encodeChallenge, findScheme, parseChallenges, readAuthChallenge } from "./challenge.ts";

/** Challenges as plain values. */
function plain(values: string | readonly string[] | null): unknown[] {
  return parseChallenges(values).challenges.map(({ scheme, token68, parameters }) => ({
    scheme,
    ...(token68 === undefined ? {} : { token68 }),
    parameters: Object.fromEntries(parameters),
  }));
}

/** The only challenge of a header, which has nothing wrong with it. */
function only(header: string): Record<string, string> {
  const { challenges, problems } = parseChallenges(header);
  assert.deepEqual(problems, []);
  assert.equal(challenges.length, 1);
  return Object.fromEntries(challenges[0]?.parameters ?? []);
}

const answer = (...headers: readonly string[]): Response => {
  const response = new Response(null, { status: 401 });
  for (const header of headers) {
    response.headers.append("www-authenticate", header);
  }
  return response;
};

describe("parseChallenges", () => {
  it("reads one challenge, its names in any case, its values as they are [AUTH-019]", () => {
    const header = 'BEARER Realm="Mcp", ERROR=invalid_token, Resource_Metadata="https://x.example/A?b=c,d"';
    assert.deepEqual(plain(header), [
      {
        scheme: "bearer",
        parameters: { realm: "Mcp", error: "invalid_token", resource_metadata: "https://x.example/A?b=c,d" },
      },
    ]);
  });

  it("reads several challenges in one header and in many alike, in any order [AUTH-019] [PP-086]", () => {
    const headers = ['Basic realm="a, Bearer error=x"', "Negotiate abc+/9==", "Digest", 'Bearer scope="a b",error=e'];
    const expected = [
      { scheme: "basic", parameters: { realm: "a, Bearer error=x" } },
      { scheme: "negotiate", token68: "abc+/9==", parameters: {} },
      { scheme: "digest", parameters: {} },
      { scheme: "bearer", parameters: { scope: "a b", error: "e" } },
    ];
    assert.deepEqual(plain(headers), expected);
    assert.deepEqual(plain(headers.join(",")), expected);
    assert.deepEqual(plain(headers.toReversed()), expected.toReversed());
  });

  it("reads quoted pairs, odd spacing and empty elements [AUTH-019] [PP-086]", () => {
    assert.deepEqual(only(String.raw`Bearer error_description="say \"hi\" \\ \x, ok"`), {
      error_description: String.raw`say "hi" \ x, ok`,
    });
    assert.deepEqual(only(' ,, \tBearer   realm =\t"x" ,, , error= y\t,scope  ="" , '), {
      realm: "x",
      error: "y",
      scope: "",
    });
    assert.deepEqual(only('Bearer realm="x" error="y"scope="z"'), { realm: "x", error: "y", scope: "z" });
    assert.deepEqual(only('Bearer, realm="x"'), { realm: "x" });
  });

  it("reads a URL that should have been quoted [PP-086]", () => {
    const header = "Bearer resource_metadata=https://x.example/y?z=1&w=[2], error=invalid_token";
    assert.deepEqual(only(header), { resource_metadata: "https://x.example/y?z=1&w=[2]", error: "invalid_token" });
  });

  it("takes the first of a parameter that comes twice, and reports it without its value [PP-086]", () => {
    const { challenges, problems } = parseChallenges('Bearer scope="first", SCOPE="secret", scope=third');
    assert.equal(findScheme(challenges, "bearer")?.parameters.get("scope"), "first");
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? "", /"scope": expected once/);
    assert.doesNotMatch(problems.join(), /secret|third/);
  });

  it("lets the same parameter stand in two challenges", () => {
    assert.deepEqual(parseChallenges('Basic realm="a", Bearer realm="b"').problems, []);
  });

  it("leaves out what it cannot read, reports it, and reads on [PP-086]", () => {
    const cases: readonly [header: string, problem: RegExp, schemes: readonly string[]][] = [
      ['realm="x", Bearer error=y', /"realm": expected a scheme/, ["bearer"]],
      ["Bearer scope=a b c, error=y", /expected a comma/, ["bearer"]],
      ['@"a,b", Bearer error=y', /another character/, ["bearer"]],
      ["Foo/bar, Bearer error=y", /expected a space behind a scheme/, ["bearer"]],
      ['Bearer error=y, realm="never closed, Basic x=y', /"realm": expected a closing quote/, ["bearer"]],
      ['Bearer error=y, realm="\\', /"realm": expected a closing quote/, ["bearer"]],
    ];
    for (const [header, problem, schemes] of cases) {
      const { challenges, problems } = parseChallenges(header);
      assert.match(problems.join(), problem, header);
      assert.deepEqual(
        challenges.map(({ scheme }) => scheme),
        schemes,
        header,
      );
      assert.equal(findScheme(challenges, "bearer")?.parameters.get("error"), "y", header);
    }
  });

  it("gives nothing for no header and for an empty one", () => {
    assert.deepEqual(parseChallenges(null), { challenges: [], problems: [] });
    assert.deepEqual(parseChallenges(""), { challenges: [], problems: [] });
    assert.deepEqual(parseChallenges([]), { challenges: [], problems: [] });
    assert.deepEqual(parseChallenges([" , ", ",,"]), { challenges: [], problems: [] });
  });

  it("takes parameters whose names mean something to objects", () => {
    const parameters = parseChallenges("Bearer __proto__=a, constructor=b").challenges[0]?.parameters;
    assert.deepEqual(
      [...(parameters ?? [])],
      [
        ["__proto__", "a"],
        ["constructor", "b"],
      ],
    );
  });

  it("is bounded in length, challenges and parameters, and says so", () => {
    const long = parseChallenges(`Bearer realm="${"x".repeat(16_384)}"`);
    assert.deepEqual(long.challenges, []);
    assert.match(long.problems.join(), /at most 16384 characters/);
    const many = parseChallenges(Array.from({ length: 40 }, (_, at) => `S${at} a=b`));
    assert.equal(many.challenges.length, 32);
    assert.match(many.problems.join(), /at most 32 challenges/);
    const wide = parseChallenges(`Bearer ${Array.from({ length: 80 }, (_, at) => `p${at}=v`).join()}`);
    assert.equal(wide.challenges[0]?.parameters.size, 64);
    assert.match(wide.problems.join(), /at most 64 parameters/);
    const wrong = parseChallenges(`Bearer ${Array.from({ length: 40 }, (_, at) => `p${at}=v, p${at}=w`).join()}`);
    assert.equal(wrong.problems.length, 16);
  });
});

describe("findScheme", () => {
  it("gives the first challenge of a scheme, in any case", () => {
    const { challenges } = parseChallenges('Basic a=1, DPoP algs="ES256", Basic a=2');
    assert.equal(findScheme(challenges, "BASIC")?.parameters.get("a"), "1");
    assert.equal(findScheme(challenges, "dpop")?.parameters.get("algs"), "ES256");
    assert.equal(findScheme(challenges, "bearer"), undefined);
  });
});

describe("encodeChallenge", () => {
  it("quotes and escapes values, keeps their order and leaves out what is undefined", () => {
    const text = encodeChallenge("Bearer", { scope: "a b", error: undefined, realm: 'a"b\\c' });
    assert.equal(text, String.raw`Bearer scope="a b", realm="a\"b\\c"`);
    assert.equal(encodeChallenge("DPoP"), "DPoP");
  });

  it("refuses what would break the header, without showing it", () => {
    for (const value of ["a\r\nSet-Cookie: b", "\u0000", "caf\u00e9", "\u007f"]) {
      assert.throws(
        () => encodeChallenge("Bearer", { realm: value }),
        (error) => error instanceof UsageError && /"realm".*printable ASCII/.test(error.message),
      );
    }
    assert.throws(() => encodeChallenge("Bea rer"), UsageError);
    assert.throws(() => encodeChallenge("Bearer", { "a=b": "" }), UsageError);
  });
});

describe("readAuthChallenge", () => {
  it("gives what a client acts on, whichever header it stands in [AUTH-019]", () => {
    const bearer =
      'Bearer error="insufficient_scope", scope="files:read files:write", error_description="More, please", ' +
      'resource_metadata="https://x.example/.well-known/oauth-protected-resource", acr_values="mfa", max_age=300';
    assert.deepEqual(readAuthChallenge(answer('Basic realm="x"', bearer)), {
      scheme: "bearer",
      error: "insufficient_scope",
      errorDescription: "More, please",
      scopes: ["files:read", "files:write"],
      resourceMetadata: "https://x.example/.well-known/oauth-protected-resource",
      acrValues: "mfa",
      maxAge: 300,
      problems: [],
    });
  });

  it("gives nothing where neither Bearer nor DPoP is demanded [PP-086]", () => {
    assert.equal(readAuthChallenge(answer()), undefined);
    assert.equal(readAuthChallenge(answer('Basic realm="x", error="y"', "Negotiate abc=")), undefined);
  });

  it("prefers the challenge about this request, and takes the address of metadata from wherever it stands [PP-086]", () => {
    const metadata = 'Bearer resource_metadata="https://x.example/m"';
    const error = 'DPoP error="invalid_token", algs="ES256"';
    for (const headers of [
      [metadata, error],
      [error, metadata],
    ]) {
      const challenge = readAuthChallenge(answer(...headers));
      assert.equal(challenge?.scheme, "dpop");
      assert.equal(challenge?.error, "invalid_token");
      assert.equal(challenge?.resourceMetadata, "https://x.example/m");
    }
    assert.equal(readAuthChallenge(answer("DPoP", metadata))?.scheme, "bearer");
    assert.equal(readAuthChallenge(answer("Bearer", "DPoP"))?.scheme, "bearer");
  });

  it("shows texts of the server without control characters and cut to 300 characters", () => {
    const challenge = readAuthChallenge(answer(`Bearer error_description="a\tb\u0085c${"x".repeat(500)}"`));
    assert.equal(challenge?.errorDescription, `abc${"x".repeat(297)}`);
  });

  it("drops values that mean nothing, and reports them", () => {
    const challenge = readAuthChallenge(answer('Bearer scope=" ", max_age="-1", error=""'));
    assert.equal(challenge?.scopes, undefined);
    assert.equal(challenge?.maxAge, undefined);
    assert.equal(challenge?.error, undefined);
    assert.match(challenge?.problems.join() ?? "", /"max_age": expected a whole number/);
  });
});
