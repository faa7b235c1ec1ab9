// The demo as a person runs it: a real server process, a real client, both ways; and the server that stays up.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { connect } from "parley-mcp/connect";

const root = fileURLToPath(new URL("../..", import.meta.url));
const node = ["--conditions=parley-mcp", "--import", "tsx", "examples/demo/main.ts"];

async function runDemo(...args: readonly string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [...node, ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, "close");
  return { code, output };
}

describe("the demo", () => {
  let folder = "";

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "parley-demo-test-"));
    await cp(join(root, "docs", "icon.png"), join(folder, "icon.png"));
    for (const name of ["one.md", "two.md", "three.md"]) {
      await writeFile(join(folder, name), `# ${name}\n\nThe first sentence. The second one.\n`);
    }
  });

  after(() => rm(folder, { recursive: true }));

  it("walks through every step over HTTP, the cut connection included, and leaves the folder alone", async () => {
    const names = await readdir(folder);
    const { code, output } = await runDemo(folder);
    assert.equal(code, 0, output);
    assert.match(output, /ok {2}connect .*revision 2026-07-28/);
    assert.match(output, /ok {2}delete, declined .*asked in a result, answered by a second call/);
    assert.match(output, /ok {2}connect, older revision .*revision 2025-11-25/);
    assert.match(output, /ok {2}delete, declined .*asked while the call ran, one call/);
    assert.match(output, /ok {2}cut the connection .*resumed, no step lost or doubled, searched once/);
    assert.match(output, /ok {2}read bytes/);
    assert.match(output, /24 steps went as they should, 0 did not/);
    assert.deepEqual(await readdir(folder), names);
  });

  it("walks through the same over stdio, less what needs a network", async () => {
    const { code, output } = await runDemo(folder, "--stdio");
    assert.equal(code, 0, output);
    assert.match(output, /22 steps went as they should, 0 did not/);
  });

  it("stays up with --serve, says how to connect a host, and ends when it is told to", async () => {
    const args = [...node, folder, "--serve", "--port", "0"];
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
    const lines: string[] = [];
    let url: string | undefined;
    for await (const line of createInterface({ input: child.stdout })) {
      lines.push(line);
      url ??= /claude mcp add --transport http folder (\S+)/.exec(line)?.[1];
      if (line.includes("claude mcp add folder --")) {
        break;
      }
    }
    assert.ok(url !== undefined, lines.join("\n"));
    const session = await connect(url);
    assert.equal((await session.listResources().all()).length, 4);
    await session.close();
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    assert.deepEqual(await exit, [0, null]);
  });

  it("refuses an option it does not know and a folder that is not there, with exit code 1", async () => {
    for (const args of [["--sevre"], [join(folder, "missing")]]) {
      const { code, output } = await runDemo(...args);
      assert.equal(code, 1);
      assert.match(output, /sevre|expected a folder/);
    }
  });
});
