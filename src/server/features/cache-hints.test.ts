import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller } from "../../../test/fixtures/exchange.ts";
import { errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { sendAlone } from "../../../test/fixtures/stateless.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { defineServer } from "../define.ts";
import { type CacheHints, resolveCacheHints } from "./cache-hints.ts";
import { prompt } from "./prompt.ts";
import { resource, template } from "./resource.ts";
import { tool } from "./tool.ts";

const features = {
  tools: { a: tool({}, () => ""), b: tool({}, () => ""), c: tool({}, () => "") },
  prompts: { p: prompt({}, () => "") },
  resources: {
    r: resource({ uri: "x:///r" }, () => "r"),
    own: resource({ uri: "x:///own", cache: { ttlMs: 7, scope: "public" } }, () => "own"),
    mine: resource(
      { uri: "x:///mine", cache: { ttlMs: 7, scope: "public" }, allow: ({ auth }) => auth !== undefined },
      () => "mine",
    ),
    scoped: resource({ uri: "x:///scoped", scopes: ["s"] }, () => "scoped"),
  },
  templates: { t: template({ uriTemplate: "t:///{a}", cache: { ttlMs: 9 } }, ({ a }) => a) },
};

const cached: [keyof CacheHints, JsonObject][] = [
  ["server/discover", {}],
  ["tools/list", {}],
  ["prompts/list", {}],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "x:///r" }],
];

const hintOf = ({ ttlMs, cacheScope }: JsonObject): unknown => [ttlMs, cacheScope];
const all = Object.fromEntries(cached.map(([method]) => [method, { ttlMs: 60_000, scope: "public" }])) as CacheHints;

describe("cache hints", () => {
  it("are stale at once and private where nothing is said [M-CACHE-003] [M-CACHE-001]", async () => {
    const app = defineServer({ ...identity, ...features });
    for (const [method, params] of cached) {
      assert.deepEqual(hintOf(resultOf(await sendAlone(app, method, params))), [0, "private"], method);
    }
  });

  it("are what the author says, on the six results and no others [M-CACHE-001]", async () => {
    const { mine: _, scoped: __, ...resources } = features.resources;
    const app = defineServer({ ...identity, ...features, resources, cache: all });
    for (const [method, params] of cached) {
      assert.deepEqual(hintOf(resultOf(await sendAlone(app, method, params))), [60_000, "public"], method);
    }
    assert.equal("ttlMs" in resultOf(await sendAlone(app, "tools/call", { name: "a" })), false);
    assert.equal("ttlMs" in resultOf(await sendAlone(app, "prompts/get", { name: "p" })), false);
    const older = resultOf(await send(app, "tools/list"));
    assert.deepEqual(Object.keys(older), ["tools"], "older clients are told nothing");
  });

  it("are refused where they are none, at once [M-CACHE-001]", () => {
    for (const hint of [{ ttlMs: -1 }, { ttlMs: 1.5 }, { ttlMs: 0, scope: "shared" }, { ttlMs: Number.NaN }]) {
      const cache = { "tools/list": hint } as CacheHints;
      assert.throws(() => defineServer({ ...identity, cache }), { code: "MCP_USAGE" });
      const r = resource({ uri: "x:///r", cache: hint as never }, () => "");
      assert.throws(() => defineServer({ ...identity, resources: { r } }), {
        code: "MCP_USAGE",
        message: /resource "r"/,
      });
    }
    assert.throws(() => resolveCacheHints({ "tools/call": { ttlMs: 1 } } as never), { code: "MCP_USAGE" });
  });

  it("may be said of one resource, and are private where not everybody gets it [M-CACHE-005]", async () => {
    const app = defineServer({ ...identity, ...features, cache: all });
    const ada = { auth: caller("ada", "s") };
    const read = async (uri: string): Promise<unknown> =>
      hintOf(resultOf(await sendAlone(app, "resources/read", { uri }, ada)));
    assert.deepEqual(await read("x:///own"), [7, "public"]);
    assert.deepEqual(await read("x:///mine"), [7, "private"]);
    assert.deepEqual(await read("x:///scoped"), [60_000, "private"]);
    assert.deepEqual(await read("t:///1"), [9, "private"]);
    assert.deepEqual(errorOf(await sendAlone(app, "resources/read", { uri: "x:///mine" })).code, -32602);
  });

  it("have one scope on all pages, private as soon as one item is not for everybody [M-CACHE-004] [M-CACHE-005]", async () => {
    const scopes = async (tools: typeof features.tools & { [name: string]: unknown }): Promise<unknown[]> => {
      const app = defineServer({ ...identity, tools: tools as typeof features.tools, pageSize: 1, cache: all });
      const found: unknown[] = [];
      let cursor: unknown;
      do {
        const result = resultOf(await sendAlone(app, "tools/list", cursor === undefined ? {} : { cursor }));
        found.push(result.cacheScope);
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      return found;
    };
    assert.deepEqual(await scopes(features.tools), ["public", "public", "public"]);
    const last = { ...features.tools, z: tool({ allow: () => true }, () => "") };
    assert.deepEqual(await scopes(last), ["private", "private", "private", "private"]);
  });

  it("follow a list that changes [M-CACHE-005]", async () => {
    const app = defineServer({ ...identity, tools: features.tools, cache: all });
    assert.equal(resultOf(await sendAlone(app, "tools/list")).cacheScope, "public");
    app.tools.set(
      "z",
      tool({ allow: () => true }, () => ""),
    );
    assert.equal(resultOf(await sendAlone(app, "tools/list")).cacheScope, "private");
    app.tools.delete("z");
    assert.equal(resultOf(await sendAlone(app, "tools/list")).cacheScope, "public");
  });
});
