import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { startFakeAuthorization } from "../fixtures/auth/fake-listener.ts";
import { createFolder, type Program, sourceArgs, startProgram } from "../fixtures/programs.ts";

/** Five programs of one name that share a file, started at once. */
async function startFive(context: TestContext, name: string) {
  const fake = await startFakeAuthorization(context);
  const file = join(createFolder(context, {}), "logins", "credentials.json");
  const args = sourceArgs("test/fixtures/auth/login-program.ts", fake.endpoint, file, `${name} ${process.pid}`);
  return { fake, programs: Array.from({ length: 5 }, () => startProgram(context, args)) };
}

/** The first program that opens a page, and the page. */
async function firstOpened(programs: readonly Program[]): Promise<{ opener: Program; page: string }> {
  const opener = await Promise.any(programs.map((program) => program.seen(/^open \S+/m).then(() => program)));
  return { opener, page: /^open (\S+)/m.exec(opener.stdout)?.[1] ?? "" };
}

/** The person agrees: the browser goes through the login page to the listener. */
async function agree(page: string): Promise<number> {
  const { headers } = await fetch(page, { redirect: "manual" });
  const back = await fetch(headers.get("location") ?? "");
  await back.text();
  return back.status;
}

const countOpened = (programs: readonly Program[]): number =>
  programs.reduce((count, { stdout }) => count + (stdout.match(/^open /gm)?.length ?? 0), 0);

describe("five programs that start at once", () => {
  it("open one page, register one client, and are all logged in", async (context) => {
    const { fake, programs } = await startFive(context, "five");
    const { page } = await firstOpened(programs);
    assert.equal(await agree(page), 200);
    await Promise.all(programs.map((program) => program.seen(/^done 200$/m)));
    assert.equal(countOpened(programs), 1);
    assert.deepEqual([fake.sent("register").length, fake.sent("token").length], [1, 1]);
  });

  it("open one page and are all logged in but the first, which is killed half-way", async (context) => {
    const { programs } = await startFive(context, "killed");
    const { opener, page } = await firstOpened(programs);
    opener.child.kill("SIGKILL");
    await opener.ended;
    const others = programs.filter((program) => program !== opener);
    // Whoever goes on with the login listens on the same port, and prints the page that is open already.
    await Promise.any(others.map((program) => program.seen(/^print \S+/m)));
    assert.equal(await agree(page), 200);
    await Promise.all(others.map((program) => program.seen(/^done 200$/m)));
    assert.equal(countOpened(programs), 1);
  });
});
