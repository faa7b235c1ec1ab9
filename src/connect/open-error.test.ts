import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClosedError, HttpError, TimeoutError, UsageError } from "../base/error.ts";
import { explainOpening } from "./open-error.ts";

const url = new URL("http://localhost/mcp");

describe("explainOpening", () => {
  it("leaves alone what is not ours, and what has nothing to add", () => {
    for (const error of [new Error("theirs"), "text", new UsageError("misuse"), undefined]) {
      assert.equal(explainOpening(error, { place: "p", url }), error);
    }
    const closed = new ClosedError("the connection ended");
    assert.equal(explainOpening(closed, { place: "the server in this process" }), closed);
  });

  it("keeps class, details and the original", () => {
    const original = new HttpError("got 403", { status: 403, excerpt: "no", retryAfterMs: 5 });
    const explained = explainOpening(original, { place: "p", url });
    assert.ok(explained instanceof HttpError);
    assert.deepEqual([explained.status, explained.excerpt, explained.retryAfterMs], [403, "no", 5]);
    assert.equal(explained.cause, original);
  });

  it("asks whether the server runs where no answer came", () => {
    const explained = explainOpening(new ClosedError("no answer came"), { place: "p", url });
    assert.match(String(explained), /no answer came; is the server running, and is this its address\?$/);
  });

  it("shows what a silent process has said", () => {
    const timeout = new TimeoutError("connect: no session after 5 ms", { limit: "connect", timeoutMs: 5 });
    const said = explainOpening(timeout, {
      place: '"docker"',
      stderrLines: () => ["1", "2", "3", "4", "5", "pulling"],
    });
    assert.match(
      String(said),
      /no session after 5 ms with "docker"; its last lines on standard error:\n2\n3\n4\n5\npulling$/,
    );
    assert.match(String(explainOpening(timeout, { place: '"cat"', stderrLines: () => [] })), /it printed nothing/);
  });
});
