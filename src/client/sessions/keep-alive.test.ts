import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer, silence } from "../../../test/fixtures/fake-server.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { KeepAliveFailure, KeepAliveOptions } from "./keep-alive.ts";

async function open(keepAlive: KeepAliveOptions | undefined) {
  const clock = createFakeClock();
  const server = new FakeServer({ answers: { ping: () => ({}) } });
  const diagnostics: string[] = [];
  const onDiagnostic = ({ code }: { code: string }): number => diagnostics.push(code);
  const session = await defineClient({ name: "c", version: "1", clock, keepAlive, onDiagnostic }).connect(
    server.channel,
  );
  const pings = (): number => server.paramsOf("ping").length;
  return { clock, server, session, pings, diagnostics };
}

describe("keep-alive", () => {
  it("pings at its interval, and stops when the session ends, leaving no timer [PING-003]", async () => {
    const { clock, session, pings } = await open({ intervalMs: 1_000 });
    await clock.advance(999);
    assert.equal(pings(), 0);
    await clock.advance(2_001);
    assert.equal(pings(), 3);
    await session.close();
    assert.equal(clock.pendingTimers, 0);
    await clock.advance(10_000);
    assert.equal(pings(), 3);
  });

  it("is off unless asked for [PING-003]", async () => {
    const { clock, session, pings } = await open(undefined);
    assert.equal(clock.pendingTimers, 0);
    await clock.advance(10_000_000);
    assert.equal(pings(), 0);
    await session.close();
  });

  it("reports each ping without an answer in time, and ends the session after too many [PING-002] [PING-004]", async () => {
    const failures: KeepAliveFailure[] = [];
    const { clock, server, session, diagnostics } = await open({
      intervalMs: 1_000,
      timeoutMs: 200,
      maxFailures: 2,
      onFailure: (failure) => failures.push(failure),
    });
    server.answers.set("ping", silence);
    await clock.advance(1_200);
    assert.deepEqual(
      failures.map(({ failures: count, closing }) => [count, closing]),
      [[1, false]],
    );
    assert.equal(failures[0]?.error.code, "MCP_TIMEOUT");
    await clock.advance(1_200);
    assert.deepEqual(
      failures.map(({ failures: count, closing }) => [count, closing]),
      [
        [1, false],
        [2, true],
      ],
    );
    assert.equal((await session.closed)?.code, "MCP_TIMEOUT");
    assert.equal(server.closed, true);
    assert.equal(diagnostics.filter((code) => code === "MCP_D_PING_FAILED").length, 2);
    assert.equal(clock.pendingTimers, 0);
  });

  it("goes on when the hook throws [PING-004]", async () => {
    const { clock, server, session, diagnostics } = await open({
      intervalMs: 1_000,
      timeoutMs: 200,
      onFailure: () => {
        throw new Error("hook");
      },
    });
    server.answers.set("ping", silence);
    await clock.advance(1_200);
    assert.deepEqual(diagnostics, ["MCP_D_PING_FAILED", "MCP_D_CALLBACK_FAULT"]);
    await clock.advance(1_000);
    assert.equal(server.paramsOf("ping").length, 2);
    await session.close();
  });

  it("starts counting anew after a ping that was answered [PING-002]", async () => {
    const counts: number[] = [];
    const { clock, server, session } = await open({
      intervalMs: 1_000,
      timeoutMs: 200,
      maxFailures: 2,
      onFailure: ({ failures }) => counts.push(failures),
    });
    for (const answer of [silence, () => ({}), silence, () => ({})]) {
      server.answers.set("ping", answer);
      await clock.advance(1_200);
    }
    assert.deepEqual(counts, [1, 1]);
    await session.close();
  });
});
