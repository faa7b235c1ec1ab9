// The revisions without a handshake: what a client learns before anything else, and what every message says.

import assert from "node:assert/strict";
import { defineServer, prompt, resource, tool } from "parley-mcp/server";
import { revisions } from "../../src/revision/registry.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };
const since = "2026-07-28";
const keys = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  serverInfo: "io.modelcontextprotocol/serverInfo",
} as const;

const full = () =>
  defineServer({
    ...identity,
    title: "Demo",
    instructions: "Be kind",
    extensions: { "com.example/wings": { span: 2 } },
    tools: { add: tool({ description: "Adds" }, () => "added") },
    prompts: { greet: prompt({ description: "Greets", arguments: { a: {} }, complete: { a: ["x"] } }, () => "Hello") },
    resources: { motd: resource({ uri: "note:///motd" }, () => "Good morning") },
  });

verifies("discovery", [
  scenario({
    title:
      "is the first request and the only one before the rest; there is no handshake [M-DISC-001] [M-DISC-002] [M-BASE-008] [M-BASE-016]",
    since,
    app: full,
    run: async ({ client, wire }) => {
      await client.callTool("add", {});
      assert.deepEqual(wire.methods("client"), ["server/discover", "tools/call"]);
      const { capabilities, instructions, info, revision } = client.server;
      assert.deepEqual(Object.keys(capabilities).sort(), [
        "completions",
        "extensions",
        "logging",
        "prompts",
        "resources",
        "tools",
      ]);
      assert.equal(instructions, "Be kind");
      assert.deepEqual(info, { ...identity, title: "Demo" });
      assert.equal(revision, since);
    },
  }),
  scenario({
    title:
      "names every revision that is served, and the server in its metadata only [M-VER-003] [M-META-009] [M-EXT-001]",
    since,
    app: full,
    run: async ({ wire }) => {
      const { result = {} } = wire.answerTo("client", "server/discover") ?? {};
      assert.deepEqual([...(result.supportedVersions as string[])].sort(), revisions.map(({ id }) => id).sort());
      assert.equal("serverInfo" in result, false);
      assert.deepEqual((result._meta as { [key: string]: unknown })[keys.serverInfo], { ...identity, title: "Demo" });
      const { extensions } = result.capabilities as { extensions: unknown };
      assert.deepEqual(extensions, { "com.example/wings": { span: 2 } });
    },
  }),
  scenario({
    title:
      "of a server without features says so, and nothing before it changes it [M-DISC-002] [M-DISC-006] [M-BASE-013]",
    since,
    app: () => defineServer({ ...identity, logging: false }),
    run: async ({ client, wire }) => {
      const first = wire.answerTo("client", "server/discover")?.result;
      assert.deepEqual(first?.capabilities, {});
      await assert.rejects(client.request("demo/none", {}), { rpcCode: -32601, remote: true });
      await client.ping();
      assert.deepEqual(wire.answerTo("client", "server/discover")?.result, first);
    },
  }),
  scenario({
    title: "of a feature that came later is true from then on [M-DISC-003] [M-TOOL-001]",
    since,
    app: () => defineServer(identity),
    run: async ({ wire, app, join }) => {
      const { result = {} } = wire.answerTo("client", "server/discover") ?? {};
      assert.equal("tools" in (result.capabilities as object), false);
      app.tools.set(
        "late",
        tool({ description: "Came late" }, () => "late"),
      );
      const later = await join();
      assert.ok(later.client.server.capabilities.tools);
      assert.deepEqual(
        (await later.client.listTools().all()).map(({ name }) => name),
        ["late"],
      );
    },
  }),
]);

verifies("requests that stand for themselves", [
  scenario({
    title:
      "say their revision, what the client can do and who it is, each of them, and every result says its kind and the server [M-META-001] [M-META-002] [M-META-003] [M-META-009] [M-BASE-004] [M-BASE-014]",
    since,
    app: full,
    client: () => ({ ...tester, roots: [], capabilities: { extensions: { "com.example/fins": {} } } }),
    run: async ({ client, wire }) => {
      await client.listTools().all();
      await client.listPrompts().all();
      await client.readResource("note:///motd");
      await client.getPrompt("greet");
      await client.complete({ ref: { type: "ref/prompt", name: "greet" }, argument: { name: "a", value: "" } });
      const extensions = { "com.example/fins": {}, "io.modelcontextprotocol/tasks": {} };
      const capabilities = { roots: {}, extensions };
      for (const { params } of wire.from("client")) {
        const meta = params?._meta as { [key: string]: unknown };
        assert.equal(meta[keys.protocolVersion], since);
        assert.deepEqual(meta[keys.clientCapabilities], capabilities);
        assert.deepEqual(meta[keys.clientInfo], tester);
      }
      const answers = wire.responses("server");
      assert.equal(answers.length, 6);
      for (const { result } of answers) {
        assert.equal(result?.resultType, "complete");
        assert.ok((result._meta as { [key: string]: unknown })[keys.serverInfo]);
      }
    },
  }),
  scenario({
    title:
      "say nothing about who is there where either side prefers that [M-META-003] [M-META-005] [M-META-009] [M-META-010]",
    since,
    app: () => defineServer({ ...identity, sendServerInfo: false, tools: { t: tool({}, () => "t") } }),
    client: () => ({ ...tester, anonymous: true }),
    run: async ({ client, wire }) => {
      await client.callTool("t", {});
      assert.equal(JSON.stringify(wire.travelled).includes("tester"), false);
      assert.equal(JSON.stringify(wire.travelled).includes('"demo"'), false);
    },
  }),
  scenario({
    title:
      "show their handler what they say, and nothing of any other [M-META-007] [M-META-008] [M-META-012] [M-BASE-008]",
    since,
    app: () =>
      defineServer({
        ...identity,
        methods: {
          "demo/who": (_, { client, meta }) => ({
            name: client.info?.name ?? "nobody",
            roots: client.capabilities.roots !== undefined,
            trace: meta.traceparent ?? null,
            fake: meta[keys.protocolVersion] ?? null,
          }),
        },
      }),
    run: async ({ client, join }) => {
      const other = await join({ ...tester, name: "other", roots: [] });
      const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
      const [mine, theirs] = await Promise.all([
        client.request("demo/who", { _meta: { traceparent, [keys.protocolVersion]: "1999-01-01" } }),
        other.client.request("demo/who", {}),
      ]);
      const strip = ({ name, roots, trace, fake }: { [key: string]: unknown }) => ({ name, roots, trace, fake });
      assert.deepEqual(strip(mine), { name: "parley", roots: false, trace: traceparent, fake: since });
      assert.deepEqual(strip(theirs), { name: "other", roots: true, trace: null, fake: since });
    },
    client: () => ({ name: "parley", version: "1" }),
  }),
  scenario({
    title: "in great number have ids and tokens of their own while they wait [M-BASE-003] [M-PROG-002]",
    since,
    app: () => defineServer({ ...identity, methods: { "demo/echo": (params) => ({ n: params.n ?? null }) } }),
    run: async ({ client, wire }) => {
      const numbers = Array.from({ length: 300 }, (_, n) => n);
      const answers = await Promise.all(numbers.map((n) => client.request("demo/echo", { n })));
      assert.deepEqual(
        answers.map(({ n }) => n),
        numbers,
      );
      const ids = wire.sent("client", "demo/echo").map(({ id }) => id);
      assert.equal(new Set(ids).size, 300);
    },
  }),
]);
