import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { attempt, isPromise, whenDone } from "./maybe.ts";

describe("whenDone", () => {
  it("goes on at once with what is there, and later with what comes", async () => {
    assert.equal(
      whenDone(1, (value) => value + 1),
      2,
    );
    const later = whenDone(Promise.resolve(1), (value) => value + 1);
    assert.ok(isPromise(later));
    assert.equal(await later, 2);
  });
});

describe("attempt", () => {
  it("recovers from what is thrown now and from what is thrown later", async () => {
    const fail = (): never => {
      throw new Error("no");
    };
    const recover = (error: unknown): string => (error as Error).message;
    assert.equal(attempt<string>(fail, recover), "no");
    assert.equal(await attempt<string>(async () => fail(), recover), "no");
    assert.equal(
      attempt(() => "yes", recover),
      "yes",
    );
  });
});
