import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGate, EventReader, settle, start } from "../../../test/fixtures/http/scripted-server.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { Call } from "../../jsonrpc/link.ts";
import { latestStateless } from "../../revision/registry.ts";
import { InboundExchange } from "./exchange.ts";

describe("InboundExchange", () => {
  it("goes on when the connection drops, and gives the answer to whoever resumes [HTTP-023] [HTTP-037]", async () => {
    const gate = createGate();
    const { client, clock, server, handler } = await start({ wait: gate.script });
    const pending = client.call("wait");
    const exchange = await gate.entered;
    await clock.advance(100);
    const reader = new EventReader(await pending);
    const priming = await reader.next();
    await reader.leave();
    await settle();
    assert.deepEqual(
      [exchange.signal.aborted, handler.stats()],
      [false, { sessions: 1, streams: 0, exchanges: 1, questions: 0 }],
    );
    gate.opened.resolve({ kept: true });
    await settle();
    const resumed = await client.listen(priming?.id);
    assert.deepEqual(await resumed.rest(), [{ jsonrpc: "2.0", id: 1, result: { kept: true } }]);
    assert.equal(server.received.filter(({ method }) => method === "wait").length, 1);
  });

  it("gives up the work when the connection drops and no log keeps the answer, with a reason of its own [PP-019]", async () => {
    const gate = createGate();
    const { client, clock, handler } = await start({ wait: gate.script }, { resumability: false });
    const pending = client.call("wait");
    const exchange = await gate.entered;
    await clock.advance(100);
    const reader = new EventReader(await pending);
    await reader.leave();
    assert.match(String(exchange.signal.reason), /ClosedError: the client disconnected/);
    gate.opened.resolve({});
    await settle();
    assert.deepEqual(handler.stats(), { sessions: 1, streams: 0, exchanges: 0, questions: 0 });
  });

  it("gives up the work when the client leaves before the reply began [PP-019]", async () => {
    const gate = createGate();
    const { client } = await start({ wait: gate.script }, { resumability: false });
    const controller = new AbortController();
    const pending = client.post({ jsonrpc: "2.0", id: 1, method: "wait" }, {}, controller.signal);
    const exchange = await gate.entered;
    controller.abort();
    assert.equal(exchange.signal.aborted, true);
    gate.opened.resolve({});
    await pending;
  });

  it("lets go of the connection of a running call, which ends by the resumed stream [HTTP-016] [HTTP-018]", async () => {
    const gate = createGate();
    const { client } = await start(
      {
        work: async (params, exchange) => {
          await exchange.notify({ method: "notifications/progress", params: { progress: 1 } });
          await settle();
          exchange.closeStream();
          await exchange.notify({ method: "notifications/progress", params: { progress: 2 } });
          return gate.script(params, exchange);
        },
      },
      { retryMs: 700 },
    );
    const reader = new EventReader(await client.call("work"));
    const priming = await reader.next();
    const progress = await reader.next();
    assert.equal(await reader.next(), undefined);
    assert.deepEqual([priming?.data, reader.retries], ["", [700]]);
    const resumed = await client.listen(progress?.id);
    gate.opened.resolve({ done: true });
    assert.deepEqual(await resumed.rest(), [
      { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 2 } },
      { jsonrpc: "2.0", id: 1, result: { done: true } },
    ]);
  });

  it("keeps a stream open that could not be resumed, and reports it", async () => {
    const { client, codes } = await start(
      {
        work: (_, exchange) => {
          exchange.closeStream();
          return { done: true };
        },
      },
      { resumability: false },
    );
    assert.deepEqual(await new EventReader(await client.call("work")).rest(), [
      { jsonrpc: "2.0", id: 1, result: { done: true } },
    ]);
    assert.deepEqual(codes(), ["MCP_D_STREAM_NOT_CLOSED"]);
  });

  it("aborts when it is asked to end, but is heard until it has answered or is given up [M-SUB-012]", async () => {
    const said: string[] = [];
    const nothing = (): never => assert.fail("not used here");
    const outlet = {
      notify: async ({ method }: Call) => void said.push(method),
      request: nothing,
      closeStream: nothing,
      closeStandingStream: nothing,
    };
    const context = { revision: latestStateless, session: undefined, auth: undefined, http: undefined };
    const exchange = new InboundExchange(1, context, outlet);
    exchange.conclude("closing");
    exchange.conclude("again");
    assert.deepEqual([exchange.signal.reason, exchange.isAborted, exchange.isOver], ["closing", false, false]);
    await exchange.notify({ method: "before" });
    exchange.abort("gone");
    await exchange.notify({ method: "behind" });
    assert.deepEqual([exchange.signal.reason, exchange.isAborted, said], ["closing", true, ["before"]]);
  });

  it("drops what a handler says after its answer", async () => {
    const held = createDeferred<{
      notify(call: { method: string }): Promise<void>;
      request(call: { method: string }): Promise<unknown>;
    }>();
    const { client } = await start({
      talk: (_, exchange) => {
        held.resolve(exchange);
        return {};
      },
    });
    await (await client.call("talk")).text();
    const exchange = await held.promise;
    await exchange.notify({ method: "notifications/message" });
    await assert.rejects(exchange.request({ method: "roots/list" }), /has been answered/);
  });
});
