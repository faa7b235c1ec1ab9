import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refuse, toTokens } from "../../../../test/fixtures/auth/authorization-rig.ts";
import { createFakeClock } from "../../../test/clock.ts";
import { readAuthChallenge } from "../../challenge.ts";
import { createRefusalError } from "./refusal-error.ts";

const clock = createFakeClock();
/** Six hundred characters, none of whose pieces occurs twice. */
const token = Array.from({ length: 150 }, (_, index) => `k${String(index).padStart(3, "0")}`).join("");
const refusal = (parameters: Readonly<Record<string, string>>, accessToken = token) =>
  createRefusalError(readAuthChallenge(refuse(parameters)), toTokens(accessToken, clock));

describe("createRefusalError", () => {
  it("shows no piece of the token of 16 characters, wherever it was cut [AUTH-056]", () => {
    const pieces = [token, token.slice(0, 280), token.slice(300), token.slice(100, 116)];
    for (const piece of pieces) {
      for (const field of ["error", "error_description", "scope"]) {
        const { message, oauthError } = refusal({ error: "invalid_token", [field]: `bad-${piece}-end` });
        for (const text of [message, oauthError ?? ""]) {
          for (let start = 0; start + 16 <= token.length; start += 1) {
            assert.ok(!text.includes(token.slice(start, start + 16)), text);
          }
        }
        assert.match(message, /bad-\[token\]/);
      }
    }
  });

  it("hides a short token as a whole, and leaves what only looks like a piece of a long one [AUTH-056]", () => {
    assert.match(refusal({ error: "x", error_description: "bad s3cret!" }, "s3cret").message, /bad \[token\]!$/);
    assert.match(refusal({ error: "x", error_description: "k000k001k002k00" }).message, /k000k001k002k00$/);
  });

  it("says it in one line of bounded length", () => {
    const { message } = refusal({
      error: "e\u0085rr",
      error_description: "d".repeat(9_000),
      scope: "s ".repeat(3_000),
    });
    assert.doesNotMatch(message, /[\p{Cc}\p{Cf}]/u);
    assert.ok(message.length < 500);
  });
});
