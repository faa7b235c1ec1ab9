import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { describe, it } from "node:test";
import { runFixture } from "../../test/fixtures/stdio/open-link.ts";
import { HostExit, type HostProcess } from "./host-exit.node.ts";
import type { ProcessTree } from "./process-tree.node.ts";

class FakeHost extends EventEmitter implements HostProcess {
  readonly pid = 1;
  readonly raised: string[] = [];

  kill(_pid: number, signal: NodeJS.Signals): void {
    this.raised.push(signal);
  }
}

function createTree() {
  const kills: unknown[] = [];
  const tree: ProcessTree = {
    canTerminate: true,
    isAlive: () => true,
    terminate: () => undefined,
    kill: (options) => kills.push(options),
  };
  return { tree, kills };
}

describe("HostExit", () => {
  it("kills every tree at once when the host exits [PP-023]", () => {
    const host = new FakeHost();
    const exit = new HostExit(host);
    const [first, second] = [createTree(), createTree()];
    exit.add(first.tree);
    exit.add(second.tree)();
    host.emit("exit");
    assert.deepEqual(first.kills, [{ isUrgent: true }]);
    assert.deepEqual(second.kills, []);
  });

  it("kills the trees and lets the signal do its work where nobody else listens [PP-023]", () => {
    const host = new FakeHost();
    const { tree, kills } = createTree();
    new HostExit(host).add(tree);
    host.emit("SIGINT");
    assert.equal(kills.length, 1);
    assert.deepEqual(host.raised, ["SIGINT"]);
    assert.equal(host.listenerCount("SIGINT"), 0);
  });

  it("leaves the signal to others who listen, and is gone before they count listeners", () => {
    const host = new FakeHost();
    const { tree, kills } = createTree();
    let counted: number | undefined;
    host.on("SIGTERM", () => {
      counted = host.listenerCount("SIGTERM");
    });
    new HostExit(host).add(tree);
    host.emit("SIGTERM");
    assert.equal(counted, 1);
    assert.deepEqual([kills, host.raised], [[], []]);
    host.emit("exit");
    assert.equal(kills.length, 1);
  });

  it("listens only while there is a tree, once for all of them", () => {
    const host = new FakeHost();
    const exit = new HostExit(host);
    const removals = Array.from({ length: 20 }, () => exit.add(createTree().tree));
    for (const name of ["exit", "SIGINT", "SIGTERM", "SIGHUP"]) {
      assert.equal(host.listenerCount(name), 1);
    }
    for (const remove of removals) {
      remove();
      remove();
    }
    assert.deepEqual(host.eventNames(), []);
  });
});

describe("hostExit", () => {
  for (const way of ["exit", "throw", "SIGINT", "SIGTERM"] as const) {
    it(`leaves no detached server behind when the host ends by ${way} [PP-023]`, async (context) => {
      const { command, args } = runFixture("host.ts", way);
      const host = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
      let printed = "";
      host.stdout.on("data", (chunk: unknown) => {
        printed += String(chunk);
        if (printed.endsWith("]\n") && (way === "SIGINT" || way === "SIGTERM")) {
          host.kill(way);
        }
      });
      // Each process of the server holds the host's standard error: it ends when the last of them has.
      const ended = once(host.stderr.resume(), "close");
      const [code, signal] = await once(host, "exit");
      assert.deepEqual(
        [code, signal],
        { exit: [0, null], throw: [1, null], SIGINT: [null, way], SIGTERM: [null, way] }[way],
      );
      const pids: number[] = JSON.parse(printed);
      assert.equal(pids.length, 3);
      const timer = setTimeout(() => host.stderr.destroy(new Error("a process of the server is left")), 5_000);
      context.after(() => clearTimeout(timer));
      await ended;
    });
  }
});
