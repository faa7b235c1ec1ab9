import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { ResourceUpdate } from "parley-mcp/client";
import { createStdioChannel, type StdioChannel } from "parley-mcp/stdio/client";
import { createAtEnd } from "./fixtures/at-end.ts";
import { isRunning, runPackage } from "./fixtures/peer-process.ts";
import { openRecorded, type RecordedSession } from "./fixtures/recording-client.ts";
import { Mailbox } from "./fixtures/waiting.ts";

const graphUri = "memory://knowledge-graph";

describe("our client with server-memory over stdio", () => {
  const atEnd = createAtEnd();
  let folder: string;
  let channel: StdioChannel;
  let recorded: RecordedSession;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-interop-"));
    atEnd(() => rm(folder, { recursive: true }));
    const env = { MEMORY_FILE_PATH: join(folder, "memory.jsonl") };
    channel = createStdioChannel({ ...runPackage("@modelcontextprotocol/server-memory"), env });
    recorded = await openRecorded(channel);
    atEnd(() => recorded.session.close());
    await recorded.session.listTools().all();
  });

  it("keeps entities and relations, with results that fit the listed schemas [TOOL-016]", async () => {
    const { session } = recorded;
    const entities = [
      { name: "Ada", entityType: "person", observations: ["writes programs"] },
      { name: "Engine", entityType: "machine", observations: [] },
    ];
    const relations = [{ from: "Ada", to: "Engine", relationType: "programs" }];
    await session.callTool("create_entities", { entities });
    await session.callTool("create_relations", { relations });
    const graph = await session.callTool("read_graph", {});
    assert.deepEqual(graph.structuredContent, { entities, relations });
    const found = await session.callTool("search_nodes", { query: "programs" });
    assert.equal((found.structuredContent as { entities: unknown[] }).entities.length, 1);
  });

  it("gets bad arguments as a failed result [TOOL-020]", async () => {
    const result = await recorded.session.callTool("create_entities", { entities: "all of them" });
    assert.equal(result.isError, true);
  });

  it("hears that the graph changed and reads it again [RES-008] [RES-010]", async () => {
    const { session } = recorded;
    const [resource] = await session.listResources().all();
    assert.equal(resource?.uri, graphUri);
    const updates = new Mailbox<ResourceUpdate>();
    const subscription = await session.subscribe(graphUri, (update) => updates.push(update), { reread: true });
    await session.callTool("add_observations", { observations: [{ entityName: "Ada", contents: ["likes tea"] }] });
    const { contents } = await updates.take("the update");
    const [graph] = contents ?? [];
    assert.ok(graph && "text" in graph && graph.text.includes("likes tea"));
    await subscription.unsubscribe();
  });

  it("offers no prompts, and is not asked for any [LIFE-018]", async () => {
    await assert.rejects(recorded.session.listPrompts().all(), { code: "MCP_MISSING_CAPABILITY" });
  });

  it("leaves no process behind [STDIO-010] [PP-023]", async () => {
    const { pid } = channel;
    assert.ok(pid !== undefined && isRunning(pid));
    await recorded.session.close();
    assert.equal(isRunning(pid), false);
  });
});
