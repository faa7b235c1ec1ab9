import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveClientOptions } from "./options.ts";

const identity = { name: "c", version: "1" };

describe("resolveClientOptions", () => {
  it("announces what the handlers can do, with experimental features and extensions [LIFE-018] [LIFE-020]", () => {
    const capabilities = { experimental: { "x/y": { a: 1 } }, extensions: { "com.example/z": {} } };
    const resolved = resolveClientOptions({ ...identity, capabilities, roots: [] });
    const extensions = { ...capabilities.extensions, "io.modelcontextprotocol/tasks": {} };
    assert.deepEqual(resolved.identity, {
      info: identity,
      capabilities: { ...capabilities, extensions, roots: { listChanged: true } },
    });
    const without = resolveClientOptions({ ...identity, capabilities, tasks: false });
    assert.deepEqual(without.identity.capabilities, capabilities);
  });

  it("keeps only what describes the client in what it says about itself [LIFE-003]", () => {
    const { info } = resolveClientOptions({ ...identity, title: "C", idleTimeoutMs: 5 }).identity;
    assert.deepEqual(info, { ...identity, title: "C" });
  });

  it("refuses a client without name or version [LIFE-003]", () => {
    assert.throws(() => resolveClientOptions({ name: "", version: "1" }), { code: "MCP_USAGE" });
    assert.throws(() => resolveClientOptions({ name: "c" } as never), { code: "MCP_USAGE" });
  });

  it("refuses handlers for methods that belong to the protocol [BASE-022]", () => {
    for (const method of ["ping", "tools/list", "sampling/createMessage"]) {
      assert.throws(() => resolveClientOptions({ ...identity, methods: { [method]: () => ({}) } }), {
        code: "MCP_USAGE",
        message: new RegExp(method),
      });
    }
  });

  it("trusts no server and refreshes no list unless told to [TOOL-023]", () => {
    const resolved = resolveClientOptions(identity);
    const server = { info: identity, capabilities: {}, instructions: undefined, revision: "r", label: undefined };
    assert.equal(resolved.isTrusted(server), false);
    assert.equal(resolved.autoRefresh, false);
    assert.equal(resolveClientOptions({ ...identity, onListChanged: () => {} }).autoRefresh, true);
    assert.equal(resolveClientOptions({ ...identity, autoRefresh: true }).autoRefresh, true);
  });
});
