import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { ableClient, enveloped, sendAlone, statelessExchange } from "../../../test/fixtures/stateless.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { JsonObject, JsonRpcResponse } from "../../jsonrpc/message.ts";
import { envelopeKeys } from "../../protocol/envelope.ts";
import { checkResult } from "../../protocol/results.ts";
import { revisions } from "../../revision/registry.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource, template } from "../features/resource.ts";
import { tool } from "../features/tool.ts";

const app = defineServer({
  ...identity,
  instructions: "Use it",
  tools: { echo: tool({ input: { type: "object" }, open: true }, (args) => ({ ...args })) },
  resources: { r: resource({ uri: "x:///r" }, () => "r") },
  templates: { t: template({ uriTemplate: "t:///{a}", complete: { a: ["b"] } }, ({ a }) => a) },
  prompts: { p: prompt({}, () => "p") },
});

const requests: readonly (readonly [string, JsonObject])[] = [
  ["server/discover", {}],
  ["tools/list", {}],
  ["tools/call", { name: "echo", arguments: {} }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "x:///r" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "p" }],
  ["completion/complete", { ref: { type: "ref/resource", uri: "t:///{a}" }, argument: { name: "a", value: "" } }],
];

/** Sends params as they are. */
async function sendBare(method: string, params: JsonObject | undefined): Promise<JsonRpcResponse> {
  return send(app, method, params, statelessExchange(params));
}

describe("requests that stand for themselves", () => {
  it("get results that say their kind and name the server [M-BASE-004] [M-META-005] [M-META-009]", async () => {
    for (const [method, params] of requests) {
      const result = resultOf(await sendAlone(app, method, params));
      assert.equal(result.resultType, "complete", method);
      assert.deepEqual((result._meta as JsonObject)["io.modelcontextprotocol/serverInfo"], app.info, method);
      assert.equal(checkResult(method, result), undefined, method);
      assert.deepEqual(resultOf(await sendAlone(app, method, params)), result, `${method} again`);
    }
    const silent = defineServer({ ...identity, sendServerInfo: false });
    assert.equal("_meta" in resultOf(await sendAlone(silent, "server/discover")), false);
  });

  it("are refused without their metadata, on every method [M-META-004] [M-BASE-014] [M-ERR-012] [M-LOG-004]", async () => {
    const whole = enveloped()._meta as JsonObject;
    const metas: unknown[] = [undefined, null, [], 5];
    for (const key of [envelopeKeys.protocolVersion, envelopeKeys.clientCapabilities]) {
      for (const value of [undefined, 20_260_728, null, []]) {
        const { [key]: _, ...rest } = whole;
        metas.push(value === undefined ? rest : { ...rest, [key]: value });
      }
    }
    metas.push({ ...whole, [envelopeKeys.logLevel]: "loud" });
    for (const [method, params] of requests) {
      for (const meta of metas) {
        const response = await sendBare(method, { ...params, ...(meta === undefined ? {} : { _meta: meta }) });
        assert.equal(errorOf(response).code, -32602, `${method} ${JSON.stringify(meta)}`);
        assert.equal(response.id, 1);
      }
    }
    assert.equal(errorOf(await sendBare("tools/list", undefined)).code, -32602);
  });

  it("are refused in a revision that is not spoken, which names those that are [M-VER-001] [M-VER-003] [M-ERR-009]", async () => {
    const { supportedVersions } = resultOf(await sendAlone(app, "server/discover"));
    for (const protocolVersion of ["1900-01-01", "2026-7-28", "", "2025-11-25"]) {
      for (const [method, params] of requests) {
        const error = errorOf(await sendAlone(app, method, params, { envelope: { protocolVersion } }));
        assert.equal(error.code, -32022);
        assert.deepEqual(error.data, { supported: supportedVersions, requested: protocolVersion });
      }
      assert.ok("result" in (await sendAlone(app, "tools/list")));
    }
    assert.deepEqual(
      supportedVersions,
      revisions.map(({ id }) => id),
    );
  });

  it("find removed and unknown methods nowhere [M-BASE-015] [M-ERR-010] [M-BASE-013]", async () => {
    const removed = ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"];
    const params = {
      protocolVersion: "x",
      capabilities: {},
      clientInfo: { name: "a", version: "1" },
      level: "info",
      uri: "x:///r",
    };
    for (const method of [...removed, "tasks/get", "foo/bar"]) {
      assert.equal(errorOf(await sendAlone(app, method, params)).code, -32601, method);
    }
    const empty = defineServer(identity);
    assert.deepEqual(resultOf(await sendAlone(empty, "server/discover")).capabilities, {});
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
      assert.equal(errorOf(await sendAlone(empty, method)).code, -32601, method);
    }
  });

  it("learn what there is from discovery, which nothing before it changes [M-DISC-001] [M-DISC-002] [M-DISC-003] [M-DISC-006] [M-LOG-005] [M-META-009]", async () => {
    const before = resultOf(await sendAlone(app, "server/discover"));
    assert.deepEqual(before.capabilities, {
      logging: {},
      completions: {},
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      tools: { listChanged: true },
    });
    assert.equal(before.instructions, "Use it");
    assert.equal("serverInfo" in before, false);
    await sendAlone(app, "tools/call", { name: "echo" }, { capabilities: ableClient });
    assert.deepEqual(resultOf(await sendAlone(app, "server/discover", {}, { capabilities: ableClient })), before);
  });

  it("answers lists of declared features that are empty [M-TOOL-001]", async () => {
    const hollow = defineServer({ ...identity, tools: {}, prompts: {}, resources: {} });
    for (const [method, member] of [
      ["tools/list", "tools"],
      ["prompts/list", "prompts"],
      ["resources/list", "resources"],
    ] as const) {
      assert.deepEqual(resultOf(await sendAlone(hollow, method))[member], []);
    }
  });

  it("tell handlers who asks, each its own [M-META-008] [M-META-012] [M-EXT-003] [M-BASE-008]", async () => {
    const gates = [createDeferred(), createDeferred()] as const;
    let next = 0;
    const server = defineServer({
      ...identity,
      context: ({ client }) => client.info?.name ?? "nobody",
      tools: {
        who: tool({}, async (_args, ctx) => {
          const gate = gates[next];
          next += 1;
          await gate?.promise;
          const { client, session, revision, meta, value } = ctx;
          return {
            client,
            revision,
            trace: meta.traceparent,
            odd: meta["com.example/odd"],
            session: session === undefined,
            value,
          } as JsonObject;
        }),
      },
    });
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const info = { name: "a", version: "1" };
    const one = sendAlone(
      server,
      "tools/call",
      { name: "who", _meta: { traceparent, "com.example/odd": [1] } },
      { capabilities: { extensions: { "com.example/x": { a: 1 } }, oddity: {} }, envelope: { clientInfo: info } },
    );
    const two = sendAlone(server, "tools/call", { name: "who" }, { capabilities: { roots: {} } });
    gates[1].resolve();
    const second = resultOf(await two).structuredContent as JsonObject;
    assert.deepEqual([second.client, second.value], [{ info: undefined, capabilities: { roots: {} } }, "nobody"]);
    gates[0].resolve();
    assert.deepEqual(resultOf(await one).structuredContent, {
      client: { info, capabilities: { extensions: { "com.example/x": { a: 1 } }, oddity: {} } },
      revision: revisions[0]?.id,
      trace: traceparent,
      odd: [1],
      session: true,
      value: "a",
    });
  });

  it("get log messages only where they ask, each at its own level [M-LOG-001] [M-LOG-002] [M-LOG-003] [M-PROG-001]", async () => {
    const server = defineServer({
      ...identity,
      tools: {
        chat: tool({}, async (_args, ctx) => {
          ctx.log.debug("d");
          ctx.progress(1);
          await undefined;
          ctx.log.error("e");
          return "";
        }),
      },
    });
    const levels = async (logLevel?: "debug" | "error"): Promise<unknown[]> => {
      const { notified } = await sendAlone(
        server,
        "tools/call",
        { name: "chat", _meta: { progressToken: logLevel ?? "none" } },
        { envelope: { logLevel } },
      );
      const [progress] = notified.filter(({ method }) => method === "notifications/progress");
      assert.equal(progress?.params?.progressToken, logLevel ?? "none");
      return notified.filter(({ method }) => method === "notifications/message").map(({ params }) => params?.level);
    };
    assert.deepEqual(await Promise.all([levels(), levels("debug"), levels("error")]), [
      [],
      ["debug", "error"],
      ["error"],
    ]);
  });

  it("carry no task, and tools say nothing of tasks [M-TOOL-007]", async () => {
    const result = resultOf(
      await sendAlone(app, "tools/call", { name: "echo", arguments: { a: 1 }, task: { ttl: 5 } }),
    );
    assert.deepEqual(result.structuredContent, { a: 1 });
    const { tools } = resultOf(await sendAlone(app, "tools/list")) as unknown as { tools: JsonObject[] };
    assert.equal("execution" in (tools[0] ?? {}), false);
  });

  it("list the same in the same order, whoever else asks [M-TOOL-002] [M-TOOL-003]", async () => {
    const lists = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        sendAlone(
          app,
          "tools/list",
          {},
          {
            capabilities: index % 2 === 0 ? {} : ableClient,
            envelope: { clientInfo: { name: `c${index}`, version: "1" } },
          },
        ),
      ),
    );
    for (const list of lists) {
      assert.deepEqual(resultOf(list), resultOf(lists[0] as JsonRpcResponse));
    }
  });
});
