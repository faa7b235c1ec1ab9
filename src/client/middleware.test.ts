import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../test/fixtures/fake-server.ts";
import { defineClient } from "./client.ts";
import { composeMiddleware, isMessage, type Middleware, type Next } from "./middleware.ts";

describe("composeMiddleware", () => {
  it("wraps nothing when there is no layer [PP-068]", () => {
    const last: Next = async () => ({});
    assert.equal(composeMiddleware([], last), last);
  });

  it("runs the first layer outermost and lets any of them answer by itself [PP-068]", async () => {
    const order: string[] = [];
    const layer =
      (name: string): Middleware =>
      (next) =>
      async (message) => {
        order.push(`${name} in`);
        const result = await next(message);
        order.push(`${name} out`);
        return result;
      };
    const message = {
      direction: "outgoing",
      kind: "request",
      method: "ping",
      params: undefined,
      signal: new AbortController().signal,
    } as const;
    await composeMiddleware([layer("a"), layer("b")], async () => ({}))(message);
    assert.deepEqual(order, ["a in", "b in", "b out", "a out"]);
    const short: Middleware = () => async () => ({ short: true });
    assert.deepEqual(await composeMiddleware([short], async () => assert.fail())(message), { short: true });
  });
});

describe("middleware of a client", () => {
  it("sees requests, results, errors and notifications of both directions [PP-068]", async () => {
    const seen: string[] = [];
    const watch: Middleware = (next) => async (message) => {
      const name = `${message.direction} ${message.kind} ${message.method}`;
      try {
        const result = await next(message);
        seen.push(result === undefined ? name : `${name} -> result`);
        return result;
      } catch (error) {
        seen.push(`${name} -> error`);
        throw error;
      }
    };
    const server = new FakeServer({ answers: { ping: () => ({}) } });
    const client = defineClient({
      name: "c",
      version: "1",
      middleware: [watch],
      methods: { "x/ask": () => ({ a: 1 }) },
    });
    const session = await client.connect(server.channel);
    await session.ping();
    await assert.rejects(session.request("x/none"));
    await session.notify("x/told", {});
    await server.ask("x/ask");
    server.notify("x/tell");
    await server.ask("ping");
    assert.deepEqual(seen, [
      "outgoing request ping -> result",
      "outgoing request x/none -> error",
      "outgoing notification x/told",
      "incoming request x/ask -> result",
      "incoming notification x/tell",
      "incoming request ping -> result",
    ]);
    await session.close();
  });

  it("may rewrite what is sent and what comes back, with params narrowed by method [PP-068]", async () => {
    const rewrite: Middleware = (next) => async (message) => {
      if (!isMessage(message, "tools/call")) {
        return next(message);
      }
      const params = { ...message.params, name: message.params.name.toUpperCase() };
      return { ...(await next({ ...message, params })), extra: true };
    };
    const server = new FakeServer({
      capabilities: { tools: {} },
      answers: { "tools/call": ({ name }) => ({ content: [{ type: "text", text: name }] }) },
    });
    const session = await defineClient({ name: "c", version: "1", middleware: [rewrite] }).connect(server.channel);
    const result = await session.callTool("add");
    assert.deepEqual(result.content, [{ type: "text", text: "ADD" }]);
    assert.equal(result.extra, true);
    await session.close();
  });

  it("is reported when it fails on a notification, and the session goes on [PP-068]", async () => {
    const failing: Middleware = (next) => (message) => {
      if (message.method === "x/tell") {
        throw new Error("not async");
      }
      return next(message);
    };
    const codes: string[] = [];
    const server = new FakeServer({ answers: { ping: () => ({}) } });
    const client = defineClient({
      name: "c",
      version: "1",
      middleware: [failing],
      onDiagnostic: ({ code }) => codes.push(code),
    });
    const session = await client.connect(server.channel);
    server.notify("x/tell");
    await session.ping();
    assert.deepEqual(codes, ["MCP_D_CALLBACK_FAULT"]);
    await session.close();
  });

  it("may answer for the server, so that nothing is sent [PP-068]", async () => {
    const answer: Middleware = (next) => async (message) => (message.method === "ping" ? { mine: 1 } : next(message));
    const server = new FakeServer();
    const session = await defineClient({ name: "c", version: "1", middleware: [answer] }).connect(server.channel);
    await session.ping();
    assert.ok(!server.methods.includes("ping"));
    await session.close();
  });
});
