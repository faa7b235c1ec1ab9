// Log messages, seen from outside: levels, scope, what is never sent.

import assert from "node:assert/strict";
import { defineServer, tool } from "parley-mcp/server";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

const chatty = (logging?: boolean) =>
  defineServer({
    ...identity,
    logging,
    tools: {
      all: tool({ description: "Logs at every level" }, (_, { log }) => {
        for (const level of levels) {
          log[level]({ at: level }, "demo");
        }
        return "logged";
      }),
      data: tool({ description: "Logs any data" }, (_, { log }) => {
        log.error(null);
        log.error("text");
        log.error({ password: "hunter2", user: "ada" });
        return "logged";
      }),
    },
  });

verifies("logging", [
  scenario({
    title:
      "sends messages of the chosen level and above, before the answer of their request [LOG-002] [LOG-003] [LOG-004] [LOG-005]",
    needs: ["tell"],
    app: () => chatty(),
    run: async ({ client, wire, isAlone }) => {
      for (const [index, level] of levels.entries()) {
        await client.setLogLevel(level);
        assert.deepEqual(wire.answerTo("client", "logging/setLevel")?.result, isAlone ? undefined : {});
        const before = wire.sent("server", "notifications/message").length;
        await client.callTool("all", {});
        const sent = wire.sent("server", "notifications/message").slice(before);
        assert.deepEqual(
          sent.map(({ params }) => params),
          levels.slice(index).map((each) => ({ level: each, logger: "demo", data: { at: each } })),
        );
      }
    },
  }),
  scenario({
    title: "keeps the level of one session from the others [LOG-005] [LIFE-028]",
    needs: ["tell", "session"],
    app: () => chatty(),
    run: async ({ client, wire, join }) => {
      const other = await join();
      await client.setLogLevel("emergency");
      await Promise.all([client.callTool("all", {}), other.client.callTool("all", {})]);
      assert.equal(wire.sent("server", "notifications/message").length, 1);
      assert.equal(other.wire.sent("server", "notifications/message").length, 7);
    },
  }),
  scenario({
    title: "carries any data, with what looks secret masked, to the listener [LOG-002] [LOG-008] [LOG-010]",
    needs: ["tell"],
    app: () => chatty(),
    run: async ({ client, wire }) => {
      const heard: unknown[] = [];
      await client.setLogLevel("debug");
      client.onNotification("notifications/message", ({ data }) => heard.push(data));
      await client.callTool("data", {});
      assert.deepEqual(heard.slice(0, 2), [null, "text"]);
      assert.equal((heard[2] as { user: string }).user, "ada");
      assert.equal(JSON.stringify(wire.from("server")).includes("hunter2"), false);
    },
  }),
  scenario({
    title: "does not even send a level that is none [LOG-003]",
    app: () => chatty(),
    run: async ({ client }) => {
      await assert.rejects(client.setLogLevel("warn" as never), { rpcCode: -32602, remote: false });
    },
  }),
  scenario({
    title: "neither announces nor sends messages where logging is switched off [LOG-001]",
    app: () => chatty(false),
    run: async ({ client, wire }) => {
      assert.equal(client.server.capabilities.logging, undefined);
      await client.callTool("all", {});
      assert.deepEqual(wire.sent("server", "notifications/message"), []);
      await assert.rejects(client.setLogLevel("info"), { code: "MCP_MISSING_CAPABILITY" });
    },
  }),
]);
