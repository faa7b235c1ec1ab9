import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createGate,
  EventReader,
  type Script,
  settle,
  start,
  type TestHeaders,
} from "../../../test/fixtures/http/scripted-server.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { HttpExchange } from "./exchange.ts";

/** Acknowledges, and ends with a result when it is asked to. */
const listening =
  (exchanges: HttpExchange[] = []): Script =>
  async (_, exchange) => {
    exchanges.push(exchange);
    await exchange.notify({ method: "notifications/subscriptions/acknowledged" });
    await new Promise((resolve) => exchange.signal.addEventListener("abort", resolve, { once: true }));
    return { resultType: "complete" };
  };

const listen = "subscriptions/listen";

describe("SubscriptionTable", () => {
  it("answers with an event stream, whatever the server prefers, and with 406 who takes none [M-SUB-017]", async () => {
    for (const response of ["json", "auto", "stream"] as const) {
      const { client } = await start({ [listen]: listening() }, { response });
      const reader = new EventReader(await client.ask(listen));
      assert.equal((await reader.message())?.method, "notifications/subscriptions/acknowledged");
      await reader.leave();
      const refused = await client.ask(listen, {}, 4, { accept: "application/json" });
      assert.deepEqual([refused.status, ((await refused.json()) as { id: number }).id], [406, 4]);
    }
  });

  it("bounds how many are open, with 503 for one more, and has room when one ends [M-SUB-016]", async () => {
    const { client } = await start({ [listen]: listening() }, { maxSubscriptions: 2 });
    const readers = [await client.ask(listen), await client.ask(listen)].map((response) => new EventReader(response));
    const refused = await client.ask(listen, {}, "x");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "30"]);
    const { id, error } = (await refused.json()) as { id: string; error: { message: string } };
    assert.equal(id, "x");
    assert.match(error.message, /already has 2 subscriptions open/);
    await readers[0]?.leave();
    await settle();
    const again = await client.ask(listen);
    assert.equal(again.status, 200);
  });

  it("bounds how many each caller has open, with 429 for one more, and not those of nobody [M-SUB-016]", async () => {
    const authenticate = (request: { header(name: string): string | undefined }) => {
      const name = request.header("authorization");
      const auth: AuthInfo | undefined = name === undefined ? undefined : { token: name, clientId: name, scopes: [] };
      return { ok: true, auth } as const;
    };
    const { client } = await start({ [listen]: listening() }, { maxSubscriptionsPerCaller: 1, auth: { authenticate } });
    const open = (headers: TestHeaders = {}): Promise<Response> => client.ask(listen, {}, 1, headers);
    const first = new EventReader(await open({ authorization: "a" }));
    assert.equal((await open({ authorization: "a" })).status, 429);
    assert.equal((await open({ authorization: "b" })).status, 200);
    assert.deepEqual([(await open()).status, (await open()).status], [200, 200]);
    await first.leave();
    await settle();
    assert.equal((await open({ authorization: "a" })).status, 200);
  });

  it("lets all send their result when the handler closes, and then ends them [M-SUB-012]", async () => {
    const exchanges: HttpExchange[] = [];
    const { client, handler, clock } = await start({ [listen]: listening(exchanges) });
    const readers = [await client.ask(listen, {}, 7), await client.ask(listen, {}, "7")].map(
      (response) => new EventReader(response),
    );
    const reason = new Error("shutdown");
    handler.close(reason);
    for (const [index, reader] of readers.entries()) {
      const [, result] = await reader.rest();
      assert.deepEqual(result, { jsonrpc: "2.0", id: index === 0 ? 7 : "7", result: { resultType: "complete" } });
      assert.equal(exchanges[index]?.signal.reason, reason);
    }
    await handler.closed;
    assert.deepEqual([handler.stats().streams, clock.pendingTimers], [0, 0]);
  });

  it("cuts what has sent no result after a grace, answered or not [M-SUB-012]", async () => {
    const gate = createGate();
    const { client, handler, clock, server } = await start({ [listen]: gate.script });
    const silent = client.ask(listen);
    await gate.entered;
    handler.close();
    await clock.advance(499);
    assert.equal(server.exchanges.at(-1)?.signal.aborted, true);
    await clock.advance(1);
    assert.equal((await silent).status, 503);
    gate.opened.resolve({});
    await settle();
    assert.equal((await client.ask(listen)).status, 503);
    await handler.closed;
    assert.equal(clock.pendingTimers, 0);
  });

  it("knows no such requests in revisions without them", async () => {
    const { client, server } = await start();
    assert.equal((await client.call(listen, { a: 1 })).headers.get("content-type"), "application/json");
    assert.equal(server.exchanges.at(-1)?.context.revision.lifecycle, "handshake");
  });
});
