// The life of a session: handshake, negotiation, pings, its end.

import assert from "node:assert/strict";
import { ClosedError } from "parley-mcp";
import { defineServer, prompt, resource, tool } from "parley-mcp/server";
import { handshakeRevisions } from "../../src/revision/registry.ts";
import { Arrivals } from "../fixtures/signals.ts";
import { scenario, verifies } from "./verifies.ts";

const described = {
  name: "demo",
  version: "1.0.0",
  title: "Demo",
  description: "Shows things",
  websiteUrl: "https://demo.example",
  icons: [{ src: "https://demo.example/icon.png", mimeType: "image/png", sizes: ["48x48"] }],
};
const tester = { name: "tester", version: "1.0.0" };

verifies("lifecycle", [
  scenario({
    title:
      "begins with initialize in the client's revision, then initialized, then the rest [LIFE-001] [LIFE-002] [LIFE-006] [LIFE-012] [LIFE-013] [BASE-001]",
    until: "2025-11-25",
    app: () => defineServer({ name: "demo", version: "1.0.0" }),
    run: async ({ client, wire, revision }) => {
      await client.ping();
      const methods = wire.methods("client");
      assert.deepEqual(methods, ["initialize", "notifications/initialized", "ping"]);
      assert.deepEqual(wire.onlyParams("client", "initialize"), {
        protocolVersion: revision,
        capabilities: {},
        clientInfo: { name: "parley", version: "1" },
      });
      const { result } = wire.answerTo("client", "initialize") ?? {};
      assert.equal(result?.protocolVersion, revision);
      assert.equal(client.server.revision, revision);
    },
    client: () => ({ name: "parley", version: "1" }),
  }),
  scenario({
    title:
      "tells each side who the other is, in words that its revision has [LIFE-003] [LIFE-004] [LIFE-005] [LIFE-017] [O24-019] [O0326-016] [O0618-012] [O0618-013]",
    needs: ["session"],
    app: () => defineServer({ ...described, instructions: "Be kind" }),
    client: () => ({ ...described, name: "tester" }),
    run: async ({ client, app, revision }) => {
      const titled = revision >= "2025-06-18" ? { title: "Demo" } : undefined;
      const rest =
        revision >= "2025-11-25"
          ? { description: described.description, websiteUrl: described.websiteUrl, icons: described.icons }
          : undefined;
      assert.deepEqual(client.server.info, { name: "demo", version: "1.0.0", ...titled, ...rest });
      assert.equal(client.server.instructions, "Be kind");
      const [session] = app.sessions;
      assert.deepEqual(session?.clientInfo, { name: "tester", version: "1.0.0", ...titled, ...rest });
    },
  }),
  scenario({
    title:
      "announces what there is, and nothing else [LIFE-019] [TOOL-001] [RES-001] [PROMPT-001] [COMP-001] [O24-018] [O0326-018]",
    app: () =>
      defineServer({
        ...described,
        logging: false,
        tools: { t: tool({ description: "t" }, () => "t") },
        prompts: { p: prompt({ arguments: { a: {} }, complete: { a: ["x"] } }, () => "p") },
        resources: { r: resource({ uri: "note:///r" }, () => "r") },
      }),
    run: async ({ client, wire, revision, isAlone, join }) => {
      const expected = ["completions", "prompts", "resources", "tools"];
      const { result } = wire.answerTo("client", isAlone ? "server/discover" : "initialize") ?? {};
      const known = expected.filter((name) => name !== "completions" || revision >= "2025-03-26");
      assert.deepEqual(Object.keys(result?.capabilities ?? {}).sort(), known);
      assert.equal(client.server.info.name, "demo");
      assert.ok((await join()).client.server.capabilities.tools);
    },
  }),
  scenario({
    title: "carries experimental capabilities of both sides [LIFE-020] [BASE-021]",
    needs: ["session"],
    app: () => defineServer({ ...described, experimental: { "com.example/wings": { span: 2 } } }),
    client: () => ({ ...tester, capabilities: { experimental: { "com.example/fins": {} } } }),
    run: async ({ client, app }) => {
      assert.deepEqual(client.server.capabilities.experimental, { "com.example/wings": { span: 2 } });
      const [session] = app.sessions;
      assert.deepEqual(session?.capabilities.experimental, { "com.example/fins": {} });
    },
  }),
  scenario({
    title: "carries pings in both directions, also during a call [PING-001]",
    needs: ["ask", "session"],
    app: () => {
      const tools = {
        check: tool({ description: "Pings the client" }, async (_, ctx) => {
          await ctx.ask("ping");
          return "there";
        }),
      };
      return defineServer({ ...described, tools });
    },
    run: async ({ client, wire }) => {
      await Promise.all([client.callTool("check", {}), client.ping()]);
      assert.deepEqual(wire.answerTo("client", "ping")?.result, {});
      assert.deepEqual(wire.answerTo("server", "ping")?.result, {});
    },
  }),
  scenario({
    title: "ends with the transport: calls fail at once, handlers are told, later calls too [LIFE-021] [PP-019]",
    app: () => {
      const [started, aborted] = [new Arrivals<string>(), new Arrivals<unknown>()];
      const tools = {
        hold: tool({ description: "Never ends by itself" }, async (_, { signal }) => {
          started.take("hold");
          await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
          aborted.take(signal.reason);
          return "too late";
        }),
      };
      return Object.assign(defineServer({ ...described, tools }), { started, aborted });
    },
    run: async ({ client, app, wire, can }) => {
      const call = assert.rejects(client.callTool("hold", {}), (error) => error instanceof ClosedError);
      await app.started.until(1);
      await client.close();
      await call;
      assert.equal(await client.closed, undefined);
      await app.aborted.until(1);
      await assert.rejects(client.ping(), { code: "MCP_CLOSED" });
      // A POST must be answered with something, and JSON has nothing but an error for that.
      const answered = wire.responses("server").filter(({ id }) => id === wire.sent("client", "tools/call")[0]?.id);
      assert.ok(answered.every(({ error }) => error !== undefined && !can.has("tell")));
    },
  }),
  scenario({
    title: "keeps sessions of one server apart, each with its own revision [LIFE-028] [BASE-005]",
    needs: ["session"],
    app: () => defineServer({ ...described, tools: { t: tool({ description: "t" }, (_, { revision }) => revision) } }),
    run: async ({ client, wire, app, join, revision }) => {
      const others = await Promise.all(handshakeRevisions.map(() => join({ ...tester, name: "other" })));
      assert.equal(app.sessions.size, others.length + 1);
      assert.equal(new Set([...app.sessions].map(({ id }) => id)).size, others.length + 1);
      const { content } = await client.callTool("t", {});
      assert.deepEqual(content, [{ type: "text", text: revision }]);
      const ids = wire.from("client").flatMap(({ id }) => id ?? []);
      assert.equal(new Set(ids).size, ids.length);
    },
  }),
]);
