import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type FakeAnswer, FakeServer, silence } from "../../../test/fixtures/fake-server.ts";
import { discovery, StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { ClosedError, type McpError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { Channel } from "../../jsonrpc/link.ts";
import { createMemoryPair } from "../../memory/pair.ts";
import { handshakeRevisions, latestHandshake, latestStateless } from "../../revision/registry.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";

const define = (options: Partial<ClientOptions> = {}) => defineClient({ name: "host", version: "1", ...options });

/** An older server that answers the probe in its own way. */
const olderPipe = (answer: FakeAnswer) => new FakeServer({ answers: { "server/discover": answer } });

describe("negotiate over a pipe", () => {
  it("asks server/discover before anything else, and stays with a server that answers [M-VER-010] [M-VER-011]", async () => {
    const server = new StatelessServer({ capabilities: { tools: {} } });
    const session = await define().connect(server.channel);
    assert.deepEqual(server.methods, ["server/discover"]);
    assert.equal(session.server.revision, latestStateless.id);
    assert.deepEqual(session.server.capabilities, { tools: {} });
    assert.equal(session.server.instructions, "be kind");
    await session.close();
  });

  for (const code of [-32601, -32602, -32600, -32603, -32000, 12345]) {
    it(`shakes hands on the same pipe after error ${code} [M-VER-012] [M-VER-013]`, async () => {
      const server = olderPipe(() => {
        throw new RpcError(code, "what is that");
      });
      const session = await define().connect(server.channel);
      assert.deepEqual(server.methods, ["server/discover", "initialize", "notifications/initialized"]);
      assert.equal(session.server.revision, latestHandshake.id);
      assert.equal(server.paramsOf("initialize")[0]?._meta, undefined);
      await session.close();
    });
  }

  it("shakes hands with a server that answers with what is no discovery [M-VER-012]", async () => {
    const server = olderPipe(() => ({}));
    const session = await define().connect(server.channel);
    assert.equal(session.server.revision, latestHandshake.id);
    await session.close();
  });

  it("shakes hands after silence for 5 s or as configured, without giving the question up, and ignores what comes late [M-VER-012] [M-VER-014] [LIFE-024]", async () => {
    for (const probeTimeoutMs of [undefined, 70]) {
      const clock = createFakeClock();
      const diagnostics: Diagnostic[] = [];
      const server = olderPipe(silence);
      const client = define({ clock, onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
      const connecting = client.connect(server.channel, { probeTimeoutMs });
      await clock.advance((probeTimeoutMs ?? 5_000) - 1);
      assert.deepEqual(server.methods, ["server/discover"]);
      await clock.advance(1);
      const session = await connecting;
      server.send({ jsonrpc: "2.0", id: 0, result: discovery({ tools: {} }) });
      await turn();
      assert.deepEqual(server.methods, ["server/discover", "initialize", "notifications/initialized"]);
      assert.equal(session.server.revision, latestHandshake.id);
      assert.deepEqual(session.server.capabilities, {});
      assert.deepEqual(
        diagnostics.map(({ code }) => code),
        [],
      );
      await session.close();
      assert.equal(clock.pendingTimers, 0);
    }
  });

  for (const code of [-32020, -32021]) {
    it(`takes error ${code} for the answer of a newer server, and never shakes hands after it [M-VER-011]`, async () => {
      const server = olderPipe(() => {
        throw new RpcError(code, "no", { data: { requiredCapabilities: { roots: {} } } });
      });
      await assert.rejects(define().connect(server.channel), { rpcCode: code });
      assert.deepEqual(server.methods, ["server/discover"]);
    });
  }

  it("shakes hands in exactly the revision that a newer server has in common with it [M-VER-011]", async () => {
    const common = handshakeRevisions[2]?.id ?? "";
    const server = olderPipe(() => {
      throw new RpcError(-32022, "no", { data: { supported: ["2099-01-01", common], requested: latestStateless.id } });
    });
    const session = await define().connect(server.channel);
    assert.equal(server.paramsOf("initialize")[0]?.protocolVersion, common);
    assert.equal(session.server.revision, common);
    await session.close();
  });

  it("names both lists where there is nothing in common, and asks no more [M-VER-002] [M-VER-011]", async () => {
    const server = olderPipe(() => {
      throw new RpcError(-32022, "no", { data: { supported: ["2099-01-01"], requested: latestStateless.id } });
    });
    await assert.rejects(define().connect(server.channel), (error: McpError & { supported?: unknown }) => {
      assert.equal(error.code, "MCP_UNSUPPORTED_REVISION");
      assert.deepEqual(error.supported, ["2099-01-01"]);
      assert.match(error.message, /2099-01-01.*got .*2026-07-28, 2025-11-25/);
      return true;
    });
    assert.deepEqual(server.methods, ["server/discover"]);
  });

  it("starts a program once more that ends on the question, and shakes hands with it at once [M-VER-014]", async () => {
    const servers: FakeServer[] = [];
    const start = (): Channel => {
      const server: FakeServer = olderPipe(() => {
        void server.close();
        return silence({}, {} as never);
      });
      servers.push(server);
      return server.channel;
    };
    const session = await define().connect(start);
    assert.deepEqual(
      servers.map(({ methods }) => methods),
      [["server/discover"], ["initialize", "notifications/initialized"]],
    );
    await session.close();
    assert.ok(servers.every(({ closed }) => closed));
  });

  it("starts a program once more that was too slow to read the question in time, and ends on it [M-VER-014]", async () => {
    const clock = createFakeClock();
    const servers: FakeServer[] = [];
    const start = (): Channel => {
      const isFirst = servers.length === 0;
      const end = (): FakeAnswer => () => {
        void servers[0]?.close();
        return silence({}, {} as never);
      };
      const server = new FakeServer({
        answers: { "server/discover": silence, ...(isFirst ? { initialize: end() } : undefined) },
      });
      servers.push(server);
      return server.channel;
    };
    const connecting = define({ clock }).connect(start);
    await clock.advance(5_000);
    const session = await connecting;
    assert.deepEqual(
      servers.map(({ methods }) => methods),
      [
        ["server/discover", "initialize"],
        ["initialize", "notifications/initialized"],
      ],
    );
    await session.close();
    assert.ok(servers.every(({ closed }) => closed));
  });

  it("starts a program at most twice, and says what was tried [PP-038]", async () => {
    let started = 0;
    const start = (): Channel => {
      started += 1;
      const server = new FakeServer();
      void Promise.resolve().then(() => server.close());
      return server.channel;
    };
    await assert.rejects(define().connect(start), {
      code: "MCP_CLOSED",
      message: /tried before: server\/discover of 2026-07-28/,
    });
    assert.equal(started, 2);
  });

  it("says what was tried also where the last fault is of a class of its own, or where time was over [PP-038] [M-VER-019]", async () => {
    class OtherError extends ClosedError {
      readonly exitCode = 3;
    }
    const dying = (): Channel => {
      const [channel] = createMemoryPair();
      return {
        ...channel,
        open: async (receiver) => receiver.closed(new OtherError("exited with code 3")),
        close: async () => {},
        send: () => undefined,
      };
    };
    await assert.rejects(define().connect(dying), { message: /exited with code 3.*tried before: server\/discover/ });
    const clock = createFakeClock();
    const server = olderPipe(silence);
    server.answers.set("initialize", silence);
    const late = assert.rejects(define({ clock }).connect(server.channel, { connectTimeoutMs: 6_000 }), {
      code: "MCP_TIMEOUT",
      message: /tried before: server\/discover/,
    });
    await clock.advance(6_000);
    await late;
  });

  it("has one deadline over all that is tried, and leaves nothing behind [PP-038]", async () => {
    const clock = createFakeClock();
    const server = new FakeServer({ answers: { "server/discover": silence, initialize: silence } });
    const connecting = define({ clock }).connect(server.channel, { connectTimeoutMs: 6_000 });
    const failed = assert.rejects(connecting, { code: "MCP_TIMEOUT", limit: "connect", timeoutMs: 6_000 });
    await clock.advance(6_000);
    await failed;
    assert.deepEqual(server.methods, ["server/discover", "initialize"]);
    assert.ok(server.closed);
    assert.equal(clock.pendingTimers, 0);
  });

  it("says of every attempt why it failed [PP-038]", async () => {
    const server = new FakeServer({
      answers: {
        "server/discover": () => {
          throw new RpcError(-32601, "never heard of it");
        },
        initialize: () => {
          throw new RpcError(-32603, "broken today");
        },
      },
    });
    await assert.rejects(define().connect(server.channel), (error: McpError & { rpcCode?: number }) => {
      assert.equal(error.rpcCode, -32603);
      assert.match(error.message, /broken today.*server\/discover of .*: never heard of it/);
      assert.equal((error.cause as AggregateError).errors.length, 2);
      return true;
    });
  });
});
