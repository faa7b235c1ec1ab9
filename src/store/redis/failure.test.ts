import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readFailure } from "./failure.ts";

const kindOf = (message: string): string => readFailure(new Error(message)).kind;

describe("readFailure", () => {
  it("tells a lost reply from an answer of the server", () => {
    for (const message of [
      "Socket closed unexpectedly",
      "The client is closed",
      "Connection is closed.",
      'Reached the max retries per request limit (which is 20). Refer to "maxRetriesPerRequest" option for details.',
      "read ECONNRESET",
      "connect ECONNREFUSED 127.0.0.1:1",
      "",
    ]) {
      assert.equal(kindOf(message), "lost", message);
    }
    for (const message of [
      "LOADING Redis is loading the dataset in memory",
      "READONLY You can't write against a read only replica.",
    ]) {
      assert.equal(kindOf(message), "busy", message);
    }
    for (const message of [
      "ERR syntax error",
      "WRONGTYPE Operation against a key",
      "NOAUTH Authentication required.",
    ]) {
      assert.equal(kindOf(message), "refused", message);
    }
    assert.equal(kindOf("OOM command not allowed when used memory > 'maxmemory'."), "full");
    assert.equal(readFailure("a text").kind, "lost");
  });

  it("keeps what the command was about out of the reason", () => {
    const error = new Error("ERR unknown command 'X', with args beginning with: 'key' 'value'");
    assert.equal(readFailure(error).reason, "ERR unknown command 'X'");
  });
});
