import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { createFolder, handshake, type Program, sourceArgs, startProgram } from "../../test/fixtures/programs.ts";

/** A server whose tool `wait` ends with SIGUSR2, and that leaves a timer and a listening socket behind. */
const waitingServer = `
import { once } from "node:events";
import { createServer } from "node:net";
import { defineServer, tool } from "parley-mcp/server";
import { serve } from "parley-mcp/serve";
setInterval(() => undefined, 1_000);
createServer().listen(0, "127.0.0.1");
const wait = tool({}, async () => {
  console.error("entered");
  await once(process, "SIGUSR2");
  return "done";
});
const big = tool({}, () => "x".repeat(3_000_000));
const app = defineServer({ name: "demo", version: "1.0.0", tools: { wait, big } });
await serve(app, JSON.parse(process.argv[2] ?? "{}"));
`;

const withoutSignals = process.platform === "win32" ? "processes cannot be asked to stop by a signal there" : false;

function start(context: TestContext, options: object = {}): Program {
  const folder = createFolder(context, { "server.mjs": waitingServer });
  const [conditions = "", loader = ""] = sourceArgs("x");
  return startProgram(context, [conditions, loader, join(folder, "server.mjs"), JSON.stringify(options)]);
}

const call = (name: string, id = 1) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } });

async function postWait(url: string): Promise<{ readonly status: number; readonly text: string }> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(call("wait")) });
  return { status: response.status, text: await response.text() };
}

async function knock(url: string): Promise<void> {
  const socket = connectTcp(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

describe("serve over stdio, as a program", () => {
  it("exits 0 within a second of its input's end, with timers and sockets open and a call in progress [PP-022] [STDIO-011]", async (context) => {
    const program = start(context);
    program.send(...handshake, call("wait"));
    await program.seen(/entered/);
    const before = Date.now();
    program.child.stdin?.end();
    assert.deepEqual(await program.ended, { code: 0, signal: null });
    assert.ok(Date.now() - before < 1_000);
    assert.deepEqual(
      program.messages.map(({ id }) => id),
      [0],
    );
  });

  it("ends when its parent is killed hard [PP-022]", { skip: withoutSignals }, async (context) => {
    const folder = createFolder(context, { "server.mjs": waitingServer });
    const [conditions = "", loader = ""] = sourceArgs("x");
    const args = JSON.stringify([conditions, loader, join(folder, "server.mjs")]);
    // The parent's own output goes to the server's too, so its end shows that both have gone.
    const source = `
      const child = require("node:child_process").spawn(process.execPath, ${args}, { stdio: ["pipe", "pipe", 2] });
      child.stdin.write(${JSON.stringify(`${JSON.stringify(handshake[0])}\n${JSON.stringify(call("wait"))}\n`)});
      setInterval(() => undefined, 1_000);
    `;
    const parent = startProgram(context, ["-e", source]);
    await parent.seen(/entered/);
    const before = Date.now();
    parent.child.kill("SIGKILL");
    assert.equal((await parent.ended).signal, "SIGKILL");
    assert.ok(Date.now() - before < 1_000);
  });

  it("exits when nobody reads its answers any more, without a word of failure [PP-022]", async (context) => {
    const program = start(context);
    program.send(...handshake);
    await program.seen(/"id":0/);
    program.child.stdout?.destroy();
    program.send(call("big"));
    assert.deepEqual(await program.ended, { code: 0, signal: null });
    assert.doesNotMatch(program.stderr, /EPIPE|Error/);
  });

  it("goes on when nobody reads its standard error any more", async (context) => {
    const program = start(context);
    await program.seen(/demo 1\.0\.0/);
    program.child.stderr?.destroy();
    program.send(...handshake, call("wait"), call("wait", 2), { jsonrpc: "2.0", id: 3, method: "ping" });
    await program.seen(/"id":3/);
    program.child.stdin?.end();
    assert.equal((await program.ended).code, 0);
  });

  it("gives every answer that was ready when the input ended, also to a reader that takes its time", async (context) => {
    const program = start(context);
    program.send(...handshake);
    await program.seen(/"id":0/);
    program.child.stdout?.pause();
    program.send(call("big", 7), { jsonrpc: "2.0", id: 8, method: "ping" });
    program.child.stdin?.end();
    await once(program.child.stdout ?? program.child, "readable");
    program.child.stdout?.resume();
    assert.equal((await program.ended).code, 0);
    assert.deepEqual(
      program.messages.map(({ id }) => id),
      [0, 7, 8],
    );
  });

  it("finishes a call in progress on SIGTERM, refuses new ones, and exits 0", {
    skip: withoutSignals,
  }, async (context) => {
    const program = start(context);
    program.send(...handshake, call("wait"));
    await program.seen(/entered/);
    program.child.kill("SIGTERM");
    await program.seen(/stopping: 1 call in progress/);
    program.send(call("big", 2));
    await program.seen(/shutting down/);
    program.child.kill("SIGUSR2");
    assert.deepEqual(await program.ended, { code: 0, signal: null });
    assert.match(program.stdout, /"id":1,"result":.*done/);
  });

  it("writes its banner to standard error, and nothing but messages to standard output [STDIO-005]", async (context) => {
    const program = start(context);
    program.send(...handshake);
    program.child.stdin?.end();
    await program.ended;
    assert.match(program.stderr, /^demo 1\.0\.0 · stdio · 2 tools \(wait, big\) · speaks .*\n$/);
    assert.deepEqual(
      program.messages.map(({ id }) => id),
      [0],
    );
  });
});

describe("serve over HTTP, as a program", { skip: withoutSignals }, () => {
  const http = { port: 0, sessions: false };

  it("finishes a call in progress on SIGTERM, refuses connections, and exits 0", async (context) => {
    const program = start(context, { http });
    const url = await program.seen(/(http:\S+)/);
    const answer = postWait(url);
    await program.seen(/entered/);
    program.child.kill("SIGTERM");
    await program.seen(/stopping: 1 call in progress/);
    await assert.rejects(knock(url), { code: "ECONNREFUSED" });
    program.child.kill("SIGUSR2");
    const { status, text } = await answer;
    assert.equal(status, 200);
    assert.match(text, /done/);
    assert.deepEqual(await program.ended, { code: 0, signal: null });
    assert.equal(program.stdout, "");
  });

  it("cuts a call that takes longer than drainTimeoutMs, says so, and exits 0", async (context) => {
    const program = start(context, { http, drainTimeoutMs: 50 });
    const answer = postWait(await program.seen(/(http:\S+)/)).catch(() => undefined);
    await program.seen(/entered/);
    program.child.kill("SIGINT");
    assert.deepEqual(await program.ended, { code: 0, signal: null });
    assert.match(program.stderr, /stopped after 50 ms with 1 call still in progress/);
    await answer;
  });

  it("stops at once at a second signal", async (context) => {
    const program = start(context, { http, drainTimeoutMs: 600_000 });
    const answer = postWait(await program.seen(/(http:\S+)/)).catch(() => undefined);
    await program.seen(/entered/);
    program.child.kill("SIGTERM");
    await program.seen(/stopping/);
    program.child.kill("SIGTERM");
    assert.deepEqual(await program.ended, { code: null, signal: "SIGTERM" });
    await answer;
  });

  it("goes on when nobody reads its output any more", async (context) => {
    const program = start(context, { http });
    const url = await program.seen(/(http:\S+)/);
    program.child.stderr?.destroy();
    program.child.stdout?.destroy();
    const answer = postWait(url);
    // The tool prints into the lost stream; only a server that lives can refuse what is no JSON.
    const other = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{" });
    assert.equal(other.status, 400);
    program.child.kill("SIGKILL");
    await assert.rejects(answer);
  });
});

describe("a pipe that is cut by its reader", { skip: withoutSignals }, () => {
  it("does not end a server that is piped into head", async (context) => {
    const folder = createFolder(context, { "server.mjs": waitingServer });
    const words = [process.execPath, ...sourceArgs("x").slice(0, 2), join(folder, "server.mjs")];
    const script = `"$0" "$@" '{"http":{"port":0,"sessions":false}}' 2>&1 | head -n 1`;
    const shell = spawn("/bin/sh", ["-c", `${script}; exec cat`, ...words], {
      stdio: ["pipe", "pipe", "inherit"],
      detached: true,
    });
    context.after(() => process.kill(-(shell.pid ?? 0), "SIGKILL"));
    shell.stdout.setEncoding("utf8");
    const [line] = (await once(shell.stdout, "data")) as [string];
    const url = /(http:\S+)/.exec(line)?.[1] ?? "";
    const answer = postWait(url);
    const other = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{" });
    assert.equal(other.status, 400);
    process.kill(-(shell.pid ?? 0), "SIGUSR2");
    await answer.catch(() => undefined);
  });
});
