// Ten thousand sessions that nobody ends, in a process of their own: an idle limit later they are gone, wherever they were.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Program, sourceArgs } from "../fixtures/programs.ts";
import { createPrefix, openRedis, redisUrl, whyNoRedis } from "../fixtures/redis.ts";
import { within } from "../fixtures/within.ts";

/** What the process tells. */
interface Report {
  /** How many sessions there were at once. */
  readonly opened: number;
  readonly sessions: number;
  /** Bytes of heap in use after the first ten thousand, and after the second. */
  readonly before: number;
  readonly after: number;
  /** Keys that still have a value. */
  readonly left: readonly string[];
  /** Rows of a SQLite file, whatever they are for. */
  readonly rows: number;
}

async function run(...args: readonly string[]): Promise<Report> {
  const program = new Program(process.execPath, [
    "--expose-gc",
    ...sourceArgs("test/endurance/soak-sessions.ts", ...args),
  ]);
  const end = await within(program.ended, "the end of the process", 120_000);
  assert.deepEqual(end, { code: 0, signal: null }, program.stderr);
  return JSON.parse(program.stdout) as Report;
}

function assertGone({ opened, sessions, before, after, left, rows }: Report): void {
  assert.ok(opened > 0);
  assert.equal(sessions, 0);
  assert.deepEqual([left, rows], [[], 0]);
  assert.ok(after <= before * 1.05, `the heap has grown from ${before} to ${after} bytes`);
}

describe("ten thousand abandoned sessions and one idle limit later", () => {
  it("nothing is left in memory [PP-002]", async () => {
    const report = await run("memory:", "", "10000");
    assert.equal(report.opened, 10_000);
    assertGone(report);
  });

  it("nothing is left in a SQLite file [PP-002]", async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-soak-"));
    const path = join(folder, "soak.db");
    try {
      assertGone(await run(path, "", "10000"));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("nothing is left in Redis [PP-002]", { skip: whyNoRedis() }, async () => {
    const prefix = createPrefix();
    const probe = await openRedis();
    try {
      assertGone(await run(redisUrl, prefix, "10000"));
      assert.deepEqual(await probe.keys(prefix), []);
    } finally {
      await probe.clear(prefix);
      probe.close();
    }
  });

  it("no timer keeps a process alive that has sessions open [PP-002]", async () => {
    assert.equal((await run("memory:", "", "10", "held")).opened, 10);
  });
});
