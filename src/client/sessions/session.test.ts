import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { defineClient } from "../client.ts";

async function open() {
  const server = new FakeServer({
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} },
    answers: { ping: () => ({}), "logging/setLevel": () => ({}) },
  });
  const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
  server.received.length = 0;
  return { server, session };
}

/** Answers a list of nine numbers in pages of 4, 0 and 5. */
const paged =
  (member: string, toItem: (n: number) => object) =>
  ({ cursor }: { cursor?: unknown }): object => {
    const [from, to, nextCursor] =
      cursor === undefined ? [0, 4, "x"] : cursor === "x" ? [0, 0, "y"] : [4, 9, undefined];
    const items = Array.from({ length: to - from }, (_, index) => toItem(from + index));
    return { [member]: items, ...(nextCursor && { nextCursor }) };
  };

describe("ClientSession", () => {
  it("lists everything of each of the four lists, however it is paged [PAGE-001] [PAGE-002] [PROMPT-011] [PP-082]", async () => {
    const { server, session } = await open();
    const inputSchema = { type: "object" };
    server.answers.set(
      "tools/list",
      paged("tools", (n) => ({ name: `${n}`, inputSchema })),
    );
    server.answers.set(
      "prompts/list",
      paged("prompts", (n) => ({ name: `${n}` })),
    );
    server.answers.set(
      "resources/list",
      paged("resources", (n) => ({ name: `${n}`, uri: `a:${n}` })),
    );
    server.answers.set(
      "resources/templates/list",
      paged("resourceTemplates", (n) => ({ name: `${n}`, uriTemplate: `a:{${n}}` })),
    );
    const lists = [
      session.listTools(),
      session.listPrompts(),
      session.listResources(),
      session.listResourceTemplates(),
    ];
    for (const list of lists) {
      const names: string[] = [];
      for await (const item of list) {
        names.push(item.name);
      }
      assert.deepEqual(names, ["0", "1", "2", "3", "4", "5", "6", "7", "8"]);
    }
    await session.close();
  });

  it("works with a server that does not page [PAGE-003]", async () => {
    const { server, session } = await open();
    server.answers.set("prompts/list", () => ({ prompts: [{ name: "only" }] }));
    assert.deepEqual(await session.listPrompts().all(), [{ name: "only" }]);
    assert.equal(server.paramsOf("prompts/list").length, 1);
    await session.close();
  });

  it("raises on a list that repeats itself, within bounds of the caller [PAGE-007] [PP-082]", async () => {
    const { server, session } = await open();
    server.answers.set("prompts/list", () => ({ prompts: [{ name: "p" }], nextCursor: "same" }));
    await assert.rejects(session.listPrompts().all(), { code: "MCP_PEER", message: /prompts\/list/ });
    let count = 0;
    server.answers.set("prompts/list", () => {
      count += 1;
      return { prompts: [], nextCursor: `c${count}` };
    });
    await assert.rejects(session.listPrompts({ maxPages: 7 }).all(), { code: "MCP_PEER", message: /at most 7 pages/ });
    assert.equal(count, 7);
    await session.close();
  });

  it("reads resources, text and binary", async () => {
    const { server, session } = await open();
    const contents = [
      { uri: "a:1", text: "t" },
      { uri: "a:2", blob: "AA==", mimeType: "image/png" },
    ];
    server.answers.set("resources/read", ({ uri }) => ({ contents, uri }));
    assert.deepEqual(await session.readResource("a:1"), { contents, uri: "a:1" });
    await session.close();
  });

  it("gets prompts with string arguments [PROMPT-003]", async () => {
    const { server, session } = await open();
    const messages = [{ role: "user", content: { type: "text", text: "hi" } }];
    server.answers.set("prompts/get", () => ({ description: "d", messages }));
    assert.deepEqual(await session.getPrompt("greet", { who: "Ada" }), { description: "d", messages });
    await session.getPrompt("greet");
    const sent = server.paramsOf("prompts/get").map(({ _meta, ...params }) => params);
    assert.deepEqual(sent, [{ name: "greet", arguments: { who: "Ada" } }, { name: "greet" }]);
    await session.close();
  });

  it("completes prompts and templates with the arguments chosen so far [COMP-002] [COMP-003] [PP-083]", async () => {
    const { server, session } = await open();
    server.answers.set("completion/complete", () => ({ completion: { values: ["b"], total: 1, hasMore: false } }));
    const argument = { name: "city", value: "B" };
    const context = { arguments: { country: "de" } };
    const refs = [
      { type: "ref/prompt", name: "trip" },
      { type: "ref/resource", uri: "map:{country}/{city}" },
      { type: "ref/resource", uri: "map:de/berlin" },
    ] as const;
    for (const ref of refs) {
      assert.deepEqual(await session.complete({ ref, argument, context }), { values: ["b"], total: 1, hasMore: false });
    }
    const sent = server.paramsOf("completion/complete").map(({ _meta, ...params }) => params);
    assert.deepEqual(
      sent,
      refs.map((ref) => ({ ref, argument, context })),
    );
    await session.close();
  });

  it("takes completions without total or hasMore [COMP-010]", async () => {
    const { server, session } = await open();
    server.answers.set("completion/complete", () => ({ completion: { values: [] } }));
    const ref = { type: "ref/prompt", name: "p" } as const;
    assert.deepEqual(await session.complete({ ref, argument: { name: "a", value: "" } }), { values: [] });
    await session.close();
  });

  it("sets each of the eight log levels [LOG-003] [LOG-004]", async () => {
    const { server, session } = await open();
    const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
    for (const level of levels) {
      await session.setLogLevel(level);
    }
    assert.deepEqual(
      server.paramsOf("logging/setLevel").map(({ level }) => level),
      levels,
    );
    await session.close();
  });

  it("pings without a progress token [PING-001] [PROG-005]", async () => {
    const { server, session } = await open();
    await session.ping();
    assert.equal(server.paramsOf("ping")[0]?._meta, undefined);
    await session.close();
  });

  it("tells listeners of notifications until they stop listening [BASE-023]", async () => {
    const { server, session } = await open();
    const heard: unknown[] = [];
    const stop = session.onNotification("notifications/message", ({ level }) => heard.push(level));
    session.onNotification("x/own", (params) => heard.push(params));
    server.notify("notifications/message", { level: "info", data: 1 });
    server.notify("x/own", { a: 1 });
    await turn();
    stop();
    server.notify("notifications/message", { level: "error", data: 1 });
    await turn();
    assert.deepEqual(heard, ["info", { a: 1 }]);
    await session.close();
  });

  it("ends with the scope it was opened in [LIFE-021]", async () => {
    const { server, session } = await open();
    await session[Symbol.asyncDispose]();
    assert.equal(server.closed, true);
    assert.equal(await session.closed, undefined);
  });
});
