import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { join, relative } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { addServer, createFolder, sourceArgs } from "../../test/fixtures/programs.ts";
import { createDeferred } from "../base/deferred.ts";
import { ClosedError, TimeoutError, UsageError } from "../base/error.ts";
import { listen } from "../http/node/handler.node.ts";
import { defineServer } from "../server/define.ts";
import { ServerProcessError } from "../stdio/client.node.ts";
import { createFakeClock } from "../test/clock.ts";
import { type ConnectOptions, connect } from "./connect.node.ts";

/** A program that says its process id on standard error and never answers; it ends with its input. */
const silentCommand = `node -e "process.stdin.resume(); console.error('waiting as ' + process.pid)"`;

async function add(target: Parameters<typeof connect>[0], options?: ConnectOptions): Promise<unknown> {
  const session = await connect(target as string, options);
  try {
    return (await session.callTool("add", { a: 1, b: 2 })).content;
  } finally {
    await session.close();
  }
}

const three = [{ type: "text", text: "3" }];

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts {@link silentCommand} through connect, and gives the process id that it said. */
function connectToSilence(options: ConnectOptions) {
  const pid = createDeferred<number>();
  const stderr = (line: string): void => pid.resolve(Number(/waiting as (\d+)/.exec(line)?.[1]));
  return { pid: pid.promise, connecting: connect(silentCommand, { stdio: { stderr }, ...options }) };
}

/** A port that takes connections and says nothing. */
async function listenInSilence(context: TestContext) {
  const server = createServer();
  context.after(() => server.close());
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return { server, url: `http://127.0.0.1:${port}/mcp` };
}

describe("connect (node)", () => {
  it("starts a command given as text, and one given as an object [STDIO-001]", async (context) => {
    const folder = createFolder(context, {
      "my server.mts": `${addServer}\nawait (await import("parley-mcp/serve")).serve(app);`,
    });
    const file = join(folder, "my server.mts");
    const [command, args] = [process.execPath, sourceArgs("src/cli/main.node.ts", "run", join(folder, "plain.ts"))];
    assert.deepEqual(await add(`node ${sourceArgs("x").slice(0, 2).join(" ")} "${file}"`), three);
    await assert.rejects(add({ command, args }), /there is no file .*plain\.ts/);
  });

  it("runs a source file in a process of its own: .ts with and without modules, .mts, .js, .cjs, and file URLs", async (context) => {
    const commonJs = addServer
      .replace(/import (.*) from (.*);/, "const $1 = require($2);")
      .replace("export default app", "module.exports = app");
    const folder = createFolder(context, {
      "untyped/server.ts": addServer,
      "modern/package.json": '{ "type": "module" }',
      "modern/server.ts": addServer.replace("({ a, b }) =>", "({ a, b }: { a: number; b: number }) =>"),
      "modern/server.js": addServer,
      "server.mts": addServer,
      "my server.cjs": commonJs,
    });
    const names = ["untyped/server.ts", "modern/server.ts", "modern/server.js", "server.mts", "my server.cjs"];
    const paths = names.map((name) => join(folder, name));
    const targets = [...paths.map((path) => relative(process.cwd(), path)), pathToFileURL(paths[3] ?? "").href];
    assert.deepEqual(
      await Promise.all(targets.map((target) => add(target))),
      targets.map(() => three),
    );
    assert.deepEqual(await add(pathToFileURL(paths[2] ?? ""), { stdio: { cwd: folder } }), three);
  });

  it("starts a program once more that ends on a question it does not know [M-VER-014]", async () => {
    const source = `
      process.stdin.once("data", (line) => {
        const { id, method, params } = JSON.parse(line);
        if (method !== "initialize") process.exit(3);
        const result = { protocolVersion: params.protocolVersion, capabilities: {}, serverInfo: { name: "shy", version: "1" } };
        console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
      });`;
    let started = 0;
    const onStart = (): void => {
      started += 1;
    };
    const session = await connect({ command: process.execPath, args: ["-e", source] }, { stdio: { onStart } });
    assert.equal(session.server.info.name, "shy");
    assert.equal(started, 2);
    await session.close();
  });

  it("connects to a URL and to a definition, as the portable one does", async (context) => {
    const app = defineServer({ name: "demo", version: "1.0.0" });
    const listener = await listen(app);
    context.after(() => listener.close());
    for (const target of [listener.url, new URL(listener.url), app]) {
      const session = await connect(target as string);
      await session.ping();
      await session.close();
    }
  });

  it("says before starting anything that a file cannot be run, or that a URL was meant", async (context) => {
    const folder = createFolder(context, { "server.py": "", "folder.js/x": "" });
    const cases: readonly (readonly [unknown, RegExp])[] = [
      [join(folder, "missing.ts"), /there is no file .*missing\.ts/],
      ["./missing.js", /there is no file .*missing\.js/],
      [pathToFileURL(join(folder, "missing.ts")), /there is no file .*missing\.ts/],
      [join(folder, "folder.js"), /expected a source file, got a folder/],
      [pathToFileURL(join(folder, "server.py")).href, /expected a source file that ends in \.js/],
      ["localhost:3000/mcp", /write http:\/\/localhost:3000\/mcp/],
      [
        "wss://example.com",
        /beginning with https: or http:.*; a path, or a command with its arguments, is taken as well/,
      ],
      ["", /expected a program and its arguments/],
      ["TOKEN=x npx server", /the variable TOKEN/],
      [new URL("ftp://example.com"), /got "ftp:\/\/example\.com\/"/],
      [{ command: 5 }, /expected a URL/],
    ];
    for (const [target, pattern] of cases) {
      await assert.rejects(connect(target as string), (error) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, pattern);
        return true;
      });
    }
  });

  it("tells how a command ended that ended at once, with its last words [PP-025]", async () => {
    const command = `node -e "console.error('missing API_KEY'); process.exit(3)"`;
    await assert.rejects(connect(command), (error) => {
      assert.ok(error instanceof ServerProcessError);
      assert.deepEqual([error.command, error.exitCode, error.exitSignal], ["node", 3, undefined]);
      assert.deepEqual(error.stderrLines, ["missing API_KEY"]);
      assert.match(
        error.message,
        /"node" exited with code 3 .*\nmissing API_KEY\n\(it was started twice: .*initialize\)$/,
      );
      return true;
    });
    await assert.rejects(connect(`node -e "process.kill(process.pid, 'SIGKILL')"`), { exitSignal: "SIGKILL" });
    await assert.rejects(connect("no-such-program --flag"), (error) => {
      assert.ok(error instanceof ServerProcessError);
      assert.match(error.message, /"no-such-program" could not be started .*check its spelling/);
      return true;
    });
  });

  it("tells why a file could not be served, with the place in it, whatever it has left running [PP-025]", async (context) => {
    const folder = createFolder(context, {
      "throws.mjs": 'setInterval(() => undefined, 1000);\n\nthrow new Error("missing API_KEY");\n',
      "empty.mjs": "setInterval(() => undefined, 1000);\nexport const app = 1;\n",
    });
    await assert.rejects(connect(join(folder, "throws.mjs")), (error) => {
      assert.ok(error instanceof ServerProcessError);
      assert.equal(error.exitCode, 2);
      assert.match(error.message, /throws\.mjs could not be loaded:\nError: missing API_KEY\n.*throws\.mjs:3:7/);
      return true;
    });
    await assert.rejects(connect(join(folder, "empty.mjs")), (error) => {
      assert.ok(error instanceof ServerProcessError);
      assert.equal(error.exitCode, 1);
      assert.match(error.message, /expected the default export to be what defineServer returns.*only app/);
      return true;
    });
  });

  it("ends a silent program at the limit, and says what it printed [PP-038]", async () => {
    const clock = createFakeClock();
    const { pid, connecting } = connectToSilence({ client: { name: "t", version: "1", clock }, connectTimeoutMs: 200 });
    const rejected = assert.rejects(connecting, (error) => {
      assert.ok(error instanceof TimeoutError);
      assert.match(error.message, /no session after 200 ms with "node"; its last lines .*:\nwaiting as \d+$/);
      return true;
    });
    const id = await pid;
    await clock.advance(200);
    await rejected;
    assert.ok(!isRunning(id));
  });

  it("ends a silent program when the caller gives up, and starts none when that was before [PP-038]", async () => {
    const controller = new AbortController();
    const { pid, connecting } = connectToSilence({ signal: controller.signal });
    const id = await pid;
    const reason = new Error("changed my mind");
    controller.abort(reason);
    await assert.rejects(connecting, (error) => error === reason);
    assert.ok(!isRunning(id));
    let starts = 0;
    const onStart = (): void => {
      starts += 1;
    };
    await assert.rejects(connect(silentCommand, { signal: controller.signal, stdio: { onStart } }), reason);
    assert.equal(starts, 0);
  });

  it("closes its sockets to a silent endpoint at the limit, and when the caller gives up [PP-038]", async (context) => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const attempts = [
      {
        give: () => clock.advance(200),
        options: { client: { name: "t", version: "1", clock }, connectTimeoutMs: 200 },
      },
      { give: async () => controller.abort(new Error("stop")), options: { signal: controller.signal } },
    ];
    for (const { give, options } of attempts) {
      // One for each attempt: fetch itself keeps a fresh connection in stock for a while, over which it sends nothing.
      const { server, url } = await listenInSilence(context);
      const connecting = assert.rejects(connect(url, options), /no session after 200 ms with http:\/\/127|stop/);
      const [socket] = await once(server, "connection");
      await once(socket, "data");
      await give();
      await connecting;
      if (!socket.closed) {
        await once(socket, "close");
      }
    }
  });

  it("asks whether the server runs where the connection is refused", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    server.close();
    await once(server, "close");
    await assert.rejects(connect(`http://127.0.0.1:${port}/mcp`), (error) => {
      assert.ok(error instanceof ClosedError);
      assert.match(
        error.message,
        new RegExp(`POST http://127.0.0.1:${port}/mcp: .*ECONNREFUSED.*; is the server running`),
      );
      return true;
    });
  });
});
