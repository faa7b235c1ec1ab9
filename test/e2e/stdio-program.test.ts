// A served program over its real standard streams: what is on them, and when it ends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { runFixture } from "../fixtures/stdio/open-link.ts";
import { within } from "../fixtures/within.ts";

const requests = [
  {
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } },
  },
  { method: "notifications/initialized" },
  { id: 2, method: "tools/call", params: { name: "chat" } },
];

/** Starts the program, sends everything, and gives the lines it printed until its input ended and it exited. */
async function runProgram() {
  const { command, args } = runFixture("served-program.ts");
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "pipe"] });
  const exited = once(child, "exit");
  const errors: string[] = [];
  child.stderr.setEncoding("utf8").on("data", (text: string) => errors.push(text));
  const send = (request: object): boolean => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...request })}\n`);
  const [initialize = {}, ...rest] = requests;
  send(initialize);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (line.includes('"id":1')) {
      rest.forEach(send);
    }
    if (line.includes('"id":2')) {
      child.stdin.end();
    }
  }
  const [code, signal] = await exited;
  return { lines, errors: errors.join(""), code, signal };
}

describe("a program served on stdio", () => {
  it("has nothing but messages on its output, one a line, and ends by itself when its input ends [STDIO-003] [STDIO-005] [STDIO-007] [STDIO-011] [PP-022] [PP-029]", async () => {
    const { lines, errors, code, signal } = await within(runProgram(), "the program", 20_000);
    const messages = lines.map((line) => JSON.parse(line));
    assert.ok(messages.every(({ jsonrpc }) => jsonrpc === "2.0"));
    assert.deepEqual(
      messages.map(({ id, method }) => id ?? method),
      [1, "notifications/message", 2],
    );
    assert.deepEqual(messages[2].result.content, [{ type: "text", text: "line one\nline two" }]);
    assert.match(errors, /stray line/);
    assert.match(errors, /stray write/);
    assert.deepEqual([code, signal], [0, null]);
  });
});
