import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { describe, it } from "node:test";
import { promisify } from "node:util";
import { openFixture, runFixture } from "../../test/fixtures/stdio/open-link.ts";
import { createDeferred } from "../base/deferred.ts";
import { ClosedError, UsageError } from "../base/error.ts";
import type { ChannelProblem, ChannelReceiver } from "../jsonrpc/link.ts";
import { MessageTooLargeError } from "../jsonrpc/too-large.ts";
import { createStdioChannel, ServerProcessError } from "./client.node.ts";
import { hasRunningMember } from "./group-members.node.ts";

const quick = { stdinTimeoutMs: 100, termTimeoutMs: 2_000, killTimeoutMs: 2_000 };

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return hasRunningMember(pid) !== false;
  } catch {
    return false;
  }
}

function createReceiver(): ChannelReceiver & { readonly end: Promise<unknown>; readonly problems: ChannelProblem[] } {
  const ended = createDeferred<unknown>();
  const problems: ChannelProblem[] = [];
  return {
    end: ended.promise,
    problems,
    message: () => undefined,
    malformed: (problem) => problems.push(problem),
    closed: ended.resolve,
  };
}

describe("createStdioChannel", () => {
  it("starts a server, talks over its pipes and ends it by closing its input [STDIO-001] [STDIO-010] [STDIO-012]", async () => {
    const { channel, link, request } = await openFixture("raw-server.ts");
    const params = { text: "日本\nß \u2028 😀" };
    assert.deepEqual(await request("echo", params), params);
    assert.ok(channel.pid !== undefined && isRunning(channel.pid));
    await link.close();
    assert.ok(!isRunning(channel.pid));
    assert.equal(await link.closed, undefined);
  });

  it("keeps UTF-8 whatever the locale [STDIO-004]", async () => {
    const { link, request } = await openFixture("raw-server.ts", [], { env: { LANG: "C", LC_ALL: "C" } });
    assert.deepEqual(await request("echo", { text: "日本 😀" }), { text: "日本 😀" });
    await link.close();
  });

  it("writes nothing but one message per line to the server [STDIO-003] [STDIO-006]", async () => {
    const { link, request } = await openFixture("raw-server.ts");
    await Promise.all(Array.from({ length: 20 }, (_, index) => request("echo", { text: `line\nbreak\r\n${index}` })));
    const { lines } = await request("lines");
    assert.equal((lines as string[]).length, 21);
    for (const line of lines as string[]) {
      assert.equal(JSON.parse(line).jsonrpc, "2.0");
    }
    await link.close();
  });

  it("gives the server its variables but none of the host's secrets [PP-031]", async (context) => {
    process.env.PARLEY_TEST_SECRET = "hidden";
    context.after(() => delete process.env.PARLEY_TEST_SECRET);
    const { link, request } = await openFixture("raw-server.ts", [], { env: { GIVEN: "yes" } });
    const { env } = (await request("env")) as { env: Record<string, string> };
    assert.equal(env.GIVEN, "yes");
    assert.equal(env.PATH, process.env.PATH);
    assert.equal(env.PARLEY_TEST_SECRET, undefined);
    await link.close();
  });

  it("skips, counts and reports what is no message and stays connected [PP-029]", async () => {
    const { channel, diagnostics, link, request } = await openFixture("raw-server.ts");
    await request("print", { text: `Server started!\n42\n{"level":30,"msg":"log"}\n${"more\n".repeat(10)}` });
    assert.deepEqual(await request("echo", { a: 1 }), { a: 1 });
    assert.equal(channel.strayLineCount, 13);
    assert.deepEqual(
      diagnostics.map(({ detail }) => (detail as { line: string }).line),
      ["Server started!", "42", '{"level":30,"msg":"log"}', "more", "more"],
    );
    assert.equal(((await request("lines")) as { lines: string[] }).lines.length, 3);
    await link.close();
    assert.match(diagnostics.at(-1)?.message ?? "", /^13 lines/);
  });

  it("fails only the request whose answer is too large [PP-026]", async () => {
    const { link, request } = await openFixture("raw-server.ts", [], { maxMessageBytes: 100_000 });
    const [big, small] = await Promise.allSettled([request("big", { size: 1_000_000 }), request("echo", { a: 1 })]);
    assert.equal(big.status, "rejected");
    assert.match(String(big.reason), /message too large: expected at most 100000 bytes, got 1000\d\d\d/);
    assert.equal(small.status, "fulfilled");
    await assert.rejects(request("echo", { text: "x".repeat(100_000) }), MessageTooLargeError);
    assert.deepEqual(await request("echo", { a: 2 }), { a: 2 });
    await link.close();
  });

  it("receives an answer of 10 MiB", async () => {
    const { link, request } = await openFixture("raw-server.ts");
    const { text } = await request("big", { size: 10 * 1_048_576 });
    assert.equal((text as string).length, 10 * 1_048_576);
    await link.close();
  });

  it("takes nothing on standard error for a failure, however much [STDIO-007] [STDIO-008] [STDIO-009]", async () => {
    const heard: string[] = [];
    const variants = ["capture", "ignore", (line: string) => heard.push(line) && undefined] as const;
    for (const stderr of variants) {
      const { channel, diagnostics, link, request } = await openFixture("raw-server.ts", [], { stderr });
      await request("stderr", { text: `ERROR: ${"x".repeat(990)}\n`, times: 2_000 });
      await request("stderr", { text: "FATAL the end ß\n", times: 1 });
      assert.deepEqual(await request("echo", { a: 1 }), { a: 1 });
      assert.deepEqual(diagnostics, []);
      await link.close();
      assert.equal(channel.stderrLines.length, stderr === "ignore" ? 0 : 50);
      assert.equal(channel.stderrLines.at(-1), stderr === "ignore" ? undefined : "FATAL the end ß");
    }
    assert.equal(heard.length, 2_001);
  });

  it("lets what the server writes on standard error through to the host's, where it is inherited [STDIO-008]", async () => {
    const { command, args } = runFixture("inheriting-host.ts", "Zeile ß\n", "ERROR: no failure\n");
    const { stdout, stderr } = await promisify(execFile)(command, args);
    assert.equal(stderr, "Zeile ß\nERROR: no failure\n");
    assert.deepEqual(JSON.parse(stdout), { stderrLines: [], diagnostics: [] });
  });

  it("tells exit code, command and last lines of a server that exits at once [PP-025]", async () => {
    const { link, request } = await openFixture("raw-server.ts", ["--fail"]);
    const call = request("initialize");
    await assert.rejects(call, (error: unknown) => {
      assert.ok(error instanceof ClosedError && error.cause instanceof ServerProcessError);
      const { cause } = error;
      assert.equal(cause.exitCode, 3);
      assert.equal(cause.exitSignal, undefined);
      assert.equal(cause.command, process.execPath);
      assert.deepEqual(cause.stderrLines, ["reading the configuration", "cannot find demo.json"]);
      assert.match(error.message, /exited with code 3.*cannot find demo\.json/s);
      return true;
    });
    assert.ok((await link.closed) instanceof ServerProcessError);
    await assert.rejects(request("echo"), ClosedError);
    await link.close();
  });

  it("fails waiting calls when the server exits or is killed [STDIO-011] [LIFE-021] [PP-025]", async () => {
    const first = await openFixture("raw-server.ts");
    await assert.rejects(first.request("exit", { code: 0 }), /exited with code 0/);
    const second = await openFixture("raw-server.ts");
    await second.request("echo");
    process.kill(second.channel.pid ?? 0, "SIGKILL");
    await assert.rejects(second.request("never"), ClosedError);
    assert.equal(((await second.link.closed) as ServerProcessError).exitSignal, "SIGKILL");
  });

  it("takes a closed output for the end of the session, and ends the process [STDIO-011]", async () => {
    const { channel, link, request } = await openFixture("raw-server.ts", ["--ignore-eof"], { shutdown: quick });
    await assert.rejects(request("close-stdout"), /closed its pipes/);
    await link.close();
    assert.ok(channel.pid !== undefined && !isRunning(channel.pid));
  });

  it("fails waiting calls promptly when closed [LIFE-021]", async () => {
    const { link, request } = await openFixture("raw-server.ts");
    const call = request("never");
    const closing = link.close();
    await assert.rejects(call, ClosedError);
    await closing;
  });

  it("terminates a server that ignores the end of its input, and kills one that ignores that too [STDIO-010]", async () => {
    for (const flags of [["--ignore-eof"], ["--ignore-eof", "--ignore-term"]]) {
      const shutdown = { ...quick, termTimeoutMs: flags.length === 1 ? 10_000 : 100 };
      const { channel, link, request } = await openFixture("raw-server.ts", flags, { shutdown });
      await request("echo");
      await link.close();
      assert.ok(channel.pid !== undefined && !isRunning(channel.pid));
    }
  });

  it("leaves no descendant behind, when closed and when the server dies [PP-023]", async () => {
    for (const end of ["close", "exit"]) {
      const shutdown = { stdinTimeoutMs: 50, termTimeoutMs: 50, killTimeoutMs: 2_000 };
      const { channel, link, request } = await openFixture("raw-server.ts", ["--children"], { shutdown });
      const { pids } = (await request("descendants")) as { pids: number[] };
      assert.equal(pids.length, 2);
      if (end === "exit") {
        await assert.rejects(request("exit", { code: 1 }));
      }
      await link.close();
      assert.notEqual(hasRunningMember(channel.pid ?? 0), true);
    }
  });

  it("rejects opening a command that does not exist, and says what to check [PP-025]", async () => {
    const receiver = createReceiver();
    const channel = createStdioChannel({ command: "parley-no-such-command" });
    await assert.rejects(channel.open(receiver), (error: unknown) => {
      assert.ok(error instanceof ServerProcessError);
      assert.equal(error.command, "parley-no-such-command");
      assert.match(error.message, /ENOENT.*check its spelling/);
      return true;
    });
    assert.ok((await receiver.end) instanceof ServerProcessError);
    await channel.close();
    const elsewhere = createStdioChannel({ command: process.execPath, cwd: "/no/such/folder" });
    await assert.rejects(elsewhere.open(createReceiver()), /working directory "\/no\/such\/folder" does not exist/);
    const broken = createStdioChannel({ command: "" });
    await assert.rejects(broken.open(createReceiver()), ServerProcessError);
  });

  it("shows what will run before it runs, and starts nothing when that throws [SEC-021]", async () => {
    const refusal = new Error("not approved");
    const { command, args } = runFixture("raw-server.ts", "--flag with space");
    let shown: unknown;
    const channel = createStdioChannel({
      command,
      args,
      onStart: async (start) => {
        shown = start;
        throw refusal;
      },
    });
    await assert.rejects(channel.open(createReceiver()), refusal);
    assert.deepEqual(shown, { command, args, cwd: undefined });
    assert.equal(channel.pid, undefined);
  });

  it("starts nothing under a signal that has aborted, stops waiting for approval, and closes on abort", async () => {
    const reason = new Error("enough");
    const never = createStdioChannel({ ...runFixture("raw-server.ts"), signal: AbortSignal.abort(reason) });
    await assert.rejects(never.open(createReceiver()), reason);
    assert.equal(never.pid, undefined);
    const asking = new AbortController();
    const unapproved = createStdioChannel({
      ...runFixture("raw-server.ts"),
      signal: asking.signal,
      onStart: () => new Promise(() => undefined),
    });
    const opening = unapproved.open(createReceiver());
    asking.abort(reason);
    await assert.rejects(opening, reason);
    const controller = new AbortController();
    const { channel, link, request } = await openFixture("raw-server.ts", [], { signal: controller.signal });
    await request("echo");
    controller.abort(reason);
    assert.equal(await link.closed, undefined);
    await channel.close();
    assert.ok(channel.pid !== undefined && !isRunning(channel.pid));
  });

  it("leaves no process when closed while it starts", async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const server = { command: process.execPath, args: ["-e", "process.stdin.resume()"] };
      const channel = createStdioChannel({ ...server, shutdown: quick });
      const opening = channel.open(createReceiver());
      for (let turn = 0; turn < turns; turn += 1) {
        await undefined;
      }
      await Promise.all([channel.close(), assert.rejects(opening, ClosedError)]);
      assert.ok(channel.pid === undefined || !isRunning(channel.pid));
      assert.throws(() => channel.send({ jsonrpc: "2.0", method: "late" }), ClosedError);
    }
  });

  it("explains options that cannot be used", () => {
    assert.throws(() => createStdioChannel({ command: "x", maxMessageBytes: 0 }), UsageError);
    assert.throws(() => createStdioChannel({ command: "x", envMode: "all" as "inherit" }), UsageError);
  });
});
