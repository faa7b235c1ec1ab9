import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeSession, fakeExchange } from "../../../test/fixtures/exchange.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { checkResult } from "../../protocol/results.ts";
import { findHandshake, handshakeRevisions, latestHandshake } from "../../revision/registry.ts";
import { defineServer } from "../define.ts";
import { text } from "../features/content.ts";
import { prompt } from "../features/prompt.ts";
import { resource, template } from "../features/resource.ts";
import { tool } from "../features/tool.ts";

const identity = { name: "demo", version: "1.0.0" };
const clientInfo = { name: "raw", version: "1.0.0" };
const echo = tool({}, () => "echo");

describe("initialize", () => {
  it("answers with revision, capabilities, server and instructions [LIFE-004] [LIFE-003] [ICON-002] [BASE-001]", async () => {
    const info = {
      ...identity,
      title: "Demo",
      description: "Shows",
      websiteUrl: "https://example.com",
      icons: [{ src: "https://example.com/i.png" }],
    };
    const client = new RawClient(defineServer({ ...info, instructions: "Be kind" }));
    const { result } = await client.initialize();
    assert.equal(checkResult("initialize", result), undefined);
    assert.deepEqual(result, {
      protocolVersion: latestHandshake.id,
      capabilities: {},
      serverInfo: info,
      instructions: "Be kind",
    });
    client.notify("notifications/initialized");
    assert.deepEqual((await client.request("ping")).result, {});
  });

  it("echoes every revision it speaks and offers its newest for any other [LIFE-013] [LIFE-014]", async () => {
    const app = defineServer(identity);
    for (const { id } of handshakeRevisions) {
      const { result } = await new RawClient(app).initialize({ protocolVersion: id });
      assert.equal(result?.protocolVersion, id);
    }
    const { result } = await new RawClient(app).initialize({ protocolVersion: "1999-01-01" });
    assert.equal(result?.protocolVersion, latestHandshake.id);
  });

  it("refuses params that lack a member, and a client without a version [LIFE-002] [LIFE-003]", async () => {
    const whole = { protocolVersion: latestHandshake.id, capabilities: {}, clientInfo };
    for (const name of Object.keys(whole)) {
      const params = Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
      const client = new RawClient(defineServer(identity));
      const { error } = await client.request("initialize", params);
      assert.equal(error?.code, -32602, name);
      assert.match(error?.message ?? "", new RegExp(name));
    }
    const nameless = await new RawClient(defineServer(identity)).request("initialize", {
      ...whole,
      clientInfo: { name: "x" },
    });
    assert.equal(nameless.error?.code, -32602);
  });

  it("refuses a second handshake and leaves the session as it is [LIFE-011]", async () => {
    const client = await RawClient.connect(defineServer(identity), { capabilities: { roots: {} } });
    const { error } = await client.initialize({ capabilities: {} });
    assert.equal(error?.code, -32600);
    assert.deepEqual(client.handle.session.capabilities, { roots: {} });
  });

  it("lets only one of two handshakes at once succeed [LIFE-011]", async () => {
    const client = new RawClient(defineServer(identity));
    const [first, second] = await Promise.all([client.initialize(), client.initialize()]);
    assert.ok(first.result);
    assert.equal(second.error?.code, -32600);
  });

  it("refuses requests before the handshake, pings excepted [LIFE-009] [LIFE-010] [PING-001] [M-BASE-014]", async () => {
    const client = new RawClient(defineServer({ ...identity, tools: { echo } }));
    assert.deepEqual((await client.request("ping")).result, {});
    const { error } = await client.request("tools/list");
    assert.equal(error?.code, -32602);
    assert.match(error?.message ?? "", /initialize first.*params\._meta/);
    await client.initialize();
    assert.deepEqual((await client.request("ping")).result, {});
  });

  it("uses no feature of a later revision with an older client [LIFE-017]", async () => {
    const icons = [{ src: "https://example.com/i.png" }];
    const older = handshakeRevisions[1];
    assert.ok(older);
    const asked: string[] = [];
    const app = defineServer({
      ...identity,
      icons,
      tools: {
        open: tool({ icons, title: "Open" }, async (_args, ctx) => {
          await ctx.elicitUrl({ message: "open", url: "https://example.com" });
          return "";
        }),
      },
    });
    const client = await RawClient.connect(app, {
      protocolVersion: older.id,
      capabilities: { elicitation: { url: {}, form: {} } },
      answers: { "elicitation/create": () => asked.push("asked") },
    });
    const { result } = await client.request("tools/list");
    const [listed] = (result?.tools ?? []) as { icons?: unknown; title?: string }[];
    assert.equal(listed?.icons, undefined);
    assert.equal(listed?.title, "Open");
    assert.equal((await client.call("open")).result?.isError, true);
    assert.deepEqual(asked, []);
    const again = new RawClient(app);
    const { result: opened } = await again.initialize({ protocolVersion: older.id });
    assert.equal((opened?.serverInfo as { icons?: unknown } | undefined)?.icons, undefined);
  });

  it("goes on after a state that could not be kept", async () => {
    const session = new FakeSession("s");
    const app = defineServer(identity);
    session.update = () => Promise.reject(new Error("store is down"));
    const params = { protocolVersion: latestHandshake.id, capabilities: {}, clientInfo };
    const message = { jsonrpc: "2.0" as const, id: 1, method: "initialize", params };
    const refused = await app.dispatch(message, fakeExchange({ session }));
    assert.deepEqual(refused, { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "internal error" } });
    session.update = async (change) => {
      session.state = change(session.state);
    };
    const taken = await app.dispatch(message, fakeExchange({ session }));
    assert.ok(taken && "result" in taken);
  });
});

describe("capabilities", () => {
  const features = {
    tools: { echo },
    prompts: { ask: prompt({ arguments: { who: {} }, complete: { who: ["ada"] } }, () => "hello") },
    resources: { note: resource({ uri: "note://a" }, () => "a") },
  };

  async function announced(app: ReturnType<typeof defineServer>): Promise<object> {
    const { result } = await new RawClient(app).initialize();
    return result?.capabilities as object;
  }

  it("names what is there, and nothing for an empty server [LIFE-019] [TOOL-001] [PROMPT-001] [COMP-001] [LOG-001]", async () => {
    assert.deepEqual(await announced(defineServer(identity)), {});
    assert.deepEqual(await announced(defineServer({ ...identity, ...features }) as never), {
      logging: {},
      completions: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    });
    assert.deepEqual(await announced(defineServer({ ...identity, prompts: { plain: prompt({}, () => "hi") } })), {
      logging: {},
      prompts: { listChanged: true },
    });
  });

  it("follows what the author chose, in every combination [RES-001] [PP-047] [LIFE-020]", async () => {
    for (const subscribe of [true, false]) {
      for (const listChanged of [true, false]) {
        const app = defineServer({
          ...identity,
          resources: features.resources,
          resourceSubscriptions: subscribe,
          resourcesListChanged: listChanged,
        });
        const { resources } = (await announced(app)) as { resources: object };
        assert.deepEqual(resources, { ...(subscribe && { subscribe }), ...(listChanged && { listChanged }) });
      }
    }
    const quiet = defineServer({ ...identity, tools: { echo }, toolsListChanged: false, logging: false });
    assert.deepEqual(await announced(quiet as never), { tools: {} });
  });

  it("announces nothing that has no way to the client where there is no session [PP-047]", async () => {
    const app = defineServer({ ...identity, ...features });
    const params = { protocolVersion: latestHandshake.id, capabilities: {}, clientInfo };
    const response = await app.dispatch({ jsonrpc: "2.0", id: 1, method: "initialize", params }, fakeExchange());
    assert.ok(response && "result" in response);
    assert.deepEqual(response.result.capabilities, {
      logging: {},
      completions: {},
      prompts: {},
      resources: {},
      tools: {},
    });
  });

  it("carries experimental entries and extensions as they are [LIFE-020]", async () => {
    const experimental = { "com.example/x": { deep: [1] } };
    const extensions = { "com.example/y": { on: true } };
    assert.deepEqual(await announced(defineServer({ ...identity, experimental, extensions })), {
      experimental,
      extensions,
    });
  });

  it("has no methods of features that are not there [BASE-016] [TOOL-001] [PROMPT-001] [RES-001] [COMP-001] [LOG-001]", async () => {
    const client = await RawClient.connect(defineServer({ ...identity, logging: false }));
    const calls: [string, object?][] = [
      ["tools/list"],
      ["tools/call", { name: "x" }],
      ["prompts/list"],
      ["prompts/get", { name: "x" }],
      ["resources/list"],
      ["resources/read", { uri: "note://a" }],
      ["resources/templates/list"],
      ["resources/subscribe", { uri: "note://a" }],
      ["completion/complete", { ref: { type: "ref/prompt", name: "x" }, argument: { name: "a", value: "" } }],
      ["logging/setLevel", { level: "info" }],
      ["no/such"],
    ];
    for (const [method, params] of calls) {
      const { error } = await client.request(method, params as never);
      assert.deepEqual(error, { code: -32601, message: `method not found: ${method}` });
    }
  });

  it("has no subscriptions where they are switched off, but still reads [RES-001] [RES-008]", async () => {
    const app = defineServer({ ...identity, resources: features.resources, resourceSubscriptions: false });
    const client = await RawClient.connect(app);
    assert.equal((await client.request("resources/subscribe", { uri: "note://a" })).error?.code, -32601);
    assert.ok((await client.request("resources/read", { uri: "note://a" })).result);
  });

  it("declares resources for templates alone [RES-001]", async () => {
    const app = defineServer({ ...identity, templates: { t: template({ uriTemplate: "note://{id}" }, () => "x") } });
    assert.ok("resources" in (await announced(app)));
  });

  it("answers only methods of its own direction [BASE-022]", async () => {
    const client = await RawClient.connect(defineServer({ ...identity, ...features }));
    for (const method of ["sampling/createMessage", "elicitation/create", "roots/list"]) {
      assert.equal((await client.request(method, {})).error?.code, -32601);
    }
  });
});

describe("notifications/initialized", () => {
  it("lets questions out only after it has come; logs may go before [LIFE-008]", async () => {
    const app = defineServer({
      ...identity,
      tools: {
        ask: tool({}, async (_args, ctx) => {
          ctx.log.info("before");
          const { action } = await ctx.elicit("ok?", { type: "object", properties: { yes: { type: "boolean" } } });
          return action;
        }),
      },
    });
    const client = new RawClient(app, { answers: { "elicitation/create": () => ({ action: "decline" }) } });
    await client.initialize({ capabilities: { elicitation: {} } });
    const called = client.call("ask");
    await turn();
    assert.equal(client.notifications("notifications/message").length, 1);
    assert.deepEqual(client.requests(), []);
    client.notify("notifications/initialized");
    assert.deepEqual((await called).result?.content, [text("decline")]);
    assert.equal(client.requests("elicitation/create").length, 1);
  });
});

describe("logging/setLevel", () => {
  it("has no effect without a session, and says so", async () => {
    const diagnostics: Diagnostic[] = [];
    const app = defineServer({ ...identity, tools: { echo }, onDiagnostic: (d) => diagnostics.push(d) });
    const message = { jsonrpc: "2.0" as const, id: 1, method: "logging/setLevel", params: { level: "debug" } };
    const response = await app.dispatch(message, fakeExchange());
    assert.deepEqual(response, { jsonrpc: "2.0", id: 1, result: {} });
    assert.equal(diagnostics[0]?.code, "MCP_D_LOG_LEVEL");
  });
});

describe("findHandshake", () => {
  it("serves sessions of different revisions by one definition at once", async () => {
    const app = defineServer({ ...identity, tools: { echo } });
    for (const { id } of handshakeRevisions) {
      const client = await RawClient.connect(app, { protocolVersion: id });
      assert.equal(client.handle.session.revision, findHandshake(id)?.id);
      assert.deepEqual((await client.call("echo")).result?.content, [text("echo")]);
    }
    assert.equal(app.sessions.size, handshakeRevisions.length);
  });
});
