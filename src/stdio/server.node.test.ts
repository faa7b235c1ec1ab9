import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { describe, it } from "node:test";
import { createPeer, openFixture, runFixture } from "../../test/fixtures/stdio/open-link.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { ClosedError, type McpError, UsageError } from "../base/error.ts";
import type { ChannelProblem } from "../jsonrpc/link.ts";
import { MessageTooLargeError } from "../jsonrpc/too-large.ts";
import { createStdioServerChannel, type StdioServerChannelOptions } from "./server.node.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" } as const;

async function openChannel(options: StdioServerChannelOptions = {}) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  const messages: unknown[] = [];
  const problems: ChannelProblem[] = [];
  const ends: (McpError | undefined)[] = [];
  const diagnostics: Diagnostic[] = [];
  const channel = createStdioServerChannel({
    ...streams,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    ...options,
  });
  await channel.open({
    message: (value) => messages.push(value),
    malformed: (problem) => problems.push(problem),
    closed: (fault) => ends.push(fault),
  });
  return { ...streams, channel, messages, problems, ends, diagnostics };
}

/** Resolves behind the events that streams put off. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

describe("createStdioServerChannel", () => {
  it("reads and writes one message per line [STDIO-002] [STDIO-003]", async () => {
    const { channel, stdin, stdout, messages } = await openChannel();
    stdin.write(`${JSON.stringify(ping)}\n${JSON.stringify(ping)}\r\n{"jsonrpc":`);
    stdin.write('"2.0","method":"x"}\n');
    await nextTurn();
    assert.deepEqual(messages, [ping, ping, { jsonrpc: "2.0", method: "x" }]);
    const result = { text: "line\nbreak" };
    void channel.send({ jsonrpc: "2.0", id: 1, result });
    void channel.send({ jsonrpc: "2.0", id: 2, result });
    await nextTurn();
    const lines = String(stdout.read()).split("\n");
    assert.deepEqual(
      lines.map((line) => (line === "" ? "" : JSON.parse(line).id)),
      [1, 2, ""],
    );
    await channel.close();
  });

  it("ends once, in order, when its input ends, and when it closes [PP-022] [STDIO-011]", async () => {
    const ending = await openChannel();
    ending.stdin.end(JSON.stringify(ping));
    await once(ending.stdin, "end");
    await nextTurn();
    assert.deepEqual(ending.messages, [ping]);
    await ending.channel.close();
    assert.deepEqual(ending.ends, [undefined]);
    const closing = await openChannel();
    closing.stdin.destroy();
    await nextTurn();
    assert.deepEqual(closing.ends, [undefined]);
    assert.throws(() => closing.channel.send(ping), ClosedError);
  });

  it("ends at once when its input had ended before it was opened [PP-022]", async () => {
    const stdin = new PassThrough();
    stdin.destroy();
    assert.deepEqual((await openChannel({ stdin })).ends, [undefined]);
  });

  it("ends with the fault of its input or output, and survives later ones [PP-020] [PP-022]", async () => {
    const reading = await openChannel();
    reading.stdin.destroy(new Error("EIO"));
    await nextTurn();
    assert.match(reading.ends[0]?.message ?? "", /standard input failed: EIO/);
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error("EPIPE")) });
    const writing = await openChannel({ stdout });
    void writing.channel.send(ping);
    await nextTurn();
    assert.equal(writing.ends.length, 1);
    assert.match(writing.ends[0]?.message ?? "", /stopped reading: EPIPE/);
    stdout.emit("error", new Error("EPIPE"));
    writing.stdin.emit("error", new Error("EIO"));
    await writing.channel.close();
    assert.equal(writing.ends.length, 1);
  });

  it("aborts handlers and fails waiting calls when its input ends [PP-022] [LIFE-021]", async () => {
    const stdin = new PassThrough();
    const link = createPeer(createStdioServerChannel({ stdin, stdout: new PassThrough(), stderr: new PassThrough() }));
    let signal: AbortSignal | undefined;
    await link.start({
      dispatch: (_message, exchange) => {
        signal = exchange.signal;
        return new Promise(() => undefined);
      },
    });
    const call = link.request({ method: "roots/list" });
    stdin.end(`${JSON.stringify(ping)}\n`);
    await assert.rejects(call, ClosedError);
    assert.ok(signal?.reason instanceof ClosedError);
    assert.equal(await link.closed, undefined);
  });

  it("answers what is no message and reads on [PP-026] [PP-028]", async () => {
    const { stdin, problems, messages } = await openChannel({ maxMessageBytes: 100 });
    stdin.write(
      `{"jsonrpc":"2.0","id":3,"method":"x","params":"${"y".repeat(200)}"}\n\xff{\n${JSON.stringify(ping)}\n`,
    );
    await nextTurn();
    assert.deepEqual(
      problems.map(({ error, id, isResponse }) => [error.code, id, isResponse]),
      [
        [-32600, 3, false],
        [-32700, undefined, undefined],
      ],
    );
    assert.deepEqual(messages, [ping]);
  });

  it("refuses to send what is over the limit and sends nothing of it [PP-026]", async () => {
    const { channel, stdout } = await openChannel({ maxMessageBytes: 100 });
    const message = { jsonrpc: "2.0", id: 1, result: { text: "é".repeat(50) } } as const;
    assert.throws(() => channel.send(message), MessageTooLargeError);
    await nextTurn();
    assert.equal(stdout.read(), null);
  });

  it("makes senders wait while the client does not read", async () => {
    const stdout = new PassThrough({ highWaterMark: 10 });
    const { channel } = await openChannel({ stdout });
    void channel.send(ping);
    await nextTurn();
    const waiting = channel.send(ping);
    assert.ok(waiting instanceof Promise);
    const written: unknown[] = [];
    stdout.on("data", (chunk: unknown) => written.push(chunk));
    await waiting;
    assert.equal(Buffer.concat(written as Buffer[]).toString(), `${JSON.stringify(ping)}\n`.repeat(2));
  });

  it("keeps foreign output off the wire while it is open, and not longer [STDIO-005] [PP-029]", async () => {
    const { channel, stdout, stderr, diagnostics } = await openChannel();
    stdout.write("stray\n");
    void channel.send(ping);
    await nextTurn();
    assert.equal(String(stdout.read()), `${JSON.stringify(ping)}\n`);
    assert.equal(String(stderr.read()), "stray\n");
    assert.match(diagnostics[0]?.message ?? "", /server\.node\.test\.ts:\d+/);
    await channel.close();
    stdout.write("free");
    assert.equal(String(stdout.read()), "free");
  });

  it("lets foreign output through when told to", async () => {
    const { stdout, diagnostics } = await openChannel({ guardStdout: false });
    stdout.write("stray\n");
    assert.equal(String(stdout.read()), "stray\n");
    assert.deepEqual(diagnostics, []);
  });

  it("lets go of its streams when closed", async () => {
    const { channel, stdin, stdout } = await openChannel();
    await channel.close();
    assert.ok(stdin.isPaused());
    for (const [stream, names] of [
      [stdin, ["data", "end", "close"]],
      [stdout, ["drain", "close"]],
    ] as const) {
      const bare = new PassThrough();
      for (const name of names) {
        assert.equal(stream.listenerCount(name), bare.listenerCount(name), name);
      }
    }
  });

  it("is opened once", async () => {
    const { channel } = await openChannel();
    const receiver = { message: () => undefined, malformed: () => undefined, closed: () => undefined };
    await assert.rejects(channel.open(receiver), UsageError);
    assert.throws(() => createStdioServerChannel({ maxMessageBytes: Number.NaN }), UsageError);
  });

  it("serves a process's own streams: prints go to standard error with their place [STDIO-005] [PP-026] [PP-029]", async () => {
    const { channel, diagnostics, link, request } = await openFixture("guarded-server.ts");
    assert.equal((await request("print")).text, "ok");
    await assert.rejects(request("big"), /message too large: expected at most 50000 bytes/);
    const params = { text: "日本 😀\n" };
    assert.deepEqual((await request("echo", params)).params, params);
    assert.deepEqual(diagnostics, []);
    await link.close();
    const printed = channel.stderrLines.join("\n");
    assert.match(
      printed,
      /MCP_D_STDOUT_GUARDED .*"stray from console\.log" \(test\/fixtures\/stdio\/guarded-server\.ts:\d+\)/,
    );
    assert.match(printed, /stray from write/);
    assert.match(printed, /closed in order$/);
  });

  it("lets its process leave when the host is killed outright [PP-022]", async () => {
    const { command, args } = runFixture("guarded-server.ts");
    const start = `require("node:child_process").spawn(${JSON.stringify(command)}, ${JSON.stringify(args)}, { stdio: ["pipe", "ignore", "inherit"] }); setInterval(() => {}, 1000);`;
    const host = spawn(process.execPath, ["-e", start], { stdio: ["ignore", "ignore", "pipe"] });
    const said: string[] = [];
    // The pipe ends when the last process that holds it has ended, which is the server.
    for await (const chunk of host.stderr) {
      said.push(String(chunk));
      if (said.join("").includes("ready")) {
        host.kill("SIGKILL");
      }
    }
    assert.match(said.join(""), /ready\nclosed in order\n$/);
  });
});
