import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../test/fixtures/fake-server.ts";
import { defineClient } from "./client.ts";

describe("defineClient", () => {
  it("opens nothing by itself, and tells who it is and what it offers", () => {
    const client = defineClient({ name: "c", version: "1", title: "C", roots: [] });
    assert.deepEqual(client.info, { name: "c", version: "1", title: "C" });
    const extensions = { "io.modelcontextprotocol/tasks": {} };
    assert.deepEqual(client.capabilities, { roots: { listChanged: true }, extensions });
  });

  it("serves any number of sessions at once, each with requests and ids of its own [LIFE-028] [BASE-005]", async () => {
    const client = defineClient({ name: "c", version: "1" });
    const servers = Array.from(
      { length: 20 },
      (_, index) => new FakeServer({ answers: { "x/who": () => ({ index }) } }),
    );
    const sessions = await Promise.all(servers.map(({ channel }) => client.connect(channel)));
    const answers = await Promise.all(sessions.map((session) => session.request("x/who")));
    assert.deepEqual(
      answers,
      servers.map((_, index) => ({ index })),
    );
    await Promise.all(sessions.map((session) => session.close()));
    assert.ok(servers.every(({ closed }) => closed));
  });
});
