import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, ForgetfulLink } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";
import type { ListChange } from "./list-watch.ts";

const toTool = (name: string, description = "") => ({ name, description, inputSchema: { type: "object" as const } });

async function open(options: Partial<ClientOptions> = {}) {
  let tools = [toTool("a"), toTool("b"), toTool("c")];
  const listChanged = true;
  const server = new FakeServer({
    capabilities: { tools: { listChanged }, resources: { listChanged }, prompts: { listChanged } },
    answers: {
      "tools/list": () => ({ tools }),
      "tools/call": () => {
        throw new RpcError(-32_602, "unknown tool");
      },
      "resources/list": () => ({ resources: [] }),
      "resources/templates/list": () => ({ resourceTemplates: [] }),
      "prompts/list": () => ({ prompts: [] }),
    },
  });
  const changes: ListChange[] = [];
  const diagnostics: Diagnostic[] = [];
  const link = new ForgetfulLink(server);
  const session = await defineClient({
    name: "c",
    version: "1",
    onListChanged: (change) => changes.push(change),
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  }).connect(link);
  await turn();
  await turn();
  const fetched = server.methods.filter((method) => method.endsWith("/list"));
  server.received.length = 0;
  return {
    server,
    link,
    session,
    changes,
    diagnostics,
    fetched,
    setTools: (...next: ReturnType<typeof toTool>[]) => {
      tools = next;
    },
  };
}

const namesOf = (change: ListChange | undefined) =>
  change?.list === "tools"
    ? [change.added, change.removed, change.changed].map((tools) => tools.map(({ name }) => name))
    : undefined;

describe("refreshing lists", () => {
  it("fetches once for notices that come together and tells what changed [PP-049]", async () => {
    const { server, session, changes, setTools } = await open();
    setTools(toTool("a"), toTool("c", "new text"), toTool("d"));
    for (let count = 0; count < 5; count += 1) {
      server.notify("notifications/tools/list_changed");
    }
    await turn();
    assert.equal(server.paramsOf("tools/list").length, 1);
    assert.equal(changes.length, 1);
    assert.deepEqual(namesOf(changes[0]), [["d"], ["b"], ["c"]]);
    assert.equal(changes[0]?.current.length, 3);
    await session.close();
  });

  it("fetches once more for notices that come during a fetch [PP-049]", async () => {
    const { server, session, changes } = await open();
    const gate = createDeferred<object>();
    server.answers.set("tools/list", () => gate.promise);
    server.notify("notifications/tools/list_changed");
    await turn();
    server.notify("notifications/tools/list_changed");
    server.notify("notifications/tools/list_changed");
    await turn();
    assert.equal(server.paramsOf("tools/list").length, 1);
    server.answers.set("tools/list", () => ({ tools: [toTool("z")] }));
    gate.resolve({ tools: [toTool("y")] });
    await turn();
    assert.equal(server.paramsOf("tools/list").length, 2);
    assert.deepEqual(changes.map(namesOf), [
      [["y"], ["a", "b", "c"], []],
      [["z"], ["y"], []],
    ]);
    await session.close();
  });

  it("fetches again after an unknown tool and after a replaced session [PP-049] [PP-001]", async () => {
    const { server, link, session, changes, setTools } = await open();
    setTools(toTool("a"));
    await Promise.all([assert.rejects(session.callTool("b")), assert.rejects(session.callTool("c"))]);
    await turn();
    assert.equal(server.paramsOf("tools/list").length, 1);
    assert.deepEqual(namesOf(changes.at(-1)), [[], ["b", "c"], []]);
    setTools(toTool("q"));
    link.forget();
    await session.callTool("a").catch(() => {});
    await turn();
    await turn();
    assert.deepEqual(namesOf(changes.find((change) => namesOf(change)?.[0]?.[0] === "q")), [["q"], ["a"], []]);
    await session.close();
  });

  it("fetches both lists of resources for one notice [PP-049]", async () => {
    const { server, session, changes } = await open();
    server.answers.set("resources/list", () => ({ resources: [{ uri: "a:b", name: "n" }] }));
    server.answers.set("resources/templates/list", () => ({
      resourceTemplates: [{ uriTemplate: "a:{b}", name: "n" }],
    }));
    server.notify("notifications/resources/list_changed");
    await turn();
    assert.deepEqual(changes.map(({ list, added }) => [list, added.length]).sort(), [
      ["resourceTemplates", 1],
      ["resources", 1],
    ]);
    await session.close();
  });

  it("says nothing when nothing changed, and keeps the old list when a fetch fails [PP-049]", async () => {
    const { server, session, changes, diagnostics, setTools } = await open();
    server.notify("notifications/tools/list_changed");
    await turn();
    server.answers.set("tools/list", () => {
      throw new RpcError(-32_603, "not now");
    });
    server.notify("notifications/tools/list_changed");
    await turn();
    assert.deepEqual(changes, []);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_REFRESH_FAILED"],
    );
    setTools(toTool("a"));
    server.answers.set("tools/list", () => ({ tools: [toTool("a")] }));
    server.notify("notifications/tools/list_changed");
    await turn();
    assert.deepEqual(changes.map(namesOf), [[[], ["b", "c"], []]]);
    await session.close();
  });

  it("goes on when the hook throws, and reports that as such", async () => {
    const { server, session, diagnostics, setTools } = await open({
      onListChanged: () => {
        throw new Error("hook");
      },
    });
    setTools();
    server.notify("notifications/tools/list_changed");
    await turn();
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_CALLBACK_FAULT"],
    );
    await session.close();
  });

  it("fetches nothing by itself unless asked to", async () => {
    const { server, session, fetched } = await open({ onListChanged: undefined });
    server.notify("notifications/tools/list_changed");
    await turn();
    assert.deepEqual(fetched, []);
    assert.deepEqual(server.methods, []);
    await session.close();
  });

  it("judges a call by the tool as listed when the call began, while the list changes [PP-049]", async () => {
    const { server, session } = await open();
    const outputSchema = (type: string) => ({ type: "object", properties: { n: { type } }, required: ["n"] });
    server.answers.set("tools/list", () => ({ tools: [{ ...toTool("a"), outputSchema: outputSchema("number") }] }));
    await session.listTools().all();
    const gate = createDeferred<object>();
    server.answers.set("tools/call", () => gate.promise);
    const call = session.callTool("a");
    await turn();
    server.answers.set("tools/list", () => ({ tools: [{ ...toTool("a"), outputSchema: outputSchema("string") }] }));
    server.notify("notifications/tools/list_changed");
    await turn();
    gate.resolve({ content: [], structuredContent: { n: 1 } });
    assert.deepEqual((await call).structuredContent, { n: 1 });
    await assert.rejects(session.callTool("a"), { code: "MCP_PEER" });
    await session.close();
  });
});
