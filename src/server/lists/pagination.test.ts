import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fakeExchange } from "../../../test/fixtures/exchange.ts";
import { errorOf, identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { encodeCursor } from "../../protocol/cursor.ts";
import { handshakeRevisions } from "../../revision/registry.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource, template } from "../features/resource.ts";
import { tool } from "../features/tool.ts";
import type { Server } from "../server.ts";

const empty = tool({}, () => "");

function many<Definition>(count: number, make: (index: number) => Definition): Record<string, Definition> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, make(index)]));
}

async function walk(app: Server, method: string, member: string): Promise<string[][]> {
  const pages: string[][] = [];
  let cursor: unknown;
  do {
    const result = resultOf(await send(app, method, cursor === undefined ? undefined : { cursor }));
    pages.push((result[member] as { name: string }[]).map(({ name }) => name));
    cursor = result.nextCursor;
    assert.ok(cursor === undefined || (typeof cursor === "string" && cursor !== ""));
  } while (cursor !== undefined);
  return pages;
}

describe("Pager", () => {
  it("walks every list page by page, each item once [PAGE-001]", async () => {
    const app = defineServer({
      ...identity,
      pageSize: 3,
      tools: many(7, () => empty),
      prompts: many(7, () => prompt({}, () => "")),
      resources: many(7, (index) => resource({ uri: `note://${index}` }, () => "")),
      templates: many(7, (index) => template({ uriTemplate: `t${index}://{id}` }, () => "")),
    });
    const names = Array.from({ length: 7 }, (_, index) => `n${index}`);
    const lists = [
      ["tools/list", "tools"],
      ["prompts/list", "prompts"],
      ["resources/list", "resources"],
      ["resources/templates/list", "resourceTemplates"],
    ] as const;
    for (const [method, member] of lists) {
      const pages = await walk(app, method, member);
      assert.deepEqual(
        pages.map((page) => page.length),
        [3, 3, 1],
        method,
      );
      assert.deepEqual(pages.flat(), names, method);
    }
  });

  it("ends exactly at a full page, also where another source follows", async () => {
    const resources = many(4, (index) => resource({ uri: `note://${index}` }, () => ""));
    const pages = await walk(defineServer({ ...identity, pageSize: 2, resources }), "resources/list", "resources");
    assert.deepEqual(
      pages.map((page) => page.length),
      [2, 2],
    );
    const app = defineServer({ ...identity, pageSize: 2, tools: many(4, () => empty) });
    assert.deepEqual(
      (await walk(app, "tools/list", "tools")).map((page) => page.length),
      [2, 2],
    );
  });

  it("gives the same page for the same cursor, and keeps cursors while others come and go [PAGE-005]", async () => {
    const app = defineServer({ ...identity, pageSize: 2, tools: many(6, () => empty) });
    const { nextCursor: cursor } = resultOf(await send(app, "tools/list"));
    const names = async (): Promise<string[]> =>
      (resultOf(await send(app, "tools/list", { cursor })).tools as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(await names(), ["n2", "n3"]);
    assert.deepEqual(await names(), ["n2", "n3"]);
    app.tools.delete("n1");
    app.tools.delete("n0");
    assert.deepEqual(await names(), ["n2", "n3"]);
    app.tools.set("late", empty);
    app.tools.disable("n3");
    assert.deepEqual(await names(), ["n2", "n4"]);
  });

  it("refuses made-up cursors [PAGE-006]", async () => {
    const app = defineServer({ ...identity, pageSize: 2, tools: many(6, () => empty) });
    const foreign = [encodeCursor("nonsense"), encodeCursor("0.99"), encodeCursor("7.1"), encodeCursor("0.-1")];
    for (const cursor of ["bogus", "", ...foreign]) {
      const { code, message } = errorOf(await send(app, "tools/list", { cursor }));
      assert.equal(code, -32602, cursor);
      assert.match(message, /cursor/);
    }
    assert.equal(errorOf(await send(app, "tools/list", { cursor: 5 })).code, -32602);
  });

  it("makes an unchanged page once, also for older revisions, and makes it anew after a change", async () => {
    const app = defineServer({ ...identity, tools: { a: tool({ icons: [{ src: "https://a.b/c" }] }, () => "") } });
    const older = fakeExchange({ revision: handshakeRevisions.at(-1) as never });
    const first = resultOf(await send(app, "tools/list"));
    assert.equal(resultOf(await send(app, "tools/list")), first);
    const old = resultOf(await send(app, "tools/list", undefined, older));
    assert.equal(resultOf(await send(app, "tools/list", undefined, older)), old);
    assert.notEqual(old, first);
    app.tools.set("b", empty);
    assert.notEqual(resultOf(await send(app, "tools/list")), first);
  });
});
