// State that travels with the client between two rounds: whoever has the keys goes on with it, and nobody else can.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CallToolRequestParams, JsonObject } from "parley-mcp";
import type { ClientSession } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { createHttpHandler, type HttpAuthenticator, type HttpServerOptions } from "parley-mcp/http/server";
import { type Context, defineServer, prompt, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { able, askingOf, createInterviewServer, text, told } from "../fixtures/interview-server.ts";

const identity = { name: "demo", version: "1.0.0" };

/** A session that takes turns between the instances of one service. */
async function openTurns(
  apps: readonly Parameters<typeof createHttpHandler>[0][],
  http: HttpServerOptions = {},
): Promise<{ client: ClientSession; bodies: JsonObject[]; close(): Promise<void> }> {
  const handlers = apps.map((app) => createHttpHandler(app, http));
  const bodies: JsonObject[] = [];
  let turn = 0;
  const fetch: Fetch = (url, init) => {
    bodies.push(JSON.parse(init.body ?? "{}") as JsonObject);
    turn += 1;
    const handler = handlers[turn % handlers.length];
    assert.ok(handler);
    return handler.fetch(new Request(url, init));
  };
  const client = await connect("http://localhost/mcp", { client: able(), http: { fetch } });
  const close = async (): Promise<void> => {
    await client.close();
    for (const handler of handlers) {
      handler.close();
    }
  };
  return { client, bodies, close };
}

describe("several instances behind one address", () => {
  it("finish each other's calls, and do each piece of work once altogether [M-MRTR-007] [M-BASE-009] [M-BASE-011] [PP-112]", async () => {
    const spent = new Set<string>();
    const claim = (id: string): boolean => !spent.has(id) && Boolean(spent.add(id));
    const apps = [
      createInterviewServer({ processes: "many", claim }),
      createInterviewServer({ processes: "many", claim }),
    ];
    const { client, bodies, close } = await openTurns(apps);
    const { content } = await client.callTool("ask", {});
    assert.deepEqual(content, [{ type: "text", text: told }]);
    assert.deepEqual(apps.flatMap(({ done }) => done).sort(), ["between", "end", "ticket"]);
    assert.ok(
      apps.every(({ done }) => done.length > 0),
      "one instance did everything",
    );
    assert.deepEqual(
      (await client.listTools().all()).map(({ name }) => name),
      ["ask"],
    );
    // What one instance has taken, no other takes again.
    const { params } = bodies.findLast((body) => "requestState" in ((body.params ?? {}) as JsonObject)) ?? {};
    const { _meta, ...retry } = params as unknown as CallToolRequestParams;
    const again = client.request("tools/call", retry);
    await assert.rejects(again, { rpcCode: -32602, remote: true });
    assert.equal(apps.flatMap(({ done }) => done).length, 3);
    await close();
  });

  it("cannot open what was sealed by another service, or are not even defined without a key [M-MRTR-009] [PP-113]", async () => {
    assert.throws(() => defineServer({ ...identity, requestState: { processes: "many" } }), { code: "MCP_USAGE" });
    const apps = [
      createInterviewServer({ keys: [new Uint8Array(32).fill(1)] }),
      createInterviewServer({ keys: [new Uint8Array(32)] }),
    ];
    const { client, close } = await openTurns(apps);
    await assert.rejects(client.callTool("ask", {}), { rpcCode: -32602, remote: true });
    await close();
  });

  it("open what the key before the last one sealed, while keys are exchanged [M-MRTR-015] [PP-113]", async () => {
    const [old, fresh] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
    const { client, close } = await openTurns([
      createInterviewServer({ keys: [fresh, old] }),
      createInterviewServer({ keys: [old, fresh] }),
    ]);
    const { content } = await client.callTool("ask", {});
    assert.equal((content[0] as { text: string }).text.includes("to second"), true);
    await close();
  });
});

/** A service with callers, and the state of one call of Ada's that has been asked. */
async function openAsked(time = createFakeClock(1_000_000)) {
  const outcomes: unknown[] = [];
  const ask = async (_: unknown, ctx: Context) => {
    outcomes.push(await ctx.elicit("Well?", text));
    return "told";
  };
  const input = { type: "object", properties: { n: { type: "integer" } } } as const;
  const app = defineServer({
    ...identity,
    clock: time,
    requestState: { ttlMs: 60_000 },
    tools: { ask: tool({ input }, ask), other: tool({ input }, ask) },
    prompts: { ask: prompt({}, ask) },
  });
  const authenticate: HttpAuthenticator["authenticate"] = (request) => ({
    ok: true,
    auth: { token: "t", clientId: "demo", subject: request.header("x-user") ?? "nobody", scopes: [] },
  });
  const handler = createHttpHandler(app, { auth: { authenticate } });
  const open = (user: string) =>
    connect("http://localhost/mcp", {
      client: able(),
      http: { headers: { "x-user": user }, fetch: (url, init) => handler.fetch(new Request(url, init)) },
    });
  const [ada, eve] = [await open("ada"), await open("eve")];
  const params = { name: "ask", arguments: { n: 1 } };
  const interim = askingOf(await ada.request("tools/call", params, { inputRounds: "manual" }));
  const [key = ""] = interim.keys;
  const retry = { inputResponses: { [key]: { action: "accept" as const, content: { a: "x" } } } };
  return { ada, eve, params, state: interim.requestState, retry, outcomes, time, end: () => handler.close() };
}

describe("the state of a call", () => {
  const refused = { rpcCode: -32602, remote: true };

  it("is refused when any part of it changed, and shows nothing of what is inside [M-MRTR-008] [M-MRTR-009] [M-MRTR-015] [PP-113]", async () => {
    const { ada, params, state, retry, end } = await openAsked();
    assert.doesNotMatch(state, /elicitation|Well|ask|ada/);
    const decoded = state.split(".").map((part) => Buffer.from(part, "base64url").toString("latin1"));
    assert.doesNotMatch(decoded.join(), /elicitation|Well|ada/);
    const changed = [`${state}-TAMPERED`, state.slice(1), "text", ""];
    for (let index = 0; index < state.length; index += 7) {
      changed.push(`${state.slice(0, index)}${state[index] === "A" ? "B" : "A"}${state.slice(index + 1)}`);
    }
    for (const requestState of changed) {
      await assert.rejects(ada.request("tools/call", { ...params, ...retry, requestState }), refused, requestState);
    }
    await ada.close();
    end();
  });

  it("is good for its caller, its call and its arguments alone [M-MRTR-010] [M-MRTR-012] [M-ELIC-006] [M-SEC-001] [PP-113]", async () => {
    const { ada, eve, params, state, retry, outcomes, end } = await openAsked();
    const whole = { ...params, ...retry, requestState: state };
    await assert.rejects(eve.request("tools/call", whole), refused);
    await assert.rejects(ada.request("tools/call", { ...whole, name: "other" }), refused);
    await assert.rejects(ada.request("tools/call", { ...whole, arguments: { n: 2 } }), refused);
    await assert.rejects(ada.request("prompts/get", { name: "ask", ...retry, requestState: state }), refused);
    assert.deepEqual(outcomes, []);
    assert.deepEqual((await ada.request("tools/call", whole)).content, [{ type: "text", text: "told" }]);
    await Promise.all([ada.close(), eve.close()]);
    end();
  });

  it("is good once, and for a limited time [M-MRTR-011] [M-MRTR-013] [PP-113]", async () => {
    const { ada, params, state, retry, outcomes, time, end } = await openAsked();
    await ada.request("tools/call", { ...params, ...retry, requestState: state });
    await assert.rejects(ada.request("tools/call", { ...params, ...retry, requestState: state }), refused);
    const later = askingOf(await ada.request("tools/call", params, { inputRounds: "manual" }));
    await time.advance(60_001);
    const late = { ...params, ...retry, requestState: later.requestState };
    await assert.rejects(ada.request("tools/call", late), refused);
    assert.equal(outcomes.length, 1);
    await ada.close();
    end();
  });

  it("leaves nothing behind of calls that never come back [M-MRTR-006] [M-ELIC-005]", async () => {
    const app = createAskingServer((ctx) => ctx.elicit("Well?", text));
    const handler = createHttpHandler(app);
    const client = await connect("http://localhost/mcp", {
      client: able(),
      http: { fetch: (url, init) => handler.fetch(new Request(url, init)) },
    });
    for (let n = 0; n < 400; n += 1) {
      const interim = await client.request("tools/call", { name: "ask" }, { inputRounds: "manual" });
      assert.ok("requestState" in interim);
    }
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
    assert.deepEqual(app.outcomes, []);
    await client.close();
    handler.close();
  });
});
