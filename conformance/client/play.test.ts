import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AuthorizationError } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import { defineServer } from "parley-mcp/server";
import { justConnect } from "./basics.ts";
import { parseContext, playScenario, readFact, type Scenario } from "./play.ts";

const app = defineServer({ name: "lets-everybody-in", version: "1.0.0" });
const refused = new AuthorizationError("not this one", { stage: "server-metadata" });

async function play(scenario: Partial<Scenario>, failure?: Error): Promise<void> {
  await playScenario({ play: justConnect, ...scenario }, {}, async () => {
    if (failure !== undefined) {
      throw failure;
    }
    return await connect(app);
  });
}

describe("playScenario", () => {
  it("fails with what the client fails with, unless it has to give up there", async () => {
    await play({});
    await play({ givesUpAt: "server-metadata" }, refused);
    await assert.rejects(play({}, refused), refused);
    await assert.rejects(play({ givesUpAt: "authorization" }, refused), refused);
    const other = new Error("out of order");
    await assert.rejects(play({ givesUpAt: "server-metadata" }, other), other);
  });

  it("takes giving up inside the session for giving up as well", async () => {
    await play({ givesUpAt: "server-metadata", play: () => Promise.reject(refused) });
  });

  it("fails where the client goes on though it has to give up", async () => {
    await assert.rejects(play({ givesUpAt: "access" }), /expected the client to give up at the stage "access"/);
  });
});

describe("readFact", () => {
  it("reads a text of the context and says which one is missing", () => {
    const context = parseContext('{"client_id":"me","valid_jwt":7}');
    assert.equal(readFact(context, "client_id"), "me");
    assert.throws(() => readFact(context, "valid_jwt"), /"valid_jwt".* got number/);
    assert.throws(() => readFact(parseContext(undefined), "issuer"), /"issuer".* got undefined/);
  });
});
