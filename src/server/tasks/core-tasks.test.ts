import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { begin, createCoreServer as create, errorOf } from "../../../test/fixtures/core-tasks.ts";
import { officialSchema } from "../../../test/fixtures/official-schema.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { until } from "../../../test/fixtures/until.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { createFakeClock } from "../../test/clock.ts";
import { tool } from "../features/tool.ts";
import type { Server } from "../server.ts";

describe("tasks of the core form", () => {
  it("are announced exactly where a tool has them, lists only where the peer is one [TASK-001] [TASK-002] [TASK-052]", async () => {
    const announced = async (app: Server, protocolVersion?: string): Promise<unknown> => {
      const client = new RawClient(app);
      const { result } = await client.initialize(protocolVersion === undefined ? {} : { protocolVersion });
      return ((result?.capabilities ?? {}) as JsonObject).tasks;
    };
    assert.deepEqual(await announced(create().app), { list: {}, cancel: {}, requests: { tools: { call: {} } } });
    assert.equal(await announced(create({ tools: { plain: tool({ description: "x" }, () => "") } }).app), undefined);
    assert.equal(await announced(create({ tasks: false }).app), undefined);
    assert.equal(await announced(create().app, "2025-06-18"), undefined);
  });

  it("are listed with the tools that have them, in revisions that know them [TASK-012]", async () => {
    const { app } = create();
    const support = async (protocolVersion: string): Promise<unknown[]> => {
      const client = await RawClient.connect(app, { protocolVersion });
      const { result } = await client.request("tools/list");
      return ((result?.tools ?? []) as JsonObject[]).map(({ execution }) => execution);
    };
    const [plain, slow, either] = await support("2025-11-25");
    assert.deepEqual([plain, slow, either], [undefined, { taskSupport: "required" }, { taskSupport: "optional" }]);
    assert.ok((await support("2025-06-18")).every((execution) => execution === undefined));
    const odd = tool({ description: "x", task: "maybe" as never }, () => "");
    assert.throws(() => create({ tools: { odd } }), /tool "odd", task: expected "forbidden", "optional" or "required"/);
  });

  it("are made at once, working, without the result, and fit the schema [TASK-013] [TASK-014] [TASK-015] [TASK-018] [TASK-020]", async () => {
    const { app } = create();
    const client = await RawClient.connect(app);
    for (const task of [{}, { ttl: 60_000 }]) {
      const { result } = await client.request("tools/call", { name: "slow", task });
      assert.deepEqual(Object.keys(result ?? {}), ["task"]);
      const made = result?.task as JsonObject;
      assert.equal(made.status, "working");
      assert.equal(made.ttl, "ttl" in task ? 60_000 : 3_600_000);
      assert.equal(made.pollInterval, 1_000);
      assert.equal(new Date(String(made.createdAt)).toISOString(), made.createdAt);
      assert.deepEqual(officialSchema("2025-11-25").faultsOfValue("CreateTaskResult", result ?? {}), []);
    }
    const { result } = await client.request("tools/call", { name: "either", task: {} });
    assert.deepEqual(result?._meta, { "io.modelcontextprotocol/model-immediate-response": "Have a tea" });
    assert.equal(errorOf(await client.request("tools/call", { name: "slow", task: { ttl: "x" } })), -32_602);
  });

  it("keep to what the tool says of them [TASK-009] [TASK-011] [TASK-004]", async () => {
    const client = await RawClient.connect(create().app);
    assert.equal(errorOf(await client.request("tools/call", { name: "plain", task: {} })), -32_601);
    assert.equal(errorOf(await client.request("tools/call", { name: "slow" })), -32_601);
    assert.deepEqual((await client.call("plain")).result, { content: [{ type: "text", text: "plain" }] });
  });

  it("are none on a server without them: the wish is ignored, their methods are not there [TASK-004] [TASK-005]", async () => {
    const plain = { plain: tool({ description: "x" }, () => "plain") };
    for (const app of [create({ tools: plain }).app, create({ tasks: false }).app]) {
      const client = await RawClient.connect(app);
      const { result } = await client.request("tools/call", { name: "plain", task: {} });
      assert.deepEqual(result, { content: [{ type: "text", text: "plain" }] });
      for (const method of ["tasks/get", "tasks/result", "tasks/cancel", "tasks/list"]) {
        assert.equal(errorOf(await client.request(method, { taskId: "x" })), -32_601, method);
      }
    }
  });

  it("are ignored in revisions before them", async () => {
    const client = await RawClient.connect(create().app, { protocolVersion: "2025-06-18" });
    const { result } = await client.request("tools/call", { name: "either", task: {} });
    assert.deepEqual(result?.structuredContent, { a: 1 });
    assert.equal(errorOf(await client.request("tasks/get", { taskId: "x" })), -32_601);
  });

  it("are unknown under every other id, also once they have expired [TASK-042] [TASK-049]", async () => {
    const clock = createFakeClock(Date.UTC(2026, 0, 1));
    const client = await RawClient.connect(create({ clock }).app);
    const { taskId } = await begin(client, "slow", { ttl: 1_000 });
    await clock.advance(1_001);
    for (const id of ["nope", "", taskId]) {
      for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
        const { error: failure } = await client.request(method, { taskId: id });
        assert.equal(failure?.code, -32_602, method);
        assert.match(failure?.message ?? "", /no such task, or it has expired/);
      }
    }
    assert.equal(errorOf(await client.request("tasks/get", { taskId: 5 })), -32_602);
  });

  it("are listed for the peer that made them and for no other [TASK-043] [TASK-044] [TASK-051]", async () => {
    const { app } = create({ pageSize: 10 });
    const client = await RawClient.connect(app);
    const ids: unknown[] = [];
    for (let count = 0; count < 25; count += 1) {
      ids.push((await begin(client, "either")).taskId);
    }
    const listed: JsonObject[] = [];
    let cursor: unknown;
    do {
      const { result } = await client.request("tasks/list", cursor === undefined ? {} : { cursor });
      assert.deepEqual(officialSchema("2025-11-25").faultsOfValue("ListTasksResult", result ?? {}), []);
      listed.push(...((result?.tasks ?? {}) as JsonObject[]));
      cursor = result?.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(
      listed.map(({ taskId }) => taskId),
      ids,
    );
    assert.equal(errorOf(await client.request("tasks/list", { cursor: "bogus" })), -32_602);
    const other = await RawClient.connect(app);
    assert.deepEqual((await other.request("tasks/list")).result, { tasks: [] });
    assert.equal(errorOf(await other.request("tasks/get", { taskId: ids[0] })), -32_602);
  });

  it("end with the peer that alone could ask for them", async () => {
    const { app, seen } = create();
    const client = await RawClient.connect(app);
    await begin(client, "slow");
    await until(() => seen.signal);
    await client.handle.close();
    await until(() => seen.signal?.aborted);
  });

  it("are limited in number and in time, and so is asking for them [TASK-041] [TASK-053]", async () => {
    const { app } = create({ tasks: { maxUnfinished: 1, maxTtlMs: 5_000 }, limits: { tasks: () => ({ ok: false }) } });
    const client = await RawClient.connect(app);
    const made = await begin(client, "slow", { ttl: 1e9 });
    assert.equal(made.ttl, 5_000);
    assert.equal(errorOf(await client.request("tools/call", { name: "slow", task: {} })), -32_603);
    const { error: failure } = await client.request("tasks/get", { taskId: made.taskId });
    assert.match(failure?.message ?? "", /^tasks\/get: too many requests/);
  });

  it("are told of to whoever keeps an eye on them [TASK-054]", async () => {
    const events: string[] = [];
    const { app } = create({ onTask: ({ kind, name }) => events.push(`${kind} ${name}`) });
    const client = await RawClient.connect(app);
    const { taskId } = await begin(client, "either");
    await client.request("tasks/result", { taskId });
    await client.request("tasks/get", { taskId: "nope" });
    assert.deepEqual(events.sort(), ["completed either", "created either", "refused undefined", "retrieved either"]);
  });
});
