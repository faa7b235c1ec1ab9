// Errors: what crosses the wire, what does not, and that a session survives all of them.

import assert from "node:assert/strict";
import { RpcError } from "parley-mcp";
import { defineServer, tool } from "parley-mcp/server";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };

function failing() {
  const errors: unknown[] = [];
  const app = defineServer({
    ...identity,
    onError: (error) => errors.push(error),
    tools: { fine: tool({ description: "Works" }, () => "fine") },
    methods: {
      "demo/refuse": () => {
        throw new RpcError(4_711, "not on Sundays", { data: { day: "Sunday", list: [1, null] } });
      },
      "demo/crash": () => {
        throw new TypeError("cannot read /users/demo/.secret");
      },
      "demo/echo": (params) => params,
    },
  });
  return Object.assign(app, { errors });
}

verifies("errors", [
  scenario({
    title: "of a handler keep their code, message and data exactly [BASE-009] [PP-065]",
    app: failing,
    run: async ({ client, wire }) => {
      await assert.rejects(client.request("demo/refuse", {}), {
        code: "MCP_RPC",
        rpcCode: 4_711,
        message: "not on Sundays",
        data: { day: "Sunday", list: [1, null] },
        remote: true,
      });
      assert.deepEqual(wire.answerTo("client", "demo/refuse")?.error, {
        code: 4_711,
        message: "not on Sundays",
        data: { day: "Sunday", list: [1, null] },
      });
    },
  }),
  scenario({
    title: "that nobody meant to send say internal error and nothing more; the author's hook gets them [BASE-018]",
    app: failing,
    run: async ({ client, wire, app }) => {
      await assert.rejects(client.request("demo/crash", {}), { rpcCode: -32603 });
      assert.deepEqual(wire.answerTo("client", "demo/crash")?.error, { code: -32603, message: "internal error" });
      assert.match(String(app.errors[0]), /\.secret/);
    },
  }),
  scenario({
    title: "tell of an unknown method [BASE-016]",
    isOfficial: false,
    app: failing,
    run: async ({ client }) => {
      await assert.rejects(client.request("no/such", {}), {
        code: "MCP_METHOD_NOT_FOUND",
        rpcCode: -32601,
        remote: true,
      });
      await assert.rejects(client.request("demo/ech", {}), { rpcCode: -32601, remote: true });
    },
  }),
  scenario({
    title: "are one line each, and the session goes on behind them [BASE-007] [BASE-008] [BASE-011]",
    app: failing,
    run: async ({ client, wire }) => {
      for (const method of ["no/such", "demo/refuse", "demo/crash"]) {
        await assert.rejects(client.request(method, {}));
      }
      await assert.rejects(client.callTool("fin", {}));
      assert.deepEqual((await client.callTool("fine", {})).content, [{ type: "text", text: "fine" }]);
      for (const { id, result, error } of wire.responses("server")) {
        assert.ok(wire.from("client").some((message) => message.id === id));
        assert.notEqual(result === undefined, error === undefined);
        assert.doesNotMatch(error?.message ?? "", /\n|\bat .*:\d+/);
      }
    },
  }),
  scenario({
    title:
      "do not come of unknown members or metadata, which arrive as they were [BASE-021] [META-001] [META-006] [OLEG-013] [M-EXT-003]",
    isOfficial: false,
    app: failing,
    run: async ({ client }) => {
      const params = { x: 1, _meta: { "com.example/x": [1], "io.modelcontextprotocol/odd": 5 } };
      const { _meta, x } = await client.request("demo/echo", params);
      assert.equal(x, 1);
      assert.deepEqual((_meta as { [key: string]: unknown })["com.example/x"], [1]);
      assert.equal((_meta as { [key: string]: unknown })["io.modelcontextprotocol/odd"], 5);
    },
  }),
]);
