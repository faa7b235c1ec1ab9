// Tasks in both forms over every kind of link, message by message.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { JsonObject } from "parley-mcp";
import { defineServer, type Server, tool } from "parley-mcp/server";
import { alone } from "../fixtures/raw-http.ts";
import { type RawLink, type RawLinkKind, rawLinks } from "../fixtures/raw-links.ts";
import { until } from "../fixtures/until.ts";

const form = { type: "object", properties: {} } as const;
const extension = "io.modelcontextprotocol/tasks";
const relatedTask = "io.modelcontextprotocol/related-task";

const define = (): Server =>
  defineServer({
    name: "demo",
    version: "1.0.0",
    tools: {
      asking: tool({ description: "Asks, then answers", task: "required" }, async (_args, ctx) => {
        ctx.progress(1);
        const answer = await ctx.elicit("Go on?", form);
        return `${answer.action} in ${ctx.task?.id}`;
      }),
    },
  }) as Server;

interface Message {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: JsonObject;
  readonly result?: JsonObject;
  readonly error?: { readonly code: number };
}

/** A client of bare messages. */
class Client {
  readonly received: Message[] = [];
  readonly #isAlone: boolean;
  #link: RawLink | undefined;
  #lastId = 0;

  constructor(isAlone: boolean) {
    this.#isAlone = isAlone;
  }

  async open(kind: RawLinkKind): Promise<() => Promise<void>> {
    const link = await kind.open(define(), (message) => this.#receive(message as Message), this.#isAlone);
    this.#link = link;
    return () => link.close();
  }

  send(value: JsonObject): void {
    void this.#link?.send({ value });
  }

  async ask(method: string, params: JsonObject): Promise<JsonObject> {
    this.#lastId += 1;
    const id = this.#lastId;
    const _meta = {
      "io.modelcontextprotocol/clientCapabilities": { elicitation: {}, extensions: { [extension]: {} } },
    };
    this.send(this.#isAlone ? alone(id, method, { ...params, _meta }) : { jsonrpc: "2.0", id, method, params });
    const answer = await until(() =>
      this.received.find((message) => message.id === id && message.method === undefined),
    );
    assert.ok(answer.result !== undefined, JSON.stringify(answer));
    return answer.result;
  }

  /** The person agrees, after a while. */
  #receive(message: Message): void {
    this.received.push(message);
    if (message.method !== undefined && message.id !== undefined) {
      const meta = { [relatedTask]: (message.params?._meta as JsonObject | undefined)?.[relatedTask] };
      const result = { action: "accept", content: {}, _meta: meta };
      setImmediate(() => this.send({ jsonrpc: "2.0", id: message.id, result }));
    }
  }
}

const textOf = (result: JsonObject | undefined): unknown => (result?.content as JsonObject[] | undefined)?.[0]?.text;

describe("tasks over links", () => {
  for (const kind of rawLinks) {
    it(`of the core form are made, polled, asked for and cancelled [TASK-014] [TASK-026] [TASK-033] [TASK-046] over ${kind.name}`, async () => {
      const client = new Client(false);
      const close = await client.open(kind);
      const clientInfo = { name: "raw", version: "1.0.0" };
      const hello = { protocolVersion: "2025-11-25", clientInfo, capabilities: { elicitation: {} } };
      const { capabilities } = await client.ask("initialize", hello);
      assert.ok(((capabilities as JsonObject).tasks as JsonObject).requests);
      client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
      const call = { name: "asking", task: { ttl: 60_000 } };
      const { taskId } = (await client.ask("tools/call", call)).task as JsonObject;
      await until(async () => (await client.ask("tasks/get", { taskId })).status === "input_required");
      const result = await client.ask("tasks/result", { taskId });
      assert.equal(textOf(result), `accept in ${taskId}`);
      assert.deepEqual(result._meta, { [relatedTask]: { taskId } });
      assert.equal((await client.ask("tasks/get", { taskId })).status, "completed");

      const { taskId: other } = (await client.ask("tools/call", call)).task as JsonObject;
      assert.equal((await client.ask("tasks/cancel", { taskId: other })).status, "cancelled");
      assert.equal((await client.ask("tasks/get", { taskId: other })).status, "cancelled");
      await close();
    });

    it(`of the extension are made, polled, answered and cancelled [X-TASK-014] [X-TASK-020] [X-TASK-029] [X-TASK-031] over ${kind.name}`, async () => {
      const client = new Client(true);
      const close = await client.open(kind);
      const { taskId, resultType } = await client.ask("tools/call", { name: "asking" });
      assert.equal(resultType, "task");
      const state = await until(async () => {
        const now = await client.ask("tasks/get", { taskId });
        return now.status === "input_required" && now;
      });
      const [key = ""] = Object.keys(state.inputRequests as JsonObject);
      await client.ask("tasks/update", { taskId, inputResponses: { [key]: { action: "decline" } } });
      const over = await until(async () => {
        const now = await client.ask("tasks/get", { taskId });
        return now.status === "completed" && now;
      });
      assert.equal(textOf(over.result as JsonObject), `decline in ${taskId}`);

      const { taskId: other } = await client.ask("tools/call", { name: "asking" });
      assert.equal((await client.ask("tasks/cancel", { taskId: other })).resultType, "complete");
      assert.equal((await client.ask("tasks/get", { taskId: other })).status, "cancelled");
      assert.equal(
        client.received.some(({ method }) => method !== undefined),
        false,
      );
      await close();
    });
  }
});
