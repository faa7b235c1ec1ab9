import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, linkSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder } from "../../../../test/fixtures/programs.ts";
import { createDeferred } from "../../../base/deferred.ts";
import { StoreError } from "../../../store/error.ts";
import { FileLock, type FileLockOptions } from "./file-lock.node.ts";

const deadPid = spawnSync(process.execPath, ["--version"]).pid;

/** A lock file as a process leaves it that ends without letting go. */
function ownedBy(pid: number, token: string, rest: object = {}): string {
  return `held\n${JSON.stringify({ token, pid, host: hostname(), ...rest })}\n`;
}

function age(file: string, seconds: number): void {
  const then = Date.now() / 1_000 - seconds;
  utimesSync(file, then, then);
}

function prepare(context: TestContext) {
  const folder = createFolder(context, {});
  const file = join(folder, "x.lock");
  return { folder, file, open: (options?: FileLockOptions) => new FileLock(file, options) };
}

/** Runs `count` pieces of work, each through a lock object of its own; fails when two overlap. */
async function race(open: () => FileLock, count: number): Promise<number> {
  let inside = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    assert.equal(inside, 1);
    // Long enough for those who looked at the lock before it was taken to come to their next steps.
    for (let turn = 0; turn < 10; turn += 1) {
      await stat(import.meta.dirname);
    }
    assert.equal(inside, 1);
    inside -= 1;
    done += 1;
  };
  await Promise.all(Array.from({ length: count }, () => open().run(work)));
  return done;
}

describe("FileLock", () => {
  it("lets one in at a time, of one object and of several, and leaves only itself", async (context) => {
    const { folder, file, open } = prepare(context);
    const shared = open();
    assert.equal(await race(() => shared, 5), 5);
    assert.equal(await race(open, 30), 30);
    assert.deepEqual(
      readdirSync(folder).filter((name) => name !== "node_modules"),
      ["x.lock"],
    );
    assert.match(readFileSync(file, "utf8"), /^free\n/);
  });

  it("hands on what the work gives or throws, and is free after both", async (context) => {
    const lock = prepare(context).open();
    assert.equal(await lock.run(async () => 7), 7);
    await assert.rejects(
      lock.run(() => Promise.reject(new Error("mine"))),
      /mine/,
    );
    assert.equal(await lock.run(async () => 8), 8);
  });

  it("takes the lock of a dead process away at once, and lets in one of many who find it", async (context) => {
    for (let round = 0; round < 5; round += 1) {
      const { folder, file, open } = prepare(context);
      writeFileSync(file, ownedBy(deadPid, "dead", { after: "older" }));
      writeFileSync(`${file}.dead.new`, "half-writ");
      linkSync(file, `${file}.after.older`);
      assert.equal(await race(() => open({ timeoutMs: 4_000 }), 10), 10);
      assert.deepEqual(
        readdirSync(folder).filter((name) => name !== "node_modules"),
        ["x.lock"],
      );
    }
  });

  it("goes on where processes died one after the other while they were taking it", async (context) => {
    const { file, open } = prepare(context);
    writeFileSync(file, ownedBy(deadPid, "first"));
    writeFileSync(`${file}.after.first`, ownedBy(deadPid, "second"));
    writeFileSync(`${file}.after.second`, ownedBy(deadPid, "third"));
    assert.equal(await race(() => open({ timeoutMs: 4_000 }), 10), 10);
    assert.equal(existsSync(`${file}.after.first`), false);
    assert.equal(existsSync(`${file}.after.second`), false);
  });

  it("goes on where a process died before there was a lock", async (context) => {
    const { file, open } = prepare(context);
    writeFileSync(`${file}.after.nobody`, ownedBy(deadPid, "first"));
    assert.equal(await race(() => open({ timeoutMs: 4_000 }), 10), 10);
  });

  it("waits for a process that runs, as long as it was told, and names it", async (context) => {
    const { file, open } = prepare(context);
    writeFileSync(file, ownedBy(process.ppid, "alive"));
    await assert.rejects(
      open({ timeoutMs: 30 }).run(async () => 1),
      (error: unknown) =>
        error instanceof StoreError &&
        error.failure === "unavailable" &&
        error.message.includes(`process ${process.ppid} has it`),
    );
    assert.match(readFileSync(file, "utf8"), /alive/);
  });

  it("takes by age the lock of another host, of a number that was used again, and of nobody known", async (context) => {
    for (const text of [
      ownedBy(1, "far", { host: "elsewhere" }),
      ownedBy(process.ppid, "again"),
      "",
      "not a lock",
      "held\n{}",
    ]) {
      const { file, open } = prepare(context);
      writeFileSync(file, text);
      await assert.rejects(
        open({ timeoutMs: 20 }).run(async () => 1),
        StoreError,
      );
      age(file, 6);
      assert.equal(await race(open, 5), 5);
    }
  });

  it("keeps a holder that was only slow from writing over those who came after it; its work is done again", async (context) => {
    const { folder, file, open } = prepare(context);
    const target = join(folder, "n");
    writeFileSync(target, "0");
    const entered = createDeferred();
    const resume = createDeferred();
    let runs = 0;
    const slow = open().run(async (held) => {
      runs += 1;
      const next = `${Number(readFileSync(target, "utf8")) + 1}`;
      if (runs === 1) {
        entered.resolve();
        await resume.promise;
      }
      await held.replaceFile(target, next);
    });
    await entered.promise;
    age(file, 6);
    await open().run((held) => held.replaceFile(target, `${Number(readFileSync(target, "utf8")) + 1}`));
    resume.resolve();
    await slow;
    assert.equal(runs, 2);
    assert.equal(readFileSync(target, "utf8"), "2");
    assert.match(readFileSync(file, "utf8"), /^free/);
  });

  it("does not let a slow holder's end open the lock of the one who came after it", async (context) => {
    const { file, open } = prepare(context);
    const [entered, resume, second, end] = [createDeferred(), createDeferred(), createDeferred(), createDeferred()];
    const slow = open().run(async () => {
      entered.resolve();
      await resume.promise;
    });
    await entered.promise;
    age(file, 6);
    const after = open().run(async () => {
      second.resolve();
      await end.promise;
    });
    await second.promise;
    resume.resolve();
    await slow;
    assert.match(readFileSync(file, "utf8"), /^held/);
    await assert.rejects(
      open({ timeoutMs: 20 }).run(async () => 1),
      StoreError,
    );
    end.resolve();
    await after;
  });

  it("removes old private files that killed processes have left, and no others", async (context) => {
    const { folder, file, open } = prepare(context);
    for (const name of ["x.lock.old", "x.lock.old.new", "x.lock.young", "other"]) {
      writeFileSync(join(folder, name), "");
      age(join(folder, name), name.includes("young") ? 5 : 120);
    }
    await open().run(async () => 1);
    assert.equal(existsSync(`${file}.old`), false);
    assert.equal(existsSync(`${file}.old.new`), false);
    assert.equal(existsSync(`${file}.young`), true);
    assert.equal(existsSync(join(folder, "other")), true);
  });
});
