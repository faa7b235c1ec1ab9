import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClientAnswer, never, RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";

describe("keepAlive", () => {
  async function alive(answer: ClientAnswer): Promise<{
    client: RawClient;
    clock: FakeClock;
    said: Diagnostic[];
    dead: string[];
    step: (ms: number) => Promise<void>;
  }> {
    const clock = createFakeClock(1_000_000);
    const said: Diagnostic[] = [];
    const dead: string[] = [];
    const app = defineServer({ ...identity, clock, onDiagnostic: (diagnostic) => said.push(diagnostic) });
    const client = await RawClient.connect(app, {
      answers: { ping: answer },
      serve: {
        keepAlive: { intervalMs: 1_000, timeoutMs: 100, maxFailures: 2, onDead: (session) => dead.push(session.id) },
      },
    });
    const step = async (ms: number): Promise<void> => {
      await clock.advance(ms);
      await turn();
    };
    return { client, clock, said, dead, step };
  }

  it("pings at its interval for as long as it is answered [PING-003]", async () => {
    const { client, step, said } = await alive(() => ({}));
    await step(999);
    assert.equal(client.requests("ping").length, 0);
    await step(1);
    assert.equal(client.requests("ping").length, 1);
    await step(1_000);
    await step(1_000);
    assert.equal(client.requests("ping").length, 3);
    assert.deepEqual(said, []);
  });

  it("reports every ping that is not answered in time, and a dead session after several [PING-002] [PING-004]", async () => {
    const { step, said, dead, client } = await alive(never);
    await step(1_000);
    await step(100);
    assert.deepEqual(
      said.map(({ code }) => code),
      ["MCP_D_PING"],
    );
    assert.deepEqual(dead, []);
    await step(1_000);
    await step(100);
    assert.deepEqual(dead, [client.handle.session.id]);
  });

  it("is off unless asked for, and ends with the session [PING-003]", async () => {
    const clock = createFakeClock(1_000_000);
    await RawClient.connect(defineServer({ ...identity, clock }));
    assert.equal(clock.pendingTimers, 0);
    const { client, clock: other } = await alive(() => ({}));
    assert.equal(other.pendingTimers, 1);
    await client.handle.close();
    assert.equal(other.pendingTimers, 0);
  });
});
