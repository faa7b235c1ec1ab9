import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FakeAnswer, FakeServer } from "../../../test/fixtures/fake-server.ts";
import { StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { Call, Link } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { baseTraits } from "../../revision/2024-11-05.ts";
import { createRevisions } from "../../revision/difference.ts";
import { latestHandshake, latestStateless } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";
import type { Agreement } from "./handshake.ts";
import { negotiate } from "./negotiation.ts";

const define = (options: Partial<ClientOptions> = {}) => defineClient({ name: "host", version: "1", ...options });

/** An older server that answers the probe in its own way. */
const olderPipe = (answer: FakeAnswer) => new FakeServer({ answers: { "server/discover": answer } });

describe("negotiate with what is known beforehand", () => {
  it("asks once and remembers it for the server of that name [M-VER-009]", async () => {
    const client = define();
    const told: string[] = [];
    const options = { server: "https://a.test/mcp", onNegotiated: (revision: string) => told.push(revision) };
    const logs: string[][] = [];
    for (let index = 0; index < 2; index += 1) {
      const server = olderPipe(() => {
        throw new RpcError(-32601, "no");
      });
      const session = await client.connect(server.channel, options);
      await session.close();
      logs.push(server.methods);
    }
    assert.deepEqual(logs, [
      ["server/discover", "initialize", "notifications/initialized"],
      ["initialize", "notifications/initialized"],
    ]);
    assert.deepEqual(told, [latestHandshake.id, latestHandshake.id]);
  });

  it("takes a verdict of an earlier process, and recovers once it is no longer true [M-VER-009]", async () => {
    const now = new StatelessServer({
      answers: {
        initialize: () => {
          throw new RpcError(-32601, "not any more");
        },
      },
    });
    const session = await define().connect(now.channel, { negotiated: latestHandshake.id });
    assert.deepEqual(now.methods, ["initialize", "server/discover"]);
    assert.equal(session.server.revision, latestStateless.id);
    await session.close();

    const back = olderPipe(() => {
      throw new RpcError(-32601, "no");
    });
    const other = await define().connect(back.channel, { negotiated: latestStateless.id });
    assert.equal(other.server.revision, latestHandshake.id);
    await other.close();
    const foreign = await define().connect(new StatelessServer().channel, { negotiated: "1999-01-01" });
    assert.equal(foreign.server.revision, latestStateless.id);
    await foreign.close();
  });

  it("asks nothing when told so, and is told by the first call what the server lacks or speaks [M-DISC-004]", async () => {
    const answers = { "tools/list": () => ({ tools: [] }), "tools/call": () => ({ content: [] }) };
    const server = new StatelessServer({ answers });
    const session = await define().connect(server.channel, { discover: false });
    assert.deepEqual(server.methods, []);
    await session.listTools().all();
    await session.callTool("t");
    assert.deepEqual(server.methods, ["tools/list", "tools/call"]);
    await assert.rejects(session.listPrompts().all(), { rpcCode: -32601, remote: true });
    await session.close();
    const other = olderPipe(() => {
      throw new RpcError(-32022, "no", { data: { supported: [latestHandshake.id], requested: latestStateless.id } });
    });
    other.answers.set("acme/x", ({ _meta }) => {
      if (JSON.stringify(_meta ?? {}).includes(latestStateless.id)) {
        throw new RpcError(-32022, "no", { data: { supported: [latestHandshake.id], requested: latestStateless.id } });
      }
      return { n: 1 };
    });
    const found = await define().connect(other.channel, { discover: false });
    assert.equal((await found.request("acme/x")).n, 1);
    assert.equal(found.server.revision, latestHandshake.id);
    await found.close();
  });

  it("asks for a pinned revision only, and says that a server is older [M-VER-019]", async () => {
    const server = olderPipe(() => {
      throw new RpcError(-32601, "what is that");
    });
    await assert.rejects(define().connect(server.channel, { revision: latestStateless.id }), {
      message: /what is that; the server speaks a revision older than 2026-07-28/,
    });
    assert.deepEqual(server.methods, ["server/discover"]);
    const pinned = new StatelessServer();
    const session = await define().connect(pinned.channel, { revision: latestHandshake.id });
    assert.deepEqual(pinned.methods, ["initialize", "notifications/initialized"]);
    await session.close();
  });
});

describe("negotiate with several stateless revisions", () => {
  const [, first, second] = createRevisions(baseTraits, [
    { id: "handshake", traits: {}, adds: { server: ["initialize"] } },
    { id: "first", lifecycle: "stateless", traits: {}, adds: { server: ["server/discover"] } },
    { id: "second", traits: {} },
  ]) as unknown as [Revision, Revision, Revision];

  async function run(answer: (call: Call) => JsonObject, expected?: Revision) {
    const calls: Call[] = [];
    const link: Link = {
      start: async () => {},
      request: async (call) => {
        calls.push(call);
        return answer(call);
      },
      notify: async () => {},
      close: async () => {},
      closed: new Promise(() => {}),
    };
    let agreed: Agreement | undefined;
    const host = {
      identity: { info: { name: "c", version: "1" }, capabilities: {} },
      clock: createFakeClock(),
      probeTimeoutMs: 5_000,
      link: () => link,
      isPipe: () => true,
      reopen: undefined,
      onTry: () => undefined,
      onAgreed: (agreement: Agreement) => {
        agreed = agreement;
      },
    };
    await negotiate(host, { spoken: [second, first], expected }, new AbortController().signal);
    const asked = calls.map(({ params }) => Object.values(params?._meta as object)[0]);
    return { asked, revision: agreed?.revision.id };
  }

  it("asks again in a revision that both speak after -32022 [M-VER-002]", async () => {
    const outcome = await run(({ params }) => {
      if (JSON.stringify(params).includes("second")) {
        throw new RpcError(-32022, "no", { remote: true, data: { supported: ["first"], requested: "second" } });
      }
      return { supportedVersions: ["first"], capabilities: {} };
    });
    assert.deepEqual(outcome, { asked: ["second", "first"], revision: "first" });
  });

  it("asks once more in the same revision where a server that refused it lists nothing else [M-VER-002]", async () => {
    let isFirst = true;
    const outcome = await run(() => {
      if (isFirst) {
        isFirst = false;
        throw new RpcError(-32022, "no", { remote: true, data: { supported: ["second"], requested: "second" } });
      }
      return { supportedVersions: ["second"], capabilities: {} };
    });
    assert.deepEqual(outcome, { asked: ["second", "second"], revision: "second" });
  });

  it("uses an older one that the discovery lists, without asking again [M-DISC-004] [M-VER-011]", async () => {
    const outcome = await run(() => ({ supportedVersions: ["first"], capabilities: {} }));
    assert.deepEqual(outcome, { asked: ["second"], revision: "first" });
  });

  it("does not loop with a server that lists what it refuses [M-VER-002]", async () => {
    const refuse = (): never => {
      throw new RpcError(-32022, "no", { remote: true, data: { supported: ["first", "second"], requested: "x" } });
    };
    await assert.rejects(run(refuse), { code: "MCP_UNSUPPORTED_REVISION" });
  });
});
