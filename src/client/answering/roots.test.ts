import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Root } from "../../protocol/types/roots.ts";
import { defineClient } from "../client.ts";
import type { RootsOptions } from "./roots.ts";

const home: Root = { uri: "file:///users/me/project", name: "project", _meta: { "com.example/x": 1 } };

async function open(roots: readonly Root[] | RootsOptions) {
  const server = new FakeServer();
  const client = defineClient({ name: "c", version: "1", roots });
  const session = await client.connect(server.channel);
  server.received.length = 0;
  return { server, client, session };
}

describe("roots", () => {
  it("are announced if and only if there are any to list [ROOT-001] [LIFE-018]", () => {
    const announced = (roots?: readonly Root[] | RootsOptions): unknown =>
      defineClient({ name: "c", version: "1", roots }).capabilities.roots;
    assert.deepEqual(announced([home]), { listChanged: true });
    assert.deepEqual(announced({ list: () => [], listChanged: false }), { listChanged: false });
    assert.equal(announced(), undefined);
  });

  it("are listed as configured, with and without params [ROOT-002]", async () => {
    const { server, session } = await open([home]);
    assert.deepEqual((await server.ask("roots/list")).result, { roots: [home] });
    assert.deepEqual((await server.ask("roots/list", { _meta: {} })).result, { roots: [home] });
    await session.close();
  });

  it("come from the provider on every request, which is told who asks [ROOT-006]", async () => {
    const asked: string[] = [];
    const { server, session } = await open({
      list: ({ server: { info } }) => {
        asked.push(info.name);
        return asked.length === 1 ? [home] : [];
      },
    });
    assert.deepEqual((await server.ask("roots/list")).result, { roots: [home] });
    assert.deepEqual((await server.ask("roots/list")).result, { roots: [] });
    assert.deepEqual(asked, ["fake", "fake"]);
    await session.close();
  });

  for (const uri of ["https://x.example/", "/a/b", "file:///a/../b", "file:///a/%2e%2e/b", "file:///a/%252e%252e/b"]) {
    it(`are refused when one is ${uri} [ROOT-003] [ROOT-007]`, async () => {
      assert.throws(() => defineClient({ name: "c", version: "1", roots: [{ uri }] }), { code: "MCP_USAGE" });
      const { server, client, session } = await open({ list: () => [{ uri }] });
      assert.equal((await server.ask("roots/list")).error?.code, -32603);
      assert.throws(() => client.setRoots([{ uri }]), { code: "MCP_USAGE" });
      await session.close();
    });
  }

  it("fail with an internal error when the provider does [ROOT-005]", async () => {
    const { server, session } = await open({
      list: () => {
        throw new Error("disk is gone");
      },
    });
    assert.deepEqual((await server.ask("roots/list")).error, { code: -32603, message: "internal error" });
    await session.close();
  });

  it("tell every session once of changes made in one turn [ROOT-004]", async () => {
    const { server, client, session } = await open([home]);
    const other = new FakeServer();
    const second = await client.connect(other.channel);
    client.setRoots([]);
    client.setRoots([{ uri: "file:///b" }]);
    client.announceRoots();
    await turn();
    assert.deepEqual(server.methods, ["notifications/roots/list_changed"]);
    assert.equal(other.methods.filter((method) => method === "notifications/roots/list_changed").length, 1);
    assert.deepEqual((await server.ask("roots/list")).result, { roots: [{ uri: "file:///b" }] });
    client.setRoots([home]);
    await turn();
    assert.equal(server.methods.filter((method) => method === "notifications/roots/list_changed").length, 2);
    await session.close();
    await second.close();
  });

  it("tell nobody without listChanged, nor sessions that have ended [ROOT-004] [LIFE-018]", async () => {
    const { server, client, session } = await open({ list: [home], listChanged: false });
    client.setRoots([]);
    await turn();
    assert.deepEqual(server.methods, []);
    assert.deepEqual((await server.ask("roots/list")).result, { roots: [] });
    await session.close();
    const ended = await open([home]);
    await ended.session.close();
    await turn();
    ended.client.setRoots([]);
    await turn();
    assert.deepEqual(ended.server.methods, []);
  });

  it("cannot be given to a client that announced none [ROOT-001]", () => {
    assert.throws(() => defineClient({ name: "c", version: "1" }).setRoots([home]), { code: "MCP_USAGE" });
  });
});
