import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";
import { processRevocationResponse, WWWAuthenticateChallengeError } from "oauth4webapi";

import { encodeChallenge, parseChallenges } from "./challenge.ts";

/** Challenges as plain values. */
function plain(header: string): unknown[] {
  return parseChallenges(header).challenges.map(({ scheme, token68, parameters }) => ({
    scheme,
    ...(token68 === undefined ? {} : { token68 }),
    parameters: Object.fromEntries(parameters),
  }));
}

const tokenCharacters = [..."abcXYZ019.-_~+"];
const token = fc.string({ unit: fc.constantFrom(...tokenCharacters), minLength: 1, maxLength: 8 });
const gap = fc.constantFrom(", ", ",", ",\t ", ", ,");
const parameter = fc.tuple(
  token,
  fc.constantFrom("=", " = ", "=\t"),
  fc.oneof(
    token,
    fc.string({ maxLength: 12 }).map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`),
  ),
);
const challenge = fc.oneof(
  token.map((scheme) => scheme),
  fc.tuple(token, token, fc.constantFrom("", "=", "==")).map(([scheme, start, end]) => `${scheme} ${start}${end}`),
  fc
    .tuple(
      token,
      fc.uniqueArray(parameter, { minLength: 1, maxLength: 4, selector: ([name]) => name.toLowerCase() }),
      fc.constantFrom(", ", ","),
    )
    .map(([scheme, pairs, comma]) => `${scheme} ${pairs.map((pair) => pair.join("")).join(comma)}`),
);
const header = fc
  .array(fc.tuple(gap, challenge), { minLength: 1, maxLength: 5 })
  .map((list) => list.flat().slice(1).join(""));

/** What another parser reads; nothing where it gives up. */
async function readByOracle(response: Response): Promise<unknown> {
  try {
    await processRevocationResponse(response);
  } catch (error) {
    return error instanceof WWWAuthenticateChallengeError
      ? error.cause.map(({ scheme, token68, parameters }) => ({
          scheme,
          ...(token68 === undefined ? {} : { token68 }),
          parameters: { ...parameters },
        }))
      : undefined;
  }
  return undefined;
}

describe("parseChallenges", () => {
  it("reads well-formed headers alike [AUTH-019] [PP-086]", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(header, async (text) => {
        const expected = await readByOracle(new Response(null, { status: 401, headers: { "www-authenticate": text } }));
        if (expected !== undefined) {
          compared += 1;
          assert.deepEqual(plain(text), expected);
        }
        assert.deepEqual(parseChallenges(text).problems, []);
      }),
      { numRuns: 500 },
    );
    assert.ok(compared > 250, `only ${compared} headers were read by both`);
  });

  it("never throws, and is fast on texts made to slow it down", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aB="\\, \t;/\u0000é'), maxLength: 60 }), (text) => {
        assert.ok(Array.isArray(parseChallenges(text).challenges));
      }),
      { numRuns: 3000 },
    );
    for (const unit of ['"\\', "a=", '"', "\\", " ", "=", "a ", 'a="', 'a="\\"', "/a ", '@"', ", ,"]) {
      const text = `Bearer ${unit.repeat(Math.floor(16_000 / unit.length))}`;
      const start = performance.now();
      parseChallenges(text);
      parseChallenges(`${text}@`);
      assert.ok(performance.now() - start < 500, JSON.stringify(unit));
    }
  });
});

describe("encodeChallenge", () => {
  it("writes what parseChallenges reads back [PP-086]", () => {
    const printable = fc.string({ maxLength: 30 });
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.tuple(token, printable), { maxLength: 5, selector: ([name]) => name.toLowerCase() }),
        (pairs) => {
          const { challenges, problems } = parseChallenges(encodeChallenge("Bearer", Object.fromEntries(pairs)));
          assert.deepEqual(problems, []);
          const expected = new Map(
            Object.entries(Object.fromEntries(pairs)).map(([name, value]) => [name.toLowerCase(), value]),
          );
          assert.deepEqual(challenges, [{ scheme: "bearer", parameters: expected }]);
        },
      ),
    );
  });
});
