import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { ableClient, enveloped } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { JsonObject, JsonRpcMessage } from "../../jsonrpc/message.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";

function create() {
  return defineServer({
    ...identity,
    tools: {
      ask: tool({}, async (_args, ctx) => (await ctx.elicit("Who?", z.object({}))).action),
      log: tool({}, (_args, ctx) => {
        ctx.log.error("x");
        return ctx.session === undefined ? "alone" : "session";
      }),
      hang: tool(
        {},
        (_args, ctx) =>
          new Promise((_, reject) => ctx.signal.addEventListener("abort", () => reject(new Error("stopped")))),
      ),
    },
  });
}

const call = (name: string, capabilities: JsonObject = {}): JsonObject => enveloped({ name }, { capabilities });
const described = (message: JsonRpcMessage): unknown => ("method" in message ? message.method : message.id);

describe("requests that stand for themselves on a pipe", () => {
  it("need nothing before them [M-BASE-008] [M-DISC-001] [M-META-004]", async () => {
    const client = new RawClient(create());
    assert.ok((await client.request("server/discover", enveloped())).result?.supportedVersions);
    assert.equal((await client.request("server/discover")).error?.code, -32602);
    assert.equal((await client.request("tools/list")).error?.code, -32602);
    assert.equal((await client.request("tools/call", call("ask", ableClient))).result?.resultType, "input_required");
    assert.equal((await client.request("tools/call", call("ask"))).error?.code, -32021);
    assert.equal(
      (await client.request("tools/list", enveloped({}, { envelope: { protocolVersion: "1900-01-01" } }))).error?.code,
      -32022,
    );
    assert.deepEqual(client.requests(), []);
  });

  it("stay by themselves beside a session, and the session stays as it is [M-VER-004] [M-VER-005] [M-VER-006] [M-VER-007]", async () => {
    const client = await RawClient.connect(create(), {
      capabilities: ableClient,
      answers: { "elicitation/create": () => ({ action: "decline" }) },
    });
    await client.request("logging/setLevel", { level: "debug" });
    const alone = await client.request("tools/list", enveloped());
    assert.deepEqual([alone.result?.resultType, alone.result?.ttlMs], ["complete", 0]);
    assert.equal(
      (await client.request("tools/call", call("ask"))).error?.code,
      -32021,
      "the session's capabilities are not its",
    );
    const logged = await client.request("tools/call", call("log"));
    assert.match(JSON.stringify(logged.result?.content), /alone/);
    assert.deepEqual(client.notifications("notifications/message"), []);
    assert.equal((await client.request("ping", enveloped())).error?.code, -32601);
    const inSession = await client.request("tools/list");
    assert.equal("resultType" in (inSession.result ?? {}), false);
    assert.deepEqual((await client.request("ping")).result, {});
    assert.match(JSON.stringify((await client.call("log")).result?.content), /session/);
    assert.equal(client.notifications("notifications/message").length, 1);
    assert.match(JSON.stringify((await client.call("ask")).result?.content), /decline/);
  });

  it("ignore notifications that their revision does not have [M-BASE-016] [M-CANCEL-004]", async () => {
    const client = new RawClient(create());
    for (const method of ["initialized", "roots/list_changed", "elicitation/complete", "tasks/status", "cancelled"]) {
      client.notify(`notifications/${method}`, {});
      client.notify(`notifications/${method}`, enveloped());
    }
    await turn();
    assert.deepEqual(client.received, []);
    assert.ok((await client.request("tools/list", enveloped())).result);
  });

  it("are cancelled by name and then silent [M-STDIO-003] [M-BASE-003]", async () => {
    const client = new RawClient(create());
    void client.request("tools/call", call("hang"), "h");
    await turn();
    client.notify("notifications/cancelled", { requestId: "h" });
    await turn();
    assert.deepEqual(client.received, []);
    assert.deepEqual(client.handle.openRequests, { inbound: 0, outbound: 0 });
    assert.equal((await client.request("tools/list", enveloped(), "h")).id, "h", "an id may be used again");
  });

  it("listen on streams that share the pipe [M-SUB-004] [M-SUB-007] [M-SUB-011]", async () => {
    const app = create();
    const client = new RawClient(app);
    const filter = enveloped({ notifications: { toolsListChanged: true } });
    void client.request("subscriptions/listen", filter, 7);
    void client.request("subscriptions/listen", filter, "7");
    await turn();
    app.tools.set(
      "more",
      tool({}, () => ""),
    );
    await turn();
    const byId = (id: unknown): unknown[] =>
      client.received
        .filter(
          (message) =>
            "params" in message &&
            (message.params?._meta as JsonObject | undefined)?.["io.modelcontextprotocol/subscriptionId"] === id,
        )
        .map(described);
    const both = ["notifications/subscriptions/acknowledged", "notifications/tools/list_changed"];
    assert.deepEqual([byId(7), byId("7")], [both, both]);
    client.notify("notifications/cancelled", { requestId: 7 });
    await turn();
    client.received.length = 0;
    app.tools.delete("more");
    await turn();
    assert.equal(byId(7).length, 0);
    assert.equal(byId("7").length, 1);
  });

  it("hear the end of their streams: the word, then the answer, then nothing [M-CANCEL-001] [M-CANCEL-002] [M-SUB-012] [M-STDIO-004]", async () => {
    const app = create();
    const client = new RawClient(app);
    void client.request("subscriptions/listen", enveloped({ notifications: {} }), "l");
    void client.request("tools/call", call("hang"), "h");
    await turn();
    client.received.length = 0;
    await app.close();
    assert.deepEqual(client.received.map(described), ["notifications/cancelled", "l"]);
    const [cancelled] = client.notifications("notifications/cancelled");
    assert.equal(cancelled?.params?.requestId, "l");
    app.tools.delete("log");
    await turn();
    assert.equal(client.received.length, 2);
  });

  it("are not pinged and sent no log of the server, as they take neither [M-BASE-001] [M-LOG-001]", async () => {
    const clock = createFakeClock();
    const app = defineServer({ ...identity, clock, tools: {} });
    const client = new RawClient(app, { serve: { keepAlive: { intervalMs: 10, maxFailures: 1 } } });
    await client.request("tools/list", enveloped());
    client.received.length = 0;
    app.log.emergency("x");
    await clock.advance(1_000);
    await turn();
    assert.deepEqual(client.received, []);
    assert.equal(client.handle.session.signal.aborted, false);
    await client.close();
  });
});
