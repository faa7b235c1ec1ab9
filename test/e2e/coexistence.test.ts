// Both kinds of client at once, on one pipe and on one endpoint: each is served in its own way, and neither sees the other.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import { createHttpHandler } from "parley-mcp/http/server";
import { createMemoryPair } from "parley-mcp/memory";
import { type Context, defineServer, resource, tool } from "parley-mcp/server";
import { handshakeRevisions, revisions } from "../../src/revision/registry.ts";
import { officialSchema, skipSchemas } from "../fixtures/official-schema.ts";
import { alone, RawEndpoint } from "../fixtures/raw-http.ts";
import { recordFetch } from "../fixtures/recording.ts";
import { Arrivals } from "../fixtures/signals.ts";
import { createStdioPair } from "../fixtures/stdio-pair.ts";
import { Wire, type WireMessage } from "../fixtures/wire.ts";

const motd = "note:///motd";

/** A server that says what it knows of who asks. */
function createHouse() {
  const seen = ({ client, session, revision }: Context) => ({
    name: client.info?.name ?? "nobody",
    able: Object.keys(client.capabilities).sort().join(),
    inSession: session !== undefined,
    revision,
  });
  return defineServer({
    name: "house",
    version: "1.0.0",
    tools: {
      who: tool({}, (_, ctx) => {
        ctx.log.debug("debug");
        ctx.log.error("error");
        return JSON.stringify(seen(ctx));
      }),
      roots: tool({}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join()),
    },
    resources: { motd: resource({ uri: motd }, () => "Good morning") },
  });
}

const legacy = (id: number | string, method: string, params?: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params && { params }),
});
const initialize = legacy("hello", "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: { roots: { listChanged: true } },
  clientInfo: { name: "older", version: "1" },
});

/** The same pipe for both, without a client. */
function openPipe(kind: "memory" | "stdio") {
  const [clientEnd, serverEnd] =
    kind === "memory" ? createMemoryPair() : (({ client, server }) => [client, server] as const)(createStdioPair());
  const arrivals = new Arrivals<WireMessage>();
  const app = createHouse();
  void clientEnd.open({
    message: (value) => arrivals.take(value as WireMessage),
    malformed: () => {},
    closed: () => {},
  });
  app.serve(serverEnd);
  const ask = async (message: JsonObject): Promise<WireMessage> => {
    void clientEnd.send(message as never);
    for (;;) {
      const found = arrivals.all.find(({ id, method }) => method === undefined && id === message.id);
      if (found !== undefined) {
        return found;
      }
      await arrivals.until(arrivals.all.length + 1);
    }
  };
  return { app, arrivals, ask, send: (message: JsonObject) => void clientEnd.send(message as never) };
}

const told = ({ result }: WireMessage): unknown => {
  const [block] = (result?.content ?? []) as { text: string }[];
  return JSON.parse(block?.text ?? "null");
};
const noticesIn = (messages: readonly WireMessage[], method: string) =>
  messages.filter((message) => message.method === method);

for (const kind of ["memory", "stdio"] as const) {
  describe(`a session and requests that stand for themselves on one pipe (${kind})`, () => {
    it("know nothing of each other: who asks, what it can do, its revision and its words [M-VER-004] [M-VER-005] [M-VER-006] [M-BASE-008]", async () => {
      const { app, ask, send } = openPipe(kind);
      const before = await ask(alone(1, "tools/call", { name: "who" }));
      assert.deepEqual(told(before), { name: "nobody", able: "", inSession: false, revision: "2026-07-28" });
      const { result } = await ask(initialize);
      assert.equal(result?.protocolVersion, "2025-11-25");
      assert.equal("resultType" in result, false);
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
      const clientInfo = { name: "newer", version: "1" };
      const meta = {
        "io.modelcontextprotocol/clientInfo": clientInfo,
        "io.modelcontextprotocol/clientCapabilities": { sampling: {} },
      };
      const answers = await Promise.all([
        ask(legacy(2, "tools/call", { name: "who" })),
        ask(alone(3, "tools/call", { name: "who", _meta: meta })),
        ask(legacy(4, "tools/call", { name: "who" })),
        ask(alone(5, "tools/call", { name: "who" })),
      ]);
      const older = { name: "older", able: "roots", inSession: true, revision: "2025-11-25" };
      assert.deepEqual(answers.map(told), [
        older,
        { name: "newer", able: "sampling", inSession: false, revision: "2026-07-28" },
        older,
        { name: "nobody", able: "", inSession: false, revision: "2026-07-28" },
      ]);
      assert.deepEqual(
        answers.map(({ result: each }) => each?.resultType),
        [undefined, "complete", undefined, "complete"],
      );
      assert.equal((await ask(legacy(6, "ping"))).error, undefined);
      assert.equal((await ask(alone(7, "ping"))).error?.code, -32601);
      await app.close();
    });

    it("have log levels of their own [M-VER-007] [M-LOG-001] [M-LOG-002]", async () => {
      const { app, arrivals, ask, send } = openPipe(kind);
      await ask(initialize);
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
      await ask(legacy(1, "logging/setLevel", { level: "debug" }));
      await ask(alone(2, "tools/call", { name: "who" }));
      assert.equal(noticesIn(arrivals.all, "notifications/message").length, 0);
      const _meta = { "io.modelcontextprotocol/logLevel": "error" };
      await ask(alone(3, "tools/call", { name: "who", _meta }));
      assert.equal(noticesIn(arrivals.all, "notifications/message").length, 1);
      await ask(legacy(4, "tools/call", { name: "who" }));
      assert.equal(noticesIn(arrivals.all, "notifications/message").length, 3);
      await app.close();
    });

    it("hear of changes in their own ways, through one fan-out [M-VER-007] [M-SUB-009] [OLEG-010]", async () => {
      const { app, arrivals, ask, send } = openPipe(kind);
      await ask(initialize);
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
      send(alone("stream", "subscriptions/listen", { notifications: { resourceSubscriptions: [motd] } }));
      await ask(legacy(1, "ping"));
      app.tools.set(
        "more",
        tool({}, () => "more"),
      );
      app.notifyResourceUpdated(motd);
      await ask(legacy(2, "resources/subscribe", { uri: motd }));
      app.notifyResourceUpdated(motd);
      await ask(legacy(3, "ping"));
      const stream = (message: WireMessage) =>
        ((message.params?._meta ?? {}) as JsonObject)["io.modelcontextprotocol/subscriptionId"];
      assert.deepEqual(noticesIn(arrivals.all, "notifications/tools/list_changed").map(stream), [undefined]);
      assert.deepEqual(noticesIn(arrivals.all, "notifications/resources/updated").map(stream).sort(), [
        "stream",
        "stream",
        undefined,
      ]);
      await app.close();
    });

    it("are asked in their own ways [M-BASE-001] [OLEG-008]", async () => {
      const { app, arrivals, ask, send } = openPipe(kind);
      await ask(initialize);
      send({ jsonrpc: "2.0", method: "notifications/initialized" });
      const _meta = { "io.modelcontextprotocol/clientCapabilities": { roots: {} } };
      const inline = ask(legacy(1, "tools/call", { name: "roots" }));
      const { result } = await ask(alone(2, "tools/call", { name: "roots", _meta }));
      assert.equal(result?.resultType, "input_required");
      const [question, ...more] = arrivals.all.filter(({ id, method }) => id !== undefined && method !== undefined);
      assert.deepEqual([question?.method, more], ["roots/list", []]);
      send({ jsonrpc: "2.0", id: question?.id, result: { roots: [{ uri: "file:///older" }] } });
      assert.deepEqual((await inline).result?.content, [{ type: "text", text: "file:///older" }]);
      const [key = ""] = Object.keys(result.inputRequests as object);
      const inputResponses = { [key]: { roots: [{ uri: "file:///newer" }] } };
      const retry = { name: "roots", _meta, inputResponses, requestState: result.requestState };
      const final = await ask(alone(3, "tools/call", retry));
      assert.deepEqual(final.result?.content, [{ type: "text", text: "file:///newer" }]);
      await app.close();
    });
  });
}

describe("clients of every revision on one endpoint at once", () => {
  it("are each served as their revision has it, with nothing of any other [M-VER-004] [M-VER-007] [OLEG-001] [OLEG-005] [OLEG-012] [O24-012]", async () => {
    const app = createHouse();
    const handler = createHttpHandler(app, { response: "stream" });
    const joined = await Promise.all(
      revisions.map(async ({ id: revision }) => {
        const wire = new Wire();
        const fetch = recordFetch((url, init) => handler.fetch(new Request(url, init)), wire);
        const name = `client of ${revision}`;
        const client = await connect("http://localhost/mcp", {
          revision,
          client: { name, version: "1.0.0", roots: [{ uri: `file:///${revision}` }], logLevel: "error" },
          http: { fetch },
        });
        return { client, wire, revision, name };
      }),
    );
    assert.equal(handler.stats().sessions, handshakeRevisions.length);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        joined.map(async ({ client, revision, name }) => {
          const { content } = await client.callTool("who", {});
          const text = (content[0] as { text: string }).text;
          const inSession = handshakeRevisions.some(({ id }) => id === revision);
          const able = inSession ? "roots" : "extensions,roots";
          assert.deepEqual(JSON.parse(text), { name, able, inSession, revision });
          const asked = await client.callTool("roots", {});
          assert.deepEqual(asked.content, [{ type: "text", text: `file:///${revision}` }]);
          assert.equal((await client.listTools().all()).length, 2);
        }),
      );
    }
    for (const { client, wire, revision } of joined) {
      assert.equal(wire.sent("server", "notifications/message").length, 5);
      await client.close();
      const schema = skipSchemas === false ? officialSchema(revision) : undefined;
      for (const { message } of wire.travelled.filter(({ message: each }) => each.method !== undefined)) {
        assert.deepEqual(schema?.faultsOf(message) ?? [], []);
      }
    }
    assert.equal(handler.stats().sessions, 0);
    handler.close();
  });

  it("cannot cancel each other's requests by their ids [M-HTTP-005]", async () => {
    let release: () => void = () => undefined;
    const app = defineServer({
      name: "house",
      version: "1.0.0",
      tools: { hold: tool({}, () => new Promise<string>((resolve) => (release = () => resolve("held")))) },
    });
    const endpoint = new RawEndpoint(app);
    const held = endpoint.post(alone(1, "tools/call", { name: "hold" }));
    const params = { requestId: 1, _meta: alone(0, "x").params };
    const { status } = await endpoint.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
    assert.equal(status, 202);
    release();
    assert.deepEqual((await held).message.result?.content, [{ type: "text", text: "held" }]);
    endpoint.close();
  });
});
