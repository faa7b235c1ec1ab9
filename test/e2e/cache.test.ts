// Results that may be used again: what servers allow, what clients make of it, and what ends it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineClient } from "parley-mcp/client";
import { createHttpLink } from "parley-mcp/http/client";
import { createHttpHandler, type HttpAuthenticator } from "parley-mcp/http/server";
import { defineServer, prompt, resource, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";
import { able, createInterviewServer } from "../fixtures/interview-server.ts";
import { Arrivals } from "../fixtures/signals.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const tester = { name: "tester", version: "1.0.0" };
const since = "2026-07-28";
const minute = { ttlMs: 60_000, scope: "public" } as const;
const nothing = tool({ description: "Does nothing" }, () => "nothing");
const note = (name: string) => resource({ uri: `note:///${name}` }, () => name);

/** A server whose results stay fresh for a minute. */
const lasting = () =>
  defineServer({
    ...identity,
    pageSize: 2,
    cache: {
      "server/discover": minute,
      "tools/list": minute,
      "prompts/list": minute,
      "resources/list": minute,
      "resources/templates/list": minute,
      "resources/read": minute,
    },
    tools: { one: nothing, two: nothing, three: nothing },
    prompts: { greeting: prompt({}, () => "Hello") },
    resources: { motd: note("motd"), folder: note("folder") },
  });

verifies("results that stay fresh", [
  scenario({
    title:
      "are used again until their time is over, and fetched then, not before [M-CACHE-006] [M-CACHE-008] [M-DISC-005]",
    since,
    app: lasting,
    run: async ({ join }) => {
      const clock = createFakeClock(1_000_000);
      const { client, wire } = await join({ ...tester, clock });
      const everything = async (): Promise<void> => {
        await client.request("server/discover", {});
        await client.listTools().all();
        await client.listPrompts().all();
        await client.readResource("note:///motd");
      };
      await everything();
      const first = wire.methods("client");
      await everything();
      await clock.advance(59_999);
      await everything();
      assert.deepEqual(wire.methods("client"), first);
      await clock.advance(1);
      assert.deepEqual(wire.methods("client"), first, "fetched although nobody asked");
      await everything();
      assert.equal(wire.methods("client").length, 2 * first.length);
    },
  }),
  scenario({
    title: "say for how long and for whom, the same on all pages [M-CACHE-001] [M-CACHE-004]",
    since,
    app: lasting,
    run: async ({ client, wire }) => {
      await client.listTools().all();
      await client.listPrompts().all();
      await client.listResources().all();
      await client.listResourceTemplates().all();
      await client.readResource("note:///motd");
      const hints = wire.responses("server").map(({ result }) => [result?.ttlMs, result?.cacheScope]);
      assert.equal(hints.length, 7);
      assert.ok(
        hints.every(([ttlMs, scope]) => ttlMs === 60_000 && scope === "public"),
        JSON.stringify(hints),
      );
    },
  }),
  scenario({
    title: "are fetched anew after a notification that outdates them, all pages, and no others [M-CACHE-010]",
    since,
    needs: ["push"],
    app: lasting,
    run: async ({ client, wire, app }) => {
      const heard = new Arrivals<string>();
      const onChange = ({ method }: { method: string }) => heard.take(method);
      await client.listen({ toolsListChanged: true, resourceSubscriptions: ["note:///motd"] }, { onChange });
      const everything = async (): Promise<void> => {
        await client.listTools().all();
        await client.readResource("note:///motd");
        await client.readResource("note:///folder");
      };
      await everything();
      const before = wire.methods("client").length;
      app.tools.set("four", nothing);
      await heard.until(1);
      await everything();
      assert.deepEqual(wire.methods("client").slice(before), ["tools/list", "tools/list"]);
      app.notifyResourceUpdated("note:///motd");
      await heard.until(2);
      await everything();
      assert.deepEqual(wire.methods("client").slice(before + 2), ["resources/read"]);
      assert.equal(wire.sent("client", "resources/read").at(-1)?.params?.uri, "note:///motd");
    },
  }),
  scenario({
    title:
      "are fetched every time where the server says nothing, or the client keeps nothing [M-CACHE-003] [M-CACHE-007]",
    since,
    app: () => defineServer({ ...identity, tools: { nothing } }),
    run: async ({ client, wire }) => {
      await client.listTools().all();
      await client.listTools().all();
      assert.equal(wire.sent("client", "tools/list").length, 2);
      const { result } = wire.answerTo("client", "tools/list") ?? {};
      assert.deepEqual([result?.ttlMs, result?.cacheScope], [0, "private"]);
    },
  }),
  scenario({
    title: "are not what answers to questions gave [M-CACHE-012] [M-CACHE-002]",
    since,
    app: createInterviewServer,
    client: able,
    run: async ({ client, wire }) => {
      await client.readResource("note:///ask");
      const before = wire.sent("client", "resources/read").length;
      await client.readResource("note:///ask");
      assert.equal(wire.sent("client", "resources/read").length, 2 * before);
    },
  }),
  scenario({
    title: "are unknown to revisions with a handshake [OLEG-005] [OLEG-012]",
    until: "2025-11-25",
    app: lasting,
    run: async ({ client, wire }) => {
      await client.listTools().all();
      await client.listTools().all();
      assert.equal(wire.sent("client", "tools/list").length, 4);
      assert.doesNotMatch(JSON.stringify(wire.from("server")), /ttlMs|cacheScope|resultType/);
    },
  }),
]);

/** A server of whose tools some are for members only, and sessions of one client with it, by user. */
function openClub() {
  const app = defineServer({
    ...identity,
    cache: { "tools/list": minute, "prompts/list": minute, "resources/read": minute },
    tools: { open: nothing, members: tool({ allow: ({ auth }) => auth?.subject === "member" }, () => "hello") },
    prompts: { greeting: prompt({}, () => "Hello") },
    resources: { secret: resource({ uri: "note:///secret", scopes: ["member"] }, () => "secret") },
  });
  const authenticate: HttpAuthenticator["authenticate"] = (request) => {
    const subject = request.header("x-user") ?? "nobody";
    const scopes = subject === "member" ? ["member"] : [];
    return { ok: true, auth: { token: "t", clientId: "demo", subject, scopes } };
  };
  const handler = createHttpHandler(app, { auth: { authenticate } });
  const methods: string[] = [];
  const client = defineClient(tester);
  const open = (user: string) => {
    const link = createHttpLink("http://localhost/mcp", {
      headers: { "x-user": user },
      fetch: (url, init) => {
        methods.push((JSON.parse(init.body ?? "{}") as { method: string }).method);
        return handler.fetch(new Request(url, init));
      },
    });
    return client.connect(link, { server: "http://localhost/mcp", authorization: user });
  };
  return { open, methods, end: () => handler.close() };
}

describe("results that stay fresh, of several users", () => {
  it("are private as soon as not everybody gets the same, and shared only where everybody does [M-CACHE-005] [M-CACHE-013]", async () => {
    const { open, methods, end } = openClub();
    const [member, guest] = [await open("member"), await open("guest")];
    assert.deepEqual(
      (await member.listTools().all()).map(({ name }) => name),
      ["open", "members"],
    );
    assert.deepEqual(
      (await guest.listTools().all()).map(({ name }) => name),
      ["open"],
    );
    assert.equal(methods.filter((method) => method === "tools/list").length, 2);
    await member.listPrompts().all();
    await guest.listPrompts().all();
    assert.equal(methods.filter((method) => method === "prompts/list").length, 1);
    await Promise.all([member.close(), guest.close()]);
    end();
  });

  it("open nothing: what was read by one stays closed to the other [M-CACHE-005]", async () => {
    const { open, end } = openClub();
    const [member, guest] = [await open("member"), await open("guest")];
    const { contents } = await member.readResource("note:///secret");
    assert.equal((contents[0] as { text: string }).text, "secret");
    await assert.rejects(guest.readResource("note:///secret"));
    await Promise.all([member.close(), guest.close()]);
    end();
  });
});
