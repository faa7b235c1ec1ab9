import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller, FakeSession, fakeExchange, plainHttp } from "../../../test/fixtures/exchange.ts";
import { UsageError } from "../../base/error.ts";
import type { JsonObject, JsonRpcResponse } from "../../jsonrpc/message.ts";
import { checkResult } from "../../protocol/results.ts";
import { expandUriTemplate, parseUriTemplate } from "../../protocol/uri-template.ts";
import { defineServer } from "../define.ts";
import type { Server } from "../server.ts";
import { resource, template } from "./resource.ts";

const identity = { name: "demo", version: "1.0.0" };

function send(app: Server, method: string, params?: JsonObject, exchange = fakeExchange()): Promise<JsonRpcResponse> {
  const message = { jsonrpc: "2.0" as const, id: 1, method, ...(params && { params }) };
  return app.dispatch(message, exchange) as Promise<JsonRpcResponse>;
}

async function read(app: Server, uri: string): Promise<JsonObject[]> {
  const response = await send(app, "resources/read", { uri });
  assert.ok("result" in response, JSON.stringify(response));
  assert.equal(checkResult("resources/read", response.result), undefined);
  return response.result.contents as JsonObject[];
}

async function errorOf(response: Promise<JsonRpcResponse>): Promise<{ code: number; message: string; data?: unknown }> {
  const came = await response;
  assert.ok("error" in came, JSON.stringify(came));
  return came.error;
}

describe("resources/list", () => {
  it("gives every resource with what its author said [RES-002] [RES-011] [RES-015] [RES-012] [ICON-002]", async () => {
    const app = defineServer({
      ...identity,
      resources: {
        three: resource(
          {
            uri: "note+v1://x",
            title: "Three",
            description: "bytes",
            mimeType: "application/octet-stream",
            size: 3,
            icons: [{ src: "https://example.com/i.png" }],
            annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-31T12:00:00Z" },
            meta: { "com.example/k": 1 },
          },
          () => new Uint8Array(3),
        ),
        folder: resource({ uri: "file:///tmp", mimeType: "inode/directory" }, () => ""),
      },
    });
    const response = await send(app, "resources/list");
    assert.ok("result" in response);
    assert.equal(checkResult("resources/list", response.result), undefined);
    const [three, folder] = response.result.resources as JsonObject[];
    assert.deepEqual(three, {
      uri: "note+v1://x",
      name: "three",
      title: "Three",
      description: "bytes",
      icons: [{ src: "https://example.com/i.png" }],
      _meta: { "com.example/k": 1 },
      mimeType: "application/octet-stream",
      annotations: { audience: ["user"], priority: 1, lastModified: "2026-01-31T12:00:00Z" },
      size: 3,
    });
    assert.equal(folder?.mimeType, "inode/directory");
  });

  it("lists the resources of templates after the others, page by page, each once [PAGE-001] [RES-002]", async () => {
    const app = defineServer({
      ...identity,
      pageSize: 2,
      resources: { a: resource({ uri: "note://a" }, () => "a") },
      templates: {
        many: template(
          {
            uriTemplate: "many://{n}",
            list: async () => [1, 2, 3].map((n) => ({ uri: `many://${n}`, name: `m${n}` })),
          },
          ({ n }) => n,
        ),
        more: template({ uriTemplate: "more://{n}", list: () => [{ uri: "more://1", name: "o1" }] }, ({ n }) => n),
      },
    });
    const uris: string[] = [];
    let cursor: unknown;
    do {
      const response = await send(app, "resources/list", cursor === undefined ? {} : { cursor });
      assert.ok("result" in response);
      const page = response.result.resources as { uri: string }[];
      assert.ok(page.length <= 2);
      uris.push(...page.map(({ uri }) => uri));
      cursor = response.result.nextCursor;
    } while (cursor !== undefined);
    assert.deepEqual(uris, ["note://a", "many://1", "many://2", "many://3", "more://1"]);
    assert.deepEqual(await read(app, "many://2"), [{ uri: "many://2", text: "2" }]);
  });
});

describe("resources/templates/list", () => {
  it("gives every template, and its expansions can be read [RES-003]", async () => {
    const app = defineServer({
      ...identity,
      templates: {
        note: template({ uriTemplate: "note://{folder}/{id}", mimeType: "text/plain" }, (v) => JSON.stringify(v)),
      },
    });
    const response = await send(app, "resources/templates/list");
    assert.ok("result" in response);
    assert.equal(checkResult("resources/templates/list", response.result), undefined);
    assert.deepEqual(response.result.resourceTemplates, [
      { uriTemplate: "note://{folder}/{id}", name: "note", mimeType: "text/plain" },
    ]);
    const parsed = parseUriTemplate("note://{folder}/{id}");
    assert.ok(parsed.ok);
    for (const values of [
      { folder: "in box", id: "7" },
      { folder: "größe", id: "a/b?c#d" },
      { folder: "50%", id: "日本" },
    ]) {
      const uri = expandUriTemplate(parsed.template, values);
      assert.deepEqual(JSON.parse((await read(app, uri))[0]?.text as string), values, uri);
    }
  });

  it("hands decoded values over, and leaves optional ones out [PP-077]", async () => {
    const app = defineServer({
      ...identity,
      templates: { find: template({ uriTemplate: "find://{term}{?page,tags*}" }, (v) => JSON.stringify(v)) },
    });
    assert.deepEqual(JSON.parse((await read(app, "find://a%20b?page=2&tags=x&tags=%C3%BC"))[0]?.text as string), {
      term: "a b",
      page: "2",
      tags: ["x", "ü"],
    });
    assert.deepEqual(JSON.parse((await read(app, "find://a"))[0]?.text as string), { term: "a" });
    const malformed = await errorOf(send(app, "resources/read", { uri: "find://%ff" }));
    assert.equal(malformed.code, -32602);
  });

  it("refuses values that climb out of a folder unless the author allows them [RES-017]", async () => {
    const opened: string[] = [];
    const reader = ({ path }: { path: string }): string => {
      opened.push(path);
      return path;
    };
    const app = defineServer({
      ...identity,
      templates: {
        file: template({ uriTemplate: "file:///base/{+path}" }, reader),
        raw: template({ uriTemplate: "raw://{+path}", dangerouslyAllowTraversal: true }, reader),
      },
    });
    for (const path of ["../etc/passwd", "%2e%2e/etc", "a/../../b", "a%00b", "%252e%252e/x", "/etc"]) {
      const { code } = await errorOf(send(app, "resources/read", { uri: `file:///base/${path}` }));
      assert.equal(code, -32602, path);
    }
    assert.deepEqual(opened, []);
    await read(app, "raw://../x");
    assert.deepEqual(opened, ["../x"]);
  });
});

describe("resources/read", () => {
  const app = defineServer({
    ...identity,
    resources: {
      text: resource({ uri: "note://text", mimeType: "text/plain" }, () => "grüße"),
      bytes: resource({ uri: "note://bytes" }, () => new Uint8Array([0, 255])),
      several: resource({ uri: "note://several" }, (uri) => [
        { uri: `${uri}/1`, text: "one" },
        { bytes: new Uint8Array([1]), mimeType: "image/png" },
        "three",
      ]),
      full: resource({ uri: "note://full" }, () => ({ contents: [{ uri: "note://full", text: "" }], _meta: { a: 1 } })),
      both: resource({ uri: "note://both" }, () => ({ text: "a", blob: "AA==" }) as never),
      broken: resource({ uri: "note://broken" }, () => {
        throw new Error("cannot open /secret");
      }),
      gone: resource({ uri: "note://gone" }, () => undefined),
    },
    templates: { maybe: template({ uriTemplate: "maybe://{id}" }, ({ id }) => (id === "1" ? "one" : undefined)) },
  });

  it("gives text as text, bytes as base64, and several parts [RES-004] [RES-005]", async () => {
    assert.deepEqual(await read(app, "note://text"), [{ uri: "note://text", mimeType: "text/plain", text: "grüße" }]);
    assert.deepEqual(await read(app, "note://bytes"), [{ uri: "note://bytes", blob: "AP8=" }]);
    assert.deepEqual(await read(app, "note://several"), [
      { uri: "note://several/1", text: "one" },
      { uri: "note://several", mimeType: "image/png", blob: "AQ==" },
      { uri: "note://several", text: "three" },
    ]);
    assert.deepEqual(await read(app, "note://full"), [{ uri: "note://full", text: "" }]);
  });

  it("never sends text and bytes of one part [RES-004]", async () => {
    assert.equal((await errorOf(send(app, "resources/read", { uri: "note://both" }))).code, -32603);
  });

  it("answers what does not exist with its URI, and a fault with none of its words [RES-006] [BASE-018]", async () => {
    for (const uri of ["note://none", "note://gone", "maybe://2"]) {
      const { code, data } = await errorOf(send(app, "resources/read", { uri }));
      assert.deepEqual([code, data], [-32002, { uri }]);
    }
    assert.deepEqual(await errorOf(send(app, "resources/read", { uri: "note://broken" })), {
      code: -32603,
      message: "internal error",
    });
  });

  it("refuses what is no URI [RES-016] [RES-017] [BASE-017]", async () => {
    for (const params of [{}, { uri: 5 }, { uri: "my scheme://x" }, { uri: "no-scheme" }]) {
      assert.equal((await errorOf(send(app, "resources/read", params))).code, -32602);
    }
  });

  it("asks for permission before each operation [RES-018]", async () => {
    const guarded = defineServer({
      ...identity,
      resources: {
        hidden: resource({ uri: "note://hidden", allow: ({ auth }) => auth?.subject === "ada" }, () => "secret"),
        scoped: resource({ uri: "note://scoped", scopes: ["notes:read"] }, () => "secret"),
      },
    });
    const bob = fakeExchange({ auth: caller("bob"), http: plainHttp, session: new FakeSession("bob", {}) });
    for (const method of ["resources/read", "resources/subscribe"]) {
      assert.equal((await errorOf(send(guarded, method, { uri: "note://hidden" }, bob))).code, -32002);
      const scoped = await errorOf(send(guarded, method, { uri: "note://scoped" }, bob));
      assert.deepEqual(scoped.data, { scopes: ["notes:read"] });
    }
    const listed = await send(guarded, "resources/list", {}, bob);
    assert.doesNotMatch(JSON.stringify(listed), /hidden/);
  });
});

describe("resource registration", () => {
  const read0 = (): string => "";

  it("refuses bad URIs, sizes and annotations, naming the resource [RES-016] [RES-012] [RES-017]", () => {
    const bad = [
      { uri: "my scheme://x" },
      { uri: "../x" },
      { uri: "note://a", size: 1.5 },
      { uri: "note://a", annotations: { priority: 2 } },
      { uri: "note://a", annotations: { audience: ["x" as never] } },
      { uri: "note://a", icons: [{} as never] },
    ];
    for (const options of bad) {
      assert.throws(
        () => defineServer({ ...identity, resources: { mine: resource(options, read0) } }),
        (fault) => fault instanceof UsageError && fault.message.includes('resource "mine"'),
      );
    }
    defineServer({ ...identity, resources: { fine: resource({ uri: "note+v1://x" }, read0) } });
  });

  it("refuses one URI under two names [RES-002]", () => {
    const app = defineServer({ ...identity, resources: { a: resource({ uri: "note://a" }, read0) } });
    assert.throws(() => app.resources.set("b", resource({ uri: "note://a" }, read0)), /is served already, as "a"/);
    app.resources.set("a", resource({ uri: "note://other" }, read0));
    app.resources.set("b", resource({ uri: "note://a" }, read0));
    assert.equal(app.resources.size, 2);
  });

  it("refuses templates without a single reading and completers of no variable [RES-003]", () => {
    for (const options of [
      { uriTemplate: "note://{a}{b}" },
      { uriTemplate: "note://{a" },
      { uriTemplate: "note://{a}", complete: { b: [] } as never },
    ]) {
      assert.throws(
        () => defineServer({ ...identity, templates: { mine: template(options, read0) } }),
        (fault) => fault instanceof UsageError && fault.message.includes('template "mine"'),
      );
    }
  });
});
