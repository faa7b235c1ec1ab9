import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startNodes } from "../../../test/fixtures/http/scripted-nodes.ts";
import { createGate, newest, type Script, settle } from "../../../test/fixtures/http/scripted-server.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { HttpExchange } from "./exchange.ts";
import type { HttpServerOptions } from "./options.ts";

/** Takes the token as the name of the user and how often it was renewed. */
const byToken: HttpServerOptions = {
  auth: {
    authenticate: (request) => {
      const token = request.header("authorization") ?? "";
      return { ok: true, auth: { token, clientId: "app", scopes: [], subject: token.split(" ")[0] ?? "" } };
    },
  },
};

const accept = "application/json, text/event-stream";
const ask: Script = async (_, exchange) => ({ answer: await exchange.request({ method: "roots/list" }) });

/** Requests that wait until they are given up, with the exchange of each. */
function createHold() {
  const exchanges: HttpExchange[] = [];
  const script: Script = (_, exchange) => {
    exchanges.push(exchange);
    return new Promise<JsonObject>((resolve) => exchange.signal.addEventListener("abort", () => resolve({})));
  };
  return { exchanges, script };
}

describe("HttpSession on several nodes", () => {
  it("is served by a node that has never seen it, with what was negotiated elsewhere [PP-004] [HTTP-050]", async () => {
    const { a, b } = await startNodes();
    await a.server.exchanges[0]?.context.session?.update((state) => ({ ...requireState(state), logLevel: "error" }));
    assert.equal((await b.client.call("echo", { n: 1 })).status, 200);
    const { context } = b.server.exchanges[0] ?? {};
    assert.deepEqual([context?.revision.id, context?.session?.state?.logLevel], [newest, "error"]);
    assert.equal(context?.session?.id, a.client.sessionId);
    await context?.session?.update((state) => ({ ...requireState(state), logLevel: "debug" }));
    await a.client.call("echo");
    assert.equal(a.server.exchanges.at(-1)?.context.session?.state?.logLevel, "debug");
    assert.deepEqual([a.handler.stats().sessions, b.handler.stats().sessions], [1, 1]);
  });

  it("is nobody else's on any node, and knows the caller by the present request [SEC-019]", async () => {
    const { a, b } = await startNodes({}, byToken, { authorization: "ada 1" });
    for (const authorization of ["eve", ""]) {
      for (const { client } of [b, a]) {
        assert.equal((await client.call("echo", {}, 1, { authorization })).status, 404);
        assert.equal((await client.send("GET", { authorization, accept })).status, 404);
        assert.equal((await client.send("DELETE", { authorization })).status, 404);
      }
    }
    assert.equal((await b.client.call("echo", {}, 1, { authorization: "ada 2" })).status, 200);
    assert.equal((await a.client.call("echo", {}, 1, { authorization: "ada 3" })).status, 200);
    const tokens = [b, a].map(({ server }) => server.exchanges.at(-1)?.context.session?.auth?.token);
    assert.deepEqual(tokens, ["ada 2", "ada 3"]);
  });

  it("ends everywhere by DELETE on any node, also where nothing was known of it: work, streams, questions and signals [HTTP-045] [PP-019]", async () => {
    const { exchanges, script } = createHold();
    const { a, b } = await startNodes({ hold: script });
    const pending = a.client.call("hold");
    const stream = await a.client.listen();
    const { session } = a.server.exchanges[0]?.context ?? {};
    const question = session?.request({ method: "roots/list" }).catch((error: unknown) => String(error));
    await settle();
    assert.equal((await b.client.send("DELETE")).status, 204);
    await settle();
    assert.match(String(exchanges[0]?.signal.reason), /SessionExpiredError: the client ended the session/);
    assert.equal(session?.signal.aborted, true);
    assert.equal((await pending).status, 404);
    await stream.rest();
    assert.match(String(await question), /ClosedError: the session ended/);
    for (const { client, handler, store } of [a, b]) {
      assert.equal((await client.call("echo")).status, 404);
      assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
      assert.equal(store.listeners, 0);
    }
  });

  it("hands an answer to the node that asked, wherever it is posted", async () => {
    const { a, b } = await startNodes({ ask });
    const response = await a.client.call("ask", {}, 5, { accept: "text/event-stream" });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    const readUntil = async (pattern: RegExp): Promise<string> => {
      while (!pattern.test(text)) {
        text += (await reader?.read())?.value ?? "";
      }
      return pattern.exec(text)?.[1] ?? "";
    };
    const id = await readUntil(/"id":"([^"]+)","method":"roots\/list"/);
    assert.equal(a.handler.stats().questions, 1);
    assert.equal((await b.client.post({ jsonrpc: "2.0", id, result: { roots: [] } })).status, 202);
    await readUntil(/("id":5,"result":\{"answer":\{"roots":\[\]\}\})/);
    assert.equal((await b.client.post({ jsonrpc: "2.0", id, result: { roots: [] } })).status, 202);
    await settle();
    assert.deepEqual([a.codes(), b.codes(), a.handler.stats().questions], [["MCP_D_LATE_RESPONSE"], [], 0]);
  });

  it("fails a question by an unusable answer at another node", async () => {
    const { a, b } = await startNodes({ ask });
    const response = await a.client.call("ask", {}, 5, { accept: "text/event-stream" });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let isAnswered = false;
    for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
      text += part.value;
      const id = /"id":"([^"]+)","method":"roots\/list"/.exec(text)?.[1];
      if (id !== undefined && !isAnswered) {
        isAnswered = true;
        assert.equal((await b.client.post({ jsonrpc: "2.0", id, result: 5 })).status, 400);
      }
    }
    assert.match(text, /"id":5,"error".*invalid answer/);
  });

  it("reports an answer for a node that is not there, and refuses one that no node can have asked for [HTTP-011]", async () => {
    const { a } = await startNodes();
    assert.equal((await a.client.post({ jsonrpc: "2.0", id: "nobody-3", result: {} })).status, 202);
    assert.equal((await a.client.post({ jsonrpc: "2.0", id: "nobody", result: {} })).status, 400);
    assert.deepEqual(a.codes(), ["MCP_D_LATE_RESPONSE", "MCP_D_UNKNOWN_RESPONSE"]);
  });

  it("cancels the request on whichever node it runs, and none where several have its id [PP-017]", async () => {
    const { exchanges, script } = createHold();
    const { a, b } = await startNodes({ hold: script });
    const cancel = (requestId: number) => ({
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId },
    });
    const pending = [a.client.call("hold", {}, 1), a.client.call("hold", {}, 2), b.client.call("hold", {}, 2)];
    await settle();
    await b.client.post(cancel(2));
    await settle();
    assert.deepEqual(
      [exchanges.map(({ signal }) => signal.aborted), b.codes()],
      [[false, false, false], ["MCP_D_CANCEL_AMBIGUOUS"]],
    );
    await b.client.post(cancel(1));
    await settle();
    assert.deepEqual(
      exchanges.map(({ signal }) => signal.aborted),
      [true, false, false],
    );
    await a.client.send("DELETE");
    await Promise.all(pending);
  });

  it("takes what a notification changed for kept once it is answered", async () => {
    const held = createDeferred();
    const { a, b } = await startNodes({
      "notifications/initialized": async (_, { context }) => {
        await context.session?.update((state) => ({ ...requireState(state), initialized: true }));
        return {};
      },
    });
    a.store.before = (operation) => (operation === "set" ? held.promise : undefined);
    const posted = a.client.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    await settle();
    let isAnswered = false;
    void posted.then(() => {
      isAnswered = true;
    });
    await settle();
    assert.equal(isAnswered, false);
    held.resolve();
    assert.equal((await posted).status, 202);
    await b.client.call("echo");
    assert.equal(b.server.exchanges.at(-1)?.context.session?.state?.initialized, true);
  });

  it("is changed on all nodes at once, so that whoever holds its stream knows what the client wants to hear of", async () => {
    const { a, b } = await startNodes();
    await b.client.call("echo");
    const [one, other] = [a, b].map(({ server }) => server.exchanges.at(-1)?.context.session);
    await other?.update((state) => ({ ...requireState(state), subscriptions: ["demo:a"] }));
    await settle();
    assert.deepEqual(one?.state?.subscriptions, ["demo:a"]);
    const { publish = 0 } = b.store.counts;
    await other?.update((state) => requireState(state));
    assert.equal(b.store.counts.publish, publish);
  });

  it("goes on elsewhere when a node is closed, whose calls are refused and not forgotten [PP-004] [PP-019]", async () => {
    const gate = createGate();
    const { a, b } = await startNodes({ wait: gate.script });
    const pending = a.client.call("wait", {}, 1, { accept: "application/json" });
    const exchange = await gate.entered;
    const reason = new Error("rolling restart");
    a.handler.close(reason);
    await a.handler.closed;
    assert.equal(exchange.signal.reason, reason);
    const refused = await pending;
    assert.equal(refused.status, 503);
    assert.ok(refused.headers.get("retry-after"));
    assert.match(await refused.text(), /"jsonrpc":"2.0".*"error"/);
    assert.deepEqual([a.handler.stats().sessions, a.store.listeners], [0, 0]);
    assert.equal((await a.client.call("echo")).status, 503);
    assert.equal((await b.client.call("echo")).status, 200);
    assert.equal(b.server.exchanges.at(-1)?.context.session?.signal.aborted, false);
    gate.opened.resolve({});
  });
});

function requireState<T>(state: T | undefined): T {
  assert.ok(state !== undefined, "expected a session that has begun");
  return state;
}
