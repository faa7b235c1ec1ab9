// Tasks of the core form between our client and a server of SDK 1.x, which has them as an experiment: both ways.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InMemoryTaskMessageQueue, InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { type ClientOptions, type ClientSession, defineClient } from "parley-mcp/client";
import type { Channel } from "parley-mcp/jsonrpc";
import { createMemoryPair } from "parley-mcp/memory";

/** One end of a pipe as the SDK wants it. */
function toTransport(channel: Channel): Transport {
  const transport: Transport = {
    start: () =>
      channel.open({
        message: (value) => transport.onmessage?.(value as JSONRPCMessage),
        malformed: () => undefined,
        closed: () => transport.onclose?.(),
      }),
    send: async (message) => {
      await channel.send(message as never);
    },
    close: () => channel.close(),
  };
  return transport;
}

/** A session with a server that bakes when it is told to. */
async function open(options: Partial<ClientOptions> = {}) {
  const taskStore = new InMemoryTaskStore();
  const server = new McpServer(
    { name: "official", version: "1.0.0" },
    {
      capabilities: { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
      taskStore,
      taskMessageQueue: new InMemoryTaskMessageQueue(),
    },
  );
  const baked: ((cake: string) => Promise<void>)[] = [];
  server.experimental.tasks.registerToolTask(
    "bake",
    { description: "Bakes", execution: { taskSupport: "required" } },
    {
      createTask: async (extra) => {
        const task = await extra.taskStore.createTask({ ttl: 60_000, pollInterval: 50 });
        const content = (text: string) => [{ type: "text" as const, text }];
        baked.push((cake) => extra.taskStore.storeTaskResult(task.taskId, "completed", { content: content(cake) }));
        return { task };
      },
      getTask: (extra) => extra.taskStore.getTask(extra.taskId),
      getTaskResult: async (extra) => (await extra.taskStore.getTaskResult(extra.taskId)) as never,
    },
  );
  const [ours, theirs] = createMemoryPair();
  await server.connect(toTransport(theirs));
  const session: ClientSession = await defineClient({ name: "ours", version: "1.0.0", ...options }).connect(ours, {
    revision: "2025-11-25",
  });
  return { server, session, baked, taskStore };
}

const cake = [{ type: "text", text: "a cake" }];

describe("tasks between our client and a server of SDK 1.x", () => {
  it("are calls that take longer [TASK-010] [TASK-030] [TASK-031]", async () => {
    const { session, baked, taskStore } = await open();
    const result = session.callTool("bake");
    await until(() => baked.length === 1);
    await baked[0]?.("a cake");
    assert.deepEqual((await result).content, cake);
    taskStore.cleanup();
    await session.close();
  });

  it("are listed, looked at, gone on with and cancelled by hand [TASK-026] [TASK-043] [TASK-046]", async () => {
    const { session, baked, taskStore } = await open();
    const handle = await session.tasks.call("bake");
    const id = String(handle.id);
    assert.equal((await session.tasks.get(id)).status, "working");
    assert.deepEqual(
      (await session.tasks.list().all()).map(({ taskId }) => taskId),
      [id],
    );
    const result = session.tasks.follow(id).result();
    await baked[0]?.("a cake");
    assert.deepEqual((await result).content, cake);
    const other = await session.tasks.call("bake");
    const cancelled = assert.rejects(other.result(), { code: "MCP_TASK", reason: "cancelled" });
    await other.cancel();
    await cancelled;
    await assert.rejects(session.tasks.get("nope"), { code: "MCP_TASK", reason: "gone" });
    taskStore.cleanup();
    await session.close();
  });

  it("are cancelled when the call is given up [TASK-046] [CANCEL-004]", async () => {
    const { session, baked, taskStore } = await open();
    const controller = new AbortController();
    const failed = assert.rejects(
      session.callTool("bake", {}, { signal: controller.signal }),
      (reason) => reason === "no",
    );
    await until(() => baked.length === 1);
    controller.abort("no");
    await failed;
    const [task] = await session.tasks.list().all();
    assert.equal(task?.status, "cancelled");
    taskStore.cleanup();
    await session.close();
  });

  it("are taken by our client where the server asks for its model [TASK-001] [TASK-014] [TASK-030]", async () => {
    const message = { role: "assistant" as const, content: { type: "text" as const, text: "yo" }, model: "m" };
    const { session, server, taskStore } = await open({ sampling: { tasks: true, createMessage: () => message } });
    const messages = [{ role: "user" as const, content: { type: "text" as const, text: "hi" } }];
    const stream = server.server.experimental.tasks.createMessageStream(
      { messages, maxTokens: 5 },
      { task: { ttl: 60_000 } },
    );
    const seen: string[] = [];
    for await (const step of stream) {
      seen.push(step.type);
      if (step.type === "result") {
        assert.deepEqual(step.result.content, message.content);
      }
    }
    assert.equal(seen[0], "taskCreated");
    assert.equal(seen.at(-1), "result");
    taskStore.cleanup();
    await session.close();
  });
});

/** Waits for something that happens soon. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}
