import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { defineClient } from "../client.ts";

const elicitation = { url: { consent: () => "accept" as const, open: () => {} } };

describe("Caller", () => {
  it("visits pages for any request that needs them, not only for tools [ELIC-027]", async () => {
    const server = new FakeServer({ capabilities: { resources: {} } });
    const session = await defineClient({ name: "c", version: "1", elicitation }).connect(server.channel);
    const elicitations = [{ mode: "url", message: "m", url: "https://a.example/", elicitationId: "1" }];
    server.answers.set("resources/read", () => {
      server.answers.set("resources/read", () => ({ contents: [] }));
      queueMicrotask(() =>
        setImmediate(() => server.notify("notifications/elicitation/complete", { elicitationId: "1" })),
      );
      throw new RpcError(-32_042, "visit first", { data: { elicitations } });
    });
    assert.deepEqual(await session.readResource("a:b"), { contents: [] });
    await session.close();
  });

  it("leaves an error alone that says so but names no usable page [PP-065]", async () => {
    const server = new FakeServer({ capabilities: { resources: {} } });
    const session = await defineClient({ name: "c", version: "1", elicitation }).connect(server.channel);
    for (const data of [undefined, {}, { elicitations: [] }, { elicitations: [{ mode: "form", message: "m" }] }]) {
      server.answers.set("resources/read", () => {
        throw new RpcError(-32_042, "odd", { data });
      });
      await assert.rejects(session.readResource("a:b"), { code: "MCP_RPC", rpcCode: -32_042, message: "odd", data });
    }
    await session.close();
  });
});
