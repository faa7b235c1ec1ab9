import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Program, sourceArgs, startProgram } from "../../../test/fixtures/programs.ts";
import { SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";

const script = "test/fixtures/sqlite-process.ts";

describe("sqlite, of several processes", () => {
  it("loses no update, gives one order, and brings every message once and in order [PP-004] [PP-010]", async (context) => {
    const place = new SqlitePlace(context);
    const { path } = place;
    const names = ["a", "b", "c", "d"];
    const rounds = 100;
    const all = names.length * rounds;
    const programs: Program[] = names.map((name) =>
      startProgram(context, sourceArgs(script, path, name, String(rounds), String(all))),
    );
    await Promise.all(programs.map((program) => program.seen(/ready/)));
    for (const program of programs) {
      program.child.stdin?.write("go\n");
    }
    for (const program of programs) {
      assert.deepEqual(await program.ended, { code: 0, signal: null }, program.stderr);
    }
    const store = place.open({ clock: undefined });
    assert.equal((await store.get("n"))?.value, String(all));
    const entries = (await store.read("l"))?.entries ?? [];
    assert.equal(entries.length, all);
    assert.ok(entries.every(({ previous }, index) => previous === (entries[index - 1]?.position ?? 0)));
    const inOrder = Array.from({ length: rounds }, (_, round) => round);
    const roundsOf = (texts: readonly string[], name: string): number[] =>
      texts.filter((text) => text.startsWith(`${name} `)).map((text) => Number(text.slice(2)));
    for (const { stdout } of programs) {
      const { heard, missed } = JSON.parse(stdout.slice(stdout.indexOf("{"))) as { heard: string[]; missed: number };
      assert.deepEqual([heard.length, missed], [all, 0]);
      for (const name of names) {
        assert.deepEqual(roundsOf(heard, name), inOrder);
      }
    }
    for (const name of names) {
      assert.deepEqual(
        roundsOf(
          entries.map(({ value }) => value),
          name,
        ),
        inOrder,
      );
    }
  });

  it("loses nothing that was acknowledged when writers are killed at any moment [PP-004]", async (context) => {
    const place = new SqlitePlace(context);
    const { path } = place;
    const store = place.open({ clock: undefined });
    let random = 17;
    for (let round = 0; round < 4; round += 1) {
      const names = [`${round}a`, `${round}b`];
      const programs = names.map((name) => startProgram(context, sourceArgs(script, path, name, "0")));
      await Promise.all(programs.map((program) => program.seen(/did 20\n/)));
      random = (random * 48_271) % 2_147_483_647;
      const until = Date.now() + (random % 40);
      while (Date.now() < until) {
        await store.get("n");
      }
      for (const program of programs) {
        program.child.kill("SIGKILL");
      }
      await Promise.all(programs.map((program) => program.ended));
      for (const [index, { stdout }] of programs.entries()) {
        const told = Math.max(...[...stdout.matchAll(/did (\d+)\n/g)].map(([, count]) => Number(count)));
        const value = Number((await store.get(`value of ${names[index]}`))?.value);
        assert.ok(value >= told, `${value} is kept, ${told} was acknowledged`);
        const kept = (await store.read(`log of ${names[index]}`))?.entries.map((entry) => Number(entry.value)) ?? [];
        assert.deepEqual(
          kept,
          kept.map((_, position) => position + 1),
        );
        assert.ok(kept.length >= told, `${kept.length} entries are kept, ${told} were acknowledged`);
      }
      assert.equal(typeof (await store.set("goes on", String(round))), "string");
    }
  });
});
