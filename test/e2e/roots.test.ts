// Roots: the folders a client lets a server work in.

import assert from "node:assert/strict";
import type { Root } from "parley-mcp";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { scenario, verifies } from "./verifies.ts";

const tester = { name: "tester", version: "1.0.0" };

const looking = () => createAskingServer((ctx) => ctx.roots());

verifies("roots", [
  scenario({
    title: "gives the client's roots to a handler [ROOT-001] [ROOT-002] [ROOT-003]",
    needs: ["ask"],
    app: looking,
    client: () => ({ ...tester, roots: [{ uri: "file:///users/ada", name: "home" }, { uri: "file:///tmp" }] }),
    run: async ({ client, wire, app, isAlone }) => {
      await client.callTool("ask", {});
      assert.deepEqual(app.outcomes, [[{ uri: "file:///users/ada", name: "home" }, { uri: "file:///tmp" }]]);
      const alone = { roots: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
      assert.deepEqual(wire.declared, isAlone ? alone : { roots: { listChanged: true } });
    },
  }),
  scenario({
    title: "fails where it is asked for, with nothing sent, when the client has no roots [ROOT-009] [LIFE-018]",
    app: looking,
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.questions("roots/list"), []);
    },
  }),
  scenario({
    title: "asks once, and again after a change that the client tells of [ROOT-004] [ROOT-011]",
    needs: ["ask", "session"],
    app: looking,
    client: () => {
      let asked = 0;
      const list = (): readonly Root[] => {
        asked += 1;
        return [{ uri: `file:///${asked}` }];
      };
      return { ...tester, roots: { list } };
    },
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      await client.callTool("ask", {});
      assert.equal(wire.questions("roots/list").length, 1);
      await client.notify("notifications/roots/list_changed");
      await client.callTool("ask", {});
      assert.equal(wire.questions("roots/list").length, 2);
      assert.deepEqual(app.outcomes, [[{ uri: "file:///1" }], [{ uri: "file:///1" }], [{ uri: "file:///2" }]]);
    },
  }),
  scenario({
    title: "asks each time where changes are not announced [ROOT-004] [ROOT-011]",
    needs: ["ask"],
    app: looking,
    client: () => ({ ...tester, roots: { list: [{ uri: "file:///one" }], listChanged: false } }),
    run: async ({ client, wire }) => {
      await client.callTool("ask", {});
      await client.callTool("ask", {});
      assert.equal(wire.questions("roots/list").length, 2);
      assert.deepEqual(wire.sent("client", "notifications/roots/list_changed"), []);
    },
  }),
  scenario({
    title: "tells the handler of roots that cannot be had, and asks anew the next time [ROOT-005] [ROOT-011]",
    needs: ["ask", "session"],
    app: looking,
    client: () => {
      let tries = 0;
      const list = (): readonly Root[] => {
        tries += 1;
        if (tries === 1) {
          throw new Error("the disk /dev/sdb vanished");
        }
        return [];
      };
      return { ...tester, roots: { list } };
    },
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { rpcCode: number }).rpcCode, -32603);
      assert.deepEqual(app.outcomes[1], []);
      assert.equal(JSON.stringify(wire.from("client")).includes("/dev/sdb"), false);
    },
  }),
]);
