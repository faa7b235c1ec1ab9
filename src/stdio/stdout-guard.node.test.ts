import assert from "node:assert/strict";
import { Console } from "node:console";
import { PassThrough } from "node:stream";
import { describe, it } from "node:test";
import type { Diagnostic } from "../base/diagnostic.ts";
import { guardStdout } from "./stdout-guard.node.ts";

function createGuarded() {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const diagnostics: Diagnostic[] = [];
  const original = stdout.write;
  const release = guardStdout(stdout, stderr, (diagnostic) => diagnostics.push(diagnostic));
  return { stdout, stderr, diagnostics, original, release };
}

describe("guardStdout", () => {
  it("sends what others write to standard error [STDIO-005] [PP-029]", async () => {
    const { stdout, stderr } = createGuarded();
    new Console(stdout).log("from a console");
    await new Promise<void>((resolve) => {
      stdout.write("text", () => resolve());
    });
    stdout.write(" latin\n", "latin1");
    stdout.write(new Uint8Array([0x62, 0x0a]));
    assert.equal(stdout.read(), null);
    assert.equal(String(stderr.read()), "from a console\ntext latin\nb\n");
  });

  it("names each place that prints once, and what it printed [PP-029]", () => {
    const { stdout, diagnostics } = createGuarded();
    for (let index = 0; index < 3; index += 1) {
      new Console(stdout).log(`stray ${index}`);
    }
    stdout.write("other");
    assert.equal(diagnostics.length, 2);
    assert.match(
      diagnostics[0]?.message ?? "",
      /^expected only messages on standard output, got "stray 0" \(src\/stdio\/stdout-guard\.node\.test\.ts:\d+\); it was kept off/,
    );
    assert.match(
      JSON.stringify(diagnostics[1]?.detail),
      /^\{"place":"src\/stdio\/stdout-guard\.node\.test\.ts:\d+"\}$/,
    );
  });

  it("cuts what is long and survives stacks formatted by others", (context) => {
    const { stdout, diagnostics } = createGuarded();
    const prepare = Error.prepareStackTrace;
    context.after(() => {
      Error.prepareStackTrace = prepare;
    });
    Error.prepareStackTrace = (_error, sites) => sites;
    stdout.write("y".repeat(100_000));
    assert.match(diagnostics[0]?.message ?? "", /got "y{80}\.\.\." \(unknown place\)/);
  });

  it("lets nobody end the stream", async () => {
    const { stdout, stderr } = createGuarded();
    await new Promise<void>((resolve) => {
      stdout.end("goodbye", resolve);
    });
    assert.equal(stdout.writableEnded, false);
    assert.equal(String(stderr.read()), "goodbye");
  });

  it("puts the stream back, unless somebody replaced it since", () => {
    const { stdout, original, release } = createGuarded();
    release();
    assert.equal(stdout.write, original);
    const other = createGuarded();
    const foreign = (): boolean => true;
    other.stdout.write = foreign;
    other.release();
    assert.equal(other.stdout.write, foreign);
  });
});
