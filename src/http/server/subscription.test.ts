import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGate, EventReader, type Script, settle, start } from "../../../test/fixtures/http/scripted-server.ts";
import { createDeferred } from "../../base/deferred.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { createMemoryStore } from "../../store/memory.ts";

const listen = "subscriptions/listen";
const acknowledged = { method: "notifications/subscriptions/acknowledged" };

describe("Subscription", () => {
  it("carries what the dispatcher sends, in order, with comments in silence, for as long as it takes [M-HTTP-008] [M-HTTP-009] [M-HTTP-013] [M-SUB-015]", async () => {
    const gate = createGate();
    const script: Script = async (params, exchange) => {
      await exchange.notify(acknowledged);
      return gate.script(params, exchange);
    };
    const { client, clock, handler } = await start({ [listen]: script }, { sessions: false });
    const response = await client.ask(listen);
    assert.deepEqual([response.status, response.headers.get("x-accel-buffering")], [200, "no"]);
    const reader = new EventReader(response);
    assert.deepEqual(await reader.next(), { id: undefined, data: JSON.stringify({ jsonrpc: "2.0", ...acknowledged }) });
    const exchange = await gate.entered;
    for (let hour = 0; hour < 240; hour += 1) {
      await clock.advance(15_000);
      await reader.pull();
    }
    assert.equal(reader.comments.length, 240);
    await exchange.notify({ method: "notifications/tools/list_changed" });
    assert.equal((await reader.message())?.method, "notifications/tools/list_changed");
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 1, exchanges: 0, questions: 0 });
    gate.opened.resolve({ resultType: "complete" });
    assert.deepEqual(await reader.rest(), [{ jsonrpc: "2.0", id: 1, result: { resultType: "complete" } }]);
    assert.deepEqual([reader.retries, exchange.signal.aborted], [[], false]);
  });

  it("begins its stream without waiting for the first message", async () => {
    const gate = createGate();
    const { client, clock } = await start({ [listen]: gate.script });
    const pending = client.ask(listen);
    await gate.entered;
    await clock.advance(0);
    assert.equal((await pending).headers.get("content-type"), "text/event-stream");
    gate.opened.resolve({});
  });

  it("is refused with the status of the error before the stream begins [M-ERR-010]", async () => {
    const { client } = await start({
      [listen]: ({ notifications }) => {
        throw notifications === undefined ? new RpcError(-32602, "no filter") : new RpcError(-32601, "unknown");
      },
    });
    const unknown = await client.ask(listen, { notifications: {} }, "q");
    assert.deepEqual([unknown.status, ((await unknown.json()) as { id: string }).id], [404, "q"]);
    const [answer] = await new EventReader(await client.ask(listen)).rest();
    assert.equal((answer as { error: { code: number } }).error.code, -32602);
  });

  it("ends when the client leaves: the signal aborts, nothing more is sent and nothing is kept [M-SUB-011] [M-HTTP-011]", async () => {
    const left = createDeferred<unknown>();
    const { client, handler, clock, codes } = await start(
      {
        [listen]: async (_, exchange) => {
          await exchange.notify(acknowledged);
          await new Promise((resolve) => exchange.signal.addEventListener("abort", resolve, { once: true }));
          await exchange.notify({ method: "notifications/tools/list_changed" });
          left.resolve(exchange.signal.reason);
          return {};
        },
      },
      { store: createMemoryStore() },
    );
    const timers = clock.pendingTimers;
    const reader = new EventReader(await client.ask(listen));
    await reader.next();
    await reader.leave();
    assert.match(String(await left.promise), /ClosedError: the client ended the subscription/);
    await settle();
    assert.deepEqual([handler.stats(), codes()], [{ sessions: 1, streams: 0, exchanges: 0, questions: 0 }, []]);
    await clock.advance(60_000);
    assert.equal(clock.pendingTimers, timers, "only the idle session has any");
  });

  it("ends when the client is gone before the stream began", async () => {
    const gate = createGate();
    const { client } = await start({ [listen]: gate.script });
    const controller = new AbortController();
    const pending = client.ask(listen, {}, 1, {}, controller.signal);
    const { signal } = await gate.entered;
    controller.abort();
    assert.equal(signal.aborted, true);
    gate.opened.resolve({});
    assert.equal(await (await pending).text(), "");
  });

  it("asks nothing, and keeps its connection [M-BASE-001]", async () => {
    const { client, codes } = await start({
      [listen]: async (_, exchange) => {
        const error = await exchange.request({ method: "roots/list" }).catch((reason: unknown) => reason);
        exchange.closeStream();
        exchange.closeStandingStream();
        return { text: String(error) };
      },
    });
    const [answer] = await new EventReader(await client.ask(listen)).rest();
    assert.match(JSON.stringify(answer?.result), /roots\/list cannot reach the client/);
    assert.deepEqual(codes(), ["MCP_D_STREAM_NOT_CLOSED", "MCP_D_STREAM_NOT_CLOSED"]);
  });
});
