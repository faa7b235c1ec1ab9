import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import {
  addServer,
  createFolder,
  handshake,
  type Program,
  sourceArgs,
  startProgram,
} from "../../test/fixtures/programs.ts";
import { connect } from "../connect/connect.node.ts";

function parley(context: TestContext, ...args: readonly string[]): Program {
  return startProgram(context, sourceArgs("src/cli/main.node.ts", ...args));
}

/** Runs the command to its end. */
async function result(context: TestContext, ...args: readonly string[]) {
  const program = parley(context, ...args);
  program.child.stdin?.end();
  const { code } = await program.ended;
  return { code, stdout: program.stdout, stderr: program.stderr };
}

describe("parley", () => {
  it("explains itself with --help, for each command, and lists the exit codes", async (context) => {
    const [top, run] = [await result(context, "--help"), await result(context, "run", "--help")];
    assert.deepEqual([top.code, run.code, top.stderr, run.stderr], [0, 0, "", ""]);
    assert.match(top.stdout, /Usage: parley .*[\s\S]*run .*<file>/);
    assert.match(run.stdout, /parley run server\.js --http 3000/);
    for (const { stdout } of [top, run]) {
      assert.match(
        stdout,
        /Exit codes:\n {2}0 {2}fine\n {2}1 {2}wrong usage\n {2}2 {2}the server could not be started\n$/,
      );
    }
  });

  it("exits 1 for wrong usage, names what is wrong, and prints nothing to standard output", async (context) => {
    const cases: readonly (readonly [readonly string[], RegExp])[] = [
      [[], /Usage: parley/],
      [["rnu", "server.ts"], /unknown command 'rnu'[\s\S]*Did you mean run\?/],
      [["run"], /missing required argument 'file'/],
      [["run", "a.ts", "--htp", "1"], /unknown option '--htp'[\s\S]*Did you mean --http\?/],
      [["run", "a.ts", "--http", "abc"], /'abc' is invalid\. Expected a number from 0 to 65535/],
      [["run", "a.ts", "--http", "70000"], /'70000' is invalid/],
      [["run", "a.ts", "--http", "0", "--path", "mcp"], /begins with a slash/],
      [["run", "a.ts", "--host", "0.0.0.0"], /give --http with a port too/],
      [["run", "missing.ts"], /MCP_USAGE: there is no file .*missing\.ts/],
    ];
    const outcomes = await Promise.all(cases.map(([args]) => result(context, ...args)));
    for (const [index, { code, stdout, stderr }] of outcomes.entries()) {
      assert.equal(code, 1, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, cases[index]?.[1] ?? /^$/);
    }
  });
});

describe("parley run", () => {
  it("serves a file over stdio, with the banner on standard error, and exits 0 with its input [PP-022] [STDIO-005]", async (context) => {
    const folder = createFolder(context, { "server.ts": `console.log("loading");\n${addServer}` });
    const program = parley(context, "run", join(folder, "server.ts"));
    program.send(...handshake, {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "add", arguments: { a: 1, b: 2 } },
    });
    await program.seen(/"id":1/);
    program.child.stdin?.end();
    assert.deepEqual(await program.ended, { code: 0, signal: null });
    assert.match(JSON.stringify(program.messages.find(({ id }) => id === 1)), /"text":"3"/);
    assert.equal(program.messages.length, 2);
    assert.match(program.stderr, /MCP_D_STDOUT_GUARDED: .*"loading"[\s\S]*demo 1\.0\.0 · stdio · 1 tool \(add\)/);
  });

  it("serves a file over HTTP, where and to whom it is told", async (context) => {
    const folder = createFolder(context, { "server.mjs": addServer });
    const args = ["--http", "0", "--path", "/api/mcp", "--allow-host", "demo.test", "--allow-host", "127.0.0.1"];
    const program = parley(context, "run", join(folder, "server.mjs"), ...args);
    const url = await program.seen(/(http:\S+)/);
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/api\/mcp$/);
    const session = await connect(url);
    assert.deepEqual((await session.callTool("add", { a: 1, b: 2 })).content, [{ type: "text", text: "3" }]);
    await session.close();
    await assert.rejects(connect(url.replace("127.0.0.1", "localhost")), /localhost/);
    program.child.kill("SIGTERM");
    const { code, signal } = await program.ended;
    assert.ok(process.platform === "win32" || (code === 0 && signal === null));
    assert.equal(program.stdout, "");
  });

  it("names a port that is taken, suggests another, and exits 1", async (context) => {
    const other = createServer().listen(0, "127.0.0.1");
    context.after(() => other.close());
    await once(other, "listening");
    const { port } = other.address() as { port: number };
    const folder = createFolder(context, { "server.mjs": `setInterval(() => undefined, 1000);\n${addServer}` });
    const { code, stderr } = await result(context, "run", join(folder, "server.mjs"), "--http", String(port));
    assert.equal(code, 1);
    assert.match(
      stderr,
      new RegExp(`^MCP_USAGE: port ${port} on 127.0.0.1 is in use .* another port, or 0 for a free one`),
    );
  });

  it("says what a file lacks, or where it threw, whatever it has left running", async (context) => {
    const running = "setInterval(() => undefined, 1000);\n";
    const folder = createFolder(context, {
      "empty.mjs": `${running}export const app = 1;`,
      "throws.mts": `${running}const key: string | undefined = undefined;\nthrow new Error("missing KEY");`,
      "syntax.mts": "const a = 1;\nconst b = ;",
      "serves.mjs": `${addServer}\nprocess.stdin.on("data", () => undefined);`,
    });
    const cases: readonly (readonly [string, number, RegExp])[] = [
      ["empty.mjs", 1, /MCP_USAGE: .*empty\.mjs: expected the default export .* no default export, only app/],
      ["throws.mts", 2, /throws\.mts could not be loaded:\nError: missing KEY\n.*throws\.mts:3:7/],
      ["syntax.mts", 2, /syntax\.mts could not be loaded:[\s\S]*syntax\.m?ts:2:10/],
      ["serves.mjs", 1, /MCP_USAGE: .*one that reads standard input as soon as it is loaded/],
    ];
    for (const [name, expected, pattern] of cases) {
      const { code, stdout, stderr } = await result(context, "run", join(folder, name));
      assert.deepEqual([code, stdout], [expected, ""], stderr);
      assert.match(stderr, pattern);
    }
  });

  it("prints help into a pipe that nobody reads without a word of failure", async (context) => {
    const program = parley(context, "run", "--help");
    program.child.stdout?.destroy();
    assert.deepEqual(await program.ended, { code: 0, signal: null });
    assert.equal(program.stderr, "");
  });
});
