// A call that waits for a page which the person visits: the server asks again without questions, and the person can
// hurry or give up.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InputError, type UrlElicitation } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import { createFakeClock } from "parley-mcp/test";
import { Arrivals } from "../fixtures/signals.ts";
import { StatelessServer } from "../fixtures/stateless-server.ts";
import { turn } from "../fixtures/turn.ts";

const page = { mode: "url", message: "Sign in", url: "https://a.example/" };

/** A server that wants a page, and then says for ever that it is not done yet, and a client in the middle of that. */
async function open() {
  const clock = createFakeClock(1_000_000);
  const asked = new Arrivals<UrlElicitation>();
  let calls = 0;
  const state = { isDone: false };
  const server = new StatelessServer({
    capabilities: { tools: {} },
    answers: {
      "tools/call": () => {
        calls += 1;
        const waiting = { resultType: "input_required", requestState: `s${calls}` };
        const question = { method: "elicitation/create", params: page };
        return state.isDone
          ? { resultType: "complete", content: [{ type: "text", text: "in" }] }
          : calls === 1
            ? { ...waiting, inputRequests: { page: question } }
            : waiting;
      },
    },
  });
  const url = {
    consent: (request: UrlElicitation) => {
      asked.take(request);
      return "accept" as const;
    },
    open: () => undefined,
  };
  const client = await connect(server.channel, {
    client: { name: "tester", version: "1.0.0", clock, elicitation: { url }, maxInputRounds: 100 },
  });
  const call = client.callTool("enter", {});
  call.catch(() => undefined);
  const [request] = await asked.until(1);
  await turn();
  return { clock, client, call, request, state, calls: () => calls };
}

describe("a call that waits for a page", () => {
  it("is asked for again less and less often, not in a loop [M-ELIC-004] [M-MRTR-025]", async () => {
    const { clock, client, calls } = await open();
    const seconds: number[] = [];
    for (let second = 0; second < 60; second += 1) {
      const before = calls();
      await clock.advance(1_000);
      await turn();
      if (calls() > before) {
        seconds.push(second);
      }
    }
    assert.equal(seconds.length > 1 && seconds.length < 30, true, seconds.join());
    await client.close();
  });

  it("goes on at once when the person says that they are done [M-ELIC-004]", async () => {
    const { client, call, request, state, calls } = await open();
    const before = calls();
    state.isDone = true;
    request?.blockedCall?.retry();
    assert.deepEqual((await call).content, [{ type: "text", text: "in" }]);
    assert.equal(calls(), before + 1);
    await client.close();
  });

  it("ends when the person gives it up [M-ELIC-004]", async () => {
    const { clock, client, call, request, calls } = await open();
    request?.blockedCall?.cancel();
    await assert.rejects(call, (error) => error instanceof InputError && error.reason === "cancelled");
    const before = calls();
    await clock.advance(120_000);
    await turn();
    assert.equal(calls(), before);
    await client.close();
  });
});
