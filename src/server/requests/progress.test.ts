import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { Server } from "../server.ts";

type Report = (done: number, total?: number, message?: string) => void;

function reporting(work: (report: Report) => unknown, more: { clock?: FakeClock; said?: Diagnostic[] } = {}): Server {
  return defineServer({
    ...identity,
    ...(more.clock && { clock: more.clock }),
    onDiagnostic: (diagnostic) => more.said?.push(diagnostic),
    tools: {
      work: tool({}, async (_args, { progress }) => {
        await work(progress);
        return "done";
      }),
    },
  }) as Server;
}

const stepsOf = (client: RawClient): unknown[] =>
  client.notifications("notifications/progress").map(({ params }) => params);

describe("ctx.progress", () => {
  it("sends the token as it came, fractions, total and message, before the answer [PROG-003] [PROG-004]", async () => {
    const app = reporting((report) => {
      report(0.5, 2.5);
      report(1, 2.5, "half");
    });
    for (const token of ["t", 7]) {
      const client = await RawClient.connect(app);
      await client.call("work", {}, { progressToken: token });
      assert.deepEqual(stepsOf(client), [
        { progressToken: token, progress: 0.5, total: 2.5 },
        { progressToken: token, progress: 1, total: 2.5, message: "half" },
      ]);
      assert.ok("result" in (client.received.at(-1) ?? {}), "the answer is last");
    }
  });

  it("sends nothing where the client asked for nothing [PROG-005]", async () => {
    const client = await RawClient.connect(reporting((report) => report(1)));
    assert.deepEqual((await client.call("work")).result?.isError, undefined);
    assert.deepEqual(stepsOf(client), []);
  });

  it("drops a step that is not further, and says so [PROG-004]", async () => {
    const said: Diagnostic[] = [];
    const app = reporting(
      (report) => {
        report(2);
        report(1);
        report(2);
        report(3);
      },
      { said },
    );
    const client = await RawClient.connect(app);
    await client.call("work", {}, { progressToken: 1 });
    assert.deepEqual(
      stepsOf(client).map((step) => (step as { progress: number }).progress),
      [2, 3],
    );
    assert.deepEqual(
      said.map(({ code }) => code),
      ["MCP_D_PROGRESS", "MCP_D_PROGRESS"],
    );
  });

  it("stops with the answer [PROG-006]", async () => {
    let late: Report = () => {};
    const client = await RawClient.connect(
      reporting((report) => {
        late = report;
        report(1);
      }),
    );
    await client.call("work", {}, { progressToken: 1 });
    late(2);
    await turn();
    assert.equal(stepsOf(client).length, 1);
  });

  it("throttles a flood and keeps the last step [PROG-009]", async () => {
    const client = await RawClient.connect(
      reporting(
        (report) => {
          for (let step = 1; step <= 10_000; step += 1) {
            report(step);
          }
        },
        { clock: createFakeClock(1_000_000) },
      ),
    );
    await client.call("work", {}, { progressToken: 1 });
    const steps = stepsOf(client) as { progress: number }[];
    assert.equal(steps.length, 1_001);
    assert.equal(steps.at(-1)?.progress, 10_000);
  });

  it("sends a withheld step when its time has come, without waiting for another [PROG-009]", async () => {
    const clock = createFakeClock(1_000_000);
    let release = (): void => {};
    const client = await RawClient.connect(
      reporting(
        (report) => {
          for (let step = 1; step <= 1_005; step += 1) {
            report(step);
          }
          return new Promise<void>((resolve) => {
            release = resolve;
          });
        },
        { clock },
      ),
    );
    const called = client.call("work", {}, { progressToken: 1 });
    await turn();
    assert.equal(stepsOf(client).length, 1_000);
    await clock.advance(10);
    await turn();
    assert.equal((stepsOf(client).at(-1) as { progress: number }).progress, 1_005);
    release();
    await called;
    assert.equal(clock.pendingTimers, 0);
  });

  it("refuses numbers that are none", async () => {
    const client = await RawClient.connect(reporting((report) => report(Number.NaN)));
    const { result } = await client.call("work", {}, { progressToken: 1 });
    assert.equal(result?.isError, true);
  });
});
