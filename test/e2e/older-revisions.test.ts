// What older revisions do not have, and what they have in another way: seen from outside, in each of them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreateMessageResult, JsonObject } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import { defineServer, prompt, resource, tool } from "parley-mcp/server";
import { handshakeRevisions } from "../../src/revision/registry.ts";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { FakeServer } from "../fixtures/fake-server.ts";
import { oslo, question } from "../fixtures/interview-server.ts";
import { RawClient } from "../fixtures/raw-client.ts";
import { turn } from "../fixtures/turn.ts";
import { within } from "../fixtures/within.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };
const nothing = tool({ description: "Does nothing" }, () => "nothing");

const full = () =>
  defineServer({
    ...identity,
    tools: { nothing },
    prompts: { greet: prompt({ arguments: { a: {} }, complete: { a: ["x"] } }, () => "Hello") },
    resources: { motd: resource({ uri: "note:///motd" }, () => "Good morning") },
  });

verifies("sessions of every revision with a handshake", [
  scenario({
    title:
      "send one message at a time, no word and no metadata of revisions without a handshake [OLEG-001] [OLEG-004] [OLEG-005] [O0326-002] [O0618-015] [O24-014]",
    until: "2025-11-25",
    app: full,
    run: async ({ client, wire }) => {
      await Promise.all(
        Array.from({ length: 10 }, () => client.callTool("nothing", {}, { onProgress: () => undefined })),
      );
      await client.ping();
      const words = /resultType|ttlMs|cacheScope|inputRe|requestState|io\.modelcontextprotocol|server\/discover|listen/;
      assert.doesNotMatch(JSON.stringify(wire.travelled), words);
      const modern = ["server/discover", "subscriptions/listen", "tasks/update"];
      assert.deepEqual(
        wire.methods("client").filter((method) => modern.includes(method)),
        [],
      );
      assert.equal(
        wire.travelled.some(({ message }) => Array.isArray(message)),
        false,
      );
      const keys = wire.travelled.flatMap(({ message }) => Object.keys((message.params?._meta ?? {}) as object));
      assert.deepEqual([...new Set(keys)], ["progressToken"]);
    },
  }),
  scenario({
    title: "read schemas without a dialect as today's, older idioms included [O0618-016]",
    app: () =>
      defineServer({
        ...identity,
        tools: {
          old: tool(
            {
              input: {
                type: "object",
                properties: { size: { $ref: "#/definitions/size" } },
                definitions: { size: { type: "integer", minimum: 1 } },
              } as JsonObject & { type: "object" },
            },
            () => "fits",
          ),
        },
      }),
    run: async ({ client }) => {
      assert.equal((await client.callTool("old", { size: 2 })).isError, undefined);
      assert.equal((await client.callTool("old", { size: 0 })).isError, true);
    },
  }),
  scenario({
    title: "carry several blocks of one message as several messages where a message has one [O24-021] [O0618-011]",
    needs: ["ask"],
    until: "2025-06-18",
    app: () =>
      createAskingServer((ctx) => {
        const blocks = ["one", "two"].map((text) => ({ type: "text" as const, text }));
        return ctx.sample({ ...question, messages: [{ role: "user", content: blocks }] });
      }),
    client: () => ({
      ...tester,
      sampling: {
        createMessage: (): CreateMessageResult => ({ ...oslo, content: [oslo.content, oslo.content].flat() }),
      },
    }),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      const { messages } = wire.onlyQuestion("sampling/createMessage").params as { messages: { content: unknown }[] };
      assert.deepEqual(
        messages.map(({ content }) => content),
        ["one", "two"].map((text) => ({ type: "text", text })),
      );
      assert.equal(Array.isArray(wire.onlyQuestion("sampling/createMessage").result?.content), false);
      assert.equal((app.outcomes[0] as CreateMessageResult).model, oslo.model);
    },
  }),
  scenario({
    title: "ask by forms in the words of the first revision that has forms [O0618-007] [O0618-008]",
    needs: ["ask"],
    since: "2025-06-18",
    until: "2025-06-18",
    app: () =>
      createAskingServer((ctx) =>
        ctx.elicit("Which?", {
          type: "object",
          properties: {
            colour: { type: "string", oneOf: [{ const: "r", title: "Red" }], default: "r" },
            name: { type: "string", default: "Ada" },
            news: { type: "boolean", default: true },
          },
        } as const),
      ),
    client: () => ({ ...tester, elicitation: { form: () => ({ action: "decline" }), url: pages } }),
    run: async ({ client, wire }) => {
      await client.callTool("ask", {});
      assert.deepEqual(wire.declared, { elicitation: {} });
      const { params } = wire.onlyQuestion("elicitation/create");
      assert.equal("mode" in params, false);
      assert.deepEqual((params.requestedSchema as JsonObject).properties, {
        colour: { type: "string", enum: ["r"], enumNames: ["Red"] },
        name: { type: "string" },
        news: { type: "boolean", default: true },
      });
    },
  }),
]);

const pages = { consent: () => "accept" as const, open: () => undefined };

describe("a peer of an older revision", () => {
  for (const { id } of handshakeRevisions) {
    it(`may use what was not declared, and is refused without being cut off, ${id} [O24-023] [O0618-004] [OLEG-012]`, async () => {
      const client = await RawClient.connect(defineServer({ ...identity, logging: false }), { protocolVersion: id });
      for (const method of ["tools/list", "prompts/list", "resources/subscribe", "logging/setLevel"]) {
        const { error } = await client.request(method, { uri: "note:///none", level: "info" });
        assert.equal(error?.code, -32_601, method);
      }
      client.notify("notifications/roots/list_changed");
      assert.deepEqual((await client.request("ping")).result, {});
      await client.close();
    });

    it(`may tell what it never announced and answer with errors that name nothing, ${id} [O24-023] [O24-022] [O0618-014] [OLEG-013]`, async () => {
      const server = new FakeServer({ protocolVersion: id, answers: { "demo/echo": () => ({ more: { odd: [1] } }) } });
      const client = await connect(server.channel);
      server.notify("notifications/tools/list_changed");
      server.notify("notifications/message", { level: "info", data: 1, odd: true });
      for (const odd of [{ id: null }, {}]) {
        server.send({ jsonrpc: "2.0", ...odd, error: { code: -32_700, message: "what?" } });
      }
      await turn();
      assert.deepEqual(await client.request("demo/echo", {}), { more: { odd: [1] } });
      await client.close();
    });
  }

  it("of 2024-11-05 completes although nobody announces that [O24-018]", async () => {
    const app = full();
    const client = await RawClient.connect(app, { protocolVersion: "2024-11-05" });
    const argument = { ref: { type: "ref/prompt", name: "greet" }, argument: { name: "a", value: "" } };
    const { result } = await client.request("completion/complete", argument);
    assert.deepEqual(result?.completion, { values: ["x"], total: 1, hasMore: false });
    const bare = await RawClient.connect(defineServer(identity), { protocolVersion: "2024-11-05" });
    assert.equal((await bare.request("completion/complete", argument)).error?.code, -32_601);
    await Promise.all([client.close(), bare.close()]);
  });

  it("of 2025-03-26 may send batches to a client too, on a pipe [O0326-001] [O0326-007] [O0326-008]", async () => {
    const server = new FakeServer({ protocolVersion: "2025-03-26" });
    const client = await connect(server.channel);
    const heard: unknown[] = [];
    client.onNotification("notifications/message", ({ data }) => heard.push(data));
    const [first, second] = [client.request("demo/one", {}), client.request("demo/two", {})];
    server.answers.set("demo/one", () => new Promise(() => {})).set("demo/two", () => new Promise(() => {}));
    await turn();
    const ids = server.received.flatMap((message) => ("id" in message && "method" in message ? [message.id] : []));
    const log = { jsonrpc: "2.0", method: "notifications/message", params: { level: "info", data: "with them" } };
    server.send([log, ...ids.slice(-2).map((id) => ({ jsonrpc: "2.0", id, result: { id } }))]);
    assert.deepEqual(
      await within(Promise.all([first, second]), "the answers of a batch"),
      ids.slice(-2).map((id) => ({ id })),
    );
    assert.deepEqual(heard, ["with them"]);
    await client.close();
  });

  it("of 2025-06-18 may refuse arguments by an error or by a failed result [O0618-006]", async () => {
    const server = new FakeServer({ protocolVersion: "2025-06-18", capabilities: { tools: {} } });
    const client = await connect(server.channel);
    server.answers.set("tools/call", () => {
      throw Object.assign(new Error("a is missing"), { rpcCode: -32_602 });
    });
    await assert.rejects(client.callTool("add", {}), { rpcCode: -32_602, remote: true, message: /a is missing/ });
    server.answers.set("tools/call", () => ({ content: [{ type: "text", text: "a is missing" }], isError: true }));
    assert.equal((await client.callTool("add", {})).isError, true);
    await client.close();
  });

  it("of 2025-06-18 gets no arrays as answers to a form [O0618-009]", async () => {
    const server = new FakeServer({ protocolVersion: "2025-06-18" });
    const form = () => ({ action: "accept" as const, content: { a: ["x"] } });
    const client = await connect(server.channel, { client: { ...tester, elicitation: { form } } });
    const requestedSchema = { type: "object", properties: { a: { type: "string" } } };
    const { result, error } = await server.ask("elicitation/create", { message: "?", requestedSchema });
    assert.equal(result, undefined);
    assert.equal(typeof error?.code, "number");
    await client.close();
  });
});
