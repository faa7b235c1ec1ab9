import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder, type Program, sourceArgs, startProgram } from "../../../../test/fixtures/programs.ts";
import { openCredentialFile } from "./credential-file.node.ts";

const startCounter = (context: TestContext, file: string, counts: number): Program =>
  startProgram(context, sourceArgs("test/fixtures/credential-process.ts", file, String(counts)));

function leftovers(file: string): string[] {
  const allowed = [basename(file), `${basename(file)}.lock`];
  return readdirSync(dirname(file)).filter((name) => !allowed.includes(name));
}

describe("openCredentialFile, of several processes", () => {
  it("loses no update of eight processes that increment one value", async (context) => {
    const file = join(createFolder(context, {}), "kept", "credentials.json");
    const programs = Array.from({ length: 8 }, () => startCounter(context, file, 10));
    for (const program of programs) {
      assert.deepEqual(await program.ended, { code: 0, signal: null }, program.stderr);
    }
    assert.equal((await openCredentialFile(file).get("n"))?.value, "80");
    const numbers = programs.flatMap((program) => [...program.stdout.matchAll(/did (\d+)/g)].map(([, n]) => Number(n)));
    assert.equal(new Set(numbers).size, 80);
    assert.deepEqual(leftovers(file), []);
  });

  it("keeps every finished write, and goes on at once, when processes are killed at any moment", async (context) => {
    const file = join(createFolder(context, {}), "kept", "credentials.json");
    const store = openCredentialFile(file);
    await store.set("other", "stays");
    let random = 17;
    for (let round = 0; round < 6; round += 1) {
      const programs = [startCounter(context, file, 0), startCounter(context, file, 0)];
      await Promise.all(programs.map((program) => program.seen(/did \d+/)));
      random = (random * 48_271) % 2_147_483_647;
      const until = Date.now() + (random % 60);
      while (Date.now() < until) {
        await store.get("n");
      }
      for (const program of programs) {
        program.child.kill("SIGKILL");
      }
      await Promise.all(programs.map((program) => program.ended));
      const told = programs.flatMap(({ stdout }) => [...stdout.matchAll(/did (\d+)/g)].map(([, n]) => Number(n)));
      const value = Number((await store.get("n"))?.value);
      assert.ok(value >= Math.max(...told), `${value} after ${Math.max(...told)}`);
      const began = Date.now();
      await store.set("n", String(value));
      assert.ok(Date.now() - began < 2_000, "expected the lock of a dead process to be taken away at once");
      assert.equal((await store.get("other"))?.value, "stays");
      assert.equal(JSON.parse(readFileSync(file, "utf8")).format, 1);
    }
    if (process.platform !== "win32") {
      assert.equal(statSync(file).mode & 0o777, 0o600);
    }
    assert.equal(
      leftovers(file).some((name) => name.includes("corrupt")),
      false,
    );
  });
});
