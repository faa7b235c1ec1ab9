import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EventReader, settle, start } from "../../../test/fixtures/http/scripted-server.ts";
import { isMcpError } from "../../base/error.ts";
import type { Session } from "../../revision/exchange.ts";
import type { HttpServerOptions } from "./options.ts";

async function startSession(options: HttpServerOptions = {}) {
  const started = await start(
    {
      talk: async (_, exchange) => {
        await exchange.notify({ method: "notifications/progress" });
        return {};
      },
    },
    options,
  );
  const session = started.server.exchanges[0]?.context.session;
  assert.ok(session);
  const changed = (session: Session) => session.notify({ method: "notifications/tools/list_changed" });
  return { ...started, session, change: () => changed(session) };
}

describe("StandingStream", () => {
  it("carries what belongs to no request, and nothing that does [HTTP-029] [HTTP-030] [HTTP-032]", async () => {
    const { client, change } = await startSession();
    const standing = await client.listen();
    const call = await new EventReader(await client.call("talk")).rest();
    await change();
    await client.send("DELETE");
    assert.deepEqual(
      (await standing.rest()).map(({ method }) => method),
      ["notifications/tools/list_changed"],
    );
    assert.deepEqual(
      call.map(({ method, result }) => method ?? result),
      ["notifications/progress", {}],
    );
  });

  it("is taken over by a newer GET, so that each message is seen once [PP-007] [HTTP-032] [HTTP-018]", async () => {
    const { client, change, handler } = await startSession();
    const first = await client.listen();
    await change();
    const second = await client.listen();
    await change();
    await settle();
    assert.equal(handler.stats().streams, 1);
    assert.equal((await first.rest()).length, 1);
    assert.deepEqual(first.retries, [1_000]);
    await client.send("DELETE");
    assert.equal((await second.rest()).length, 1);
  });

  it("may be left by the client at any time, and is resumed where it broke [HTTP-031] [HTTP-037]", async () => {
    const { client, change, session } = await startSession();
    const first = await client.listen();
    await change();
    await first.next();
    const seen = await first.next();
    await first.leave();
    await session.notify({ method: "notifications/one" });
    await session.notify({ method: "notifications/two" });
    const second = await client.listen(seen?.id);
    assert.deepEqual(
      [(await second.message())?.method, (await second.message())?.method],
      ["notifications/one", "notifications/two"],
    );
    assert.equal((await client.call("echo")).status, 200);
  });

  it("keeps messages for a client that is expected to come, and delivers them once", async () => {
    const { client, change, session, clock } = await startSession();
    await change();
    await clock.advance(10_000);
    const answer = session.request({ method: "roots/list" });
    const standing = await client.listen();
    assert.equal((await standing.message())?.method, "notifications/tools/list_changed");
    const question = await standing.message();
    await client.post({ jsonrpc: "2.0", id: question?.id, result: { roots: [] } });
    assert.deepEqual(await answer, { roots: [] });
    const next = await client.listen();
    assert.equal((await next.next())?.data, "", "nothing is left but the priming event");
  });

  it("refuses at once to ask a client that is not expected to listen, and reports notifications [PP-043]", async () => {
    const { change, session, clock, codes } = await startSession();
    await clock.advance(60_000);
    const error = await session.request({ method: "sampling/createMessage" }).catch((reason: unknown) => reason);
    assert.ok(isMcpError(error));
    assert.equal(error.code, "MCP_MISSING_CAPABILITY");
    assert.match(error.message, /no event stream open \(GET\).*through that request's own context/);
    await change();
    assert.deepEqual(codes(), ["MCP_D_NOTIFICATION_UNSENT"]);
  });

  it("reaches only a connected client where no log keeps messages [PP-043]", async () => {
    const { client, change, session, codes } = await startSession({ resumability: false });
    await change();
    await assert.rejects(session.request({ method: "roots/list" }), /cannot reach the client/);
    assert.deepEqual(codes(), ["MCP_D_NOTIFICATION_UNSENT"]);
    const standing = await client.listen();
    await change();
    const event = await standing.next();
    assert.equal(event?.id, undefined);
    assert.match(event?.data ?? "", /list_changed/);
  });

  it("is let go of by a handler, with the time to come back [HTTP-016] [HTTP-018]", async () => {
    const { client, server, change } = await startSession({ retryMs: 300 });
    const first = await client.listen();
    const priming = await first.next();
    server.exchanges[0]?.closeStandingStream();
    assert.equal(await first.next(), undefined);
    assert.deepEqual(first.retries, [300]);
    await change();
    assert.equal((await (await client.listen(priming?.id)).message())?.method, "notifications/tools/list_changed");
  });

  it("carries what is sent while a notification is handled [PP-044]", async () => {
    const { client } = await start({
      "notifications/initialized": async (_, exchange) => {
        await exchange.notify({ method: "notifications/message" });
        return await exchange.request({ method: "roots/list" });
      },
    });
    const standing = await client.listen();
    await client.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    const methods = [await standing.message(), await standing.message()].map((message) => message?.method);
    assert.deepEqual(methods, ["notifications/message", "roots/list"]);
  });
});
