import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { silence } from "../../../test/fixtures/fake-server.ts";
import { able, ask, bare, done, form, openRounds, page, roots } from "../../../test/fixtures/question-rounds.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { BlockedCall } from "./blocked-call.ts";

describe("InputDriver with pages", () => {
  function visiting(consent: (blocked: BlockedCall | undefined) => "accept" | "decline") {
    const opened: string[] = [];
    const url = {
      consent: ({ blockedCall }: { blockedCall: BlockedCall | undefined }) => consent(blockedCall),
      open: (href: string) => void opened.push(href),
    };
    return { opened, options: { elicitation: { url }, idleTimeoutMs: 1_000 } };
  }

  it("retries right after consent, and lets the server hold that retry for long [M-MRTR-029]", async () => {
    const { opened, options } = visiting(() => "accept");
    const held = createDeferred<JsonObject>();
    const { session, sent, clock } = await openRounds(options, ask({ a: page }, "s"), () => held.promise);
    const call = session.callTool("t");
    await turn();
    assert.deepEqual(opened, ["https://a.test/in"]);
    assert.deepEqual(sent()[1]?.inputResponses, { a: { action: "accept" } });
    await clock.advance(500_000);
    held.resolve(done);
    assert.deepEqual(await call, done);
    await session.close();
  });

  it("gives the call up by hand, which the server is told", async () => {
    let blocked: BlockedCall | undefined;
    const { options } = visiting((given) => {
      blocked = given;
      return "accept";
    });
    const { server, session } = await openRounds(options, ask({ a: page }), silence);
    const failed = assert.rejects(session.callTool("t"), { code: "MCP_INPUT", reason: "cancelled" });
    await turn();
    blocked?.cancel();
    await failed;
    assert.equal(server.methods.at(-1), "notifications/cancelled");
    await session.close();
  });

  it("goes on without waiting by hand", async () => {
    let blocked: BlockedCall | undefined;
    const { options } = visiting((given) => {
      blocked = given;
      return "accept";
    });
    const { session, clock } = await openRounds(
      options,
      ask({ a: page }),
      ask(undefined, "1"),
      ask(undefined, "2"),
      done,
    );
    const call = session.callTool("t");
    await turn();
    assert.ok(clock.pendingTimers > 0);
    blocked?.retry();
    assert.deepEqual(await call, done);
    await session.close();
  });

  it("sends a declined page as an answer, with the ordinary limits [M-MRTR-026]", async () => {
    const { opened, options } = visiting(() => "decline");
    const { session, sent, clock } = await openRounds(options, ask({ a: page }), silence);
    const failed = assert.rejects(session.callTool("t"), { code: "MCP_TIMEOUT" });
    await turn();
    assert.deepEqual(sent()[1]?.inputResponses, { a: { action: "decline" } });
    await clock.advance(1_000);
    await failed;
    assert.deepEqual(opened, []);
    await session.close();
  });
});

describe("rounds by hand", () => {
  it("gives a result that asks to the caller, who sends the next round [M-MRTR-030]", async () => {
    const { session, sent } = await openRounds({}, ask({ a: form }, "s"), ask({ b: roots }, "s2"), done);
    const manual = { inputRounds: "manual" } as const;
    const asked = await session.request("tools/call", { name: "t" }, manual);
    assert.equal(asked.resultType, "input_required");
    const inputResponses = { a: { action: "cancel" as const } };
    const again = await session.request("tools/call", { name: "t", inputResponses, requestState: "s" }, manual);
    assert.equal(again.resultType, "input_required");
    assert.deepEqual(bare(sent()[1]), { name: "t", inputResponses, requestState: "s" });
    await session.close();
  });

  it("goes on by itself from a round that the caller began [M-MRTR-024]", async () => {
    const { session, sent } = await openRounds(able, ask({ b: roots }), done);
    const inputResponses = { a: { action: "cancel" as const } };
    await session.request("tools/call", { name: "t", inputResponses, requestState: "s" });
    assert.deepEqual(Object.keys(sent()[1]?.inputResponses ?? {}), ["b"]);
    assert.equal(sent()[1]?.requestState, undefined);
    await session.close();
  });
});
