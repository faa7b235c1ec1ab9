// A `fetch` that waits for a person, as one that logs in does: nobody's clock runs meanwhile, and afterwards it runs again.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineClient } from "parley-mcp/client";
import { createHttpLink } from "parley-mcp/http/client";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { createDeferred } from "../../src/base/deferred.ts";

const hour = 3_600_000;

function open() {
  const clock = createFakeClock();
  const person = { isAsked: true, answer: createDeferred(), silent: false };
  const handler = createHttpHandler(defineServer({ name: "s", version: "1", tools: { hi: tool({}, () => "hi") } }));
  const link = createHttpLink("http://localhost/mcp", {
    clock,
    standingStream: false,
    fetch: async (url, init) => {
      if (person.isAsked) {
        const goOn = init.hold?.();
        await person.answer.promise.finally(goOn);
      }
      return person.silent ? await new Promise<never>(() => undefined) : await handler.fetch(new Request(url, init));
    },
  });
  const client = defineClient({ name: "c", version: "1", clock, idleTimeoutMs: 1_000, totalTimeoutMs: 2_000 });
  return { clock, person, link, client };
}

describe("Hold", () => {
  it("stops the clock of the opening and of calls while a person is asked", async () => {
    const { clock, person, link, client } = open();
    const connecting = client.connect(link, { connectTimeoutMs: 5_000 });
    await clock.advance(hour);
    person.answer.resolve(undefined);
    const session = await connecting;
    person.answer = createDeferred();
    const calling = session.callTool("hi");
    await clock.advance(hour);
    person.answer.resolve(undefined);
    assert.deepEqual((await calling).content, [{ type: "text", text: "hi" }]);
    await session.close();
  });

  it("lets the clock run again, so that a server that is silent afterwards is given up", async () => {
    const { clock, person, link, client } = open();
    person.silent = true;
    const failed = assert.rejects(client.connect(link, { connectTimeoutMs: 5_000 }), { limit: "connect" });
    await clock.advance(hour);
    person.answer.resolve(undefined);
    await clock.advance(4_999);
    await clock.advance(1);
    await failed;
    assert.equal(clock.pendingTimers, 0);
  });
});
