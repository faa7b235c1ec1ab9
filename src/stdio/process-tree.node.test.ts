import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createProcessTree, type ProcessTools } from "./process-tree.node.ts";

function createTools(platform: NodeJS.Platform, failure?: string) {
  const calls: unknown[][] = [];
  const tools = {
    calls,
    failure,
    running: true as boolean | undefined,
    platform,
    kill: (pid: number, signal: NodeJS.Signals | 0) => {
      calls.push([pid, signal]);
      if (tools.failure !== undefined) {
        throw Object.assign(new Error("kill"), { code: tools.failure });
      }
    },
    hasRunningMember: () => tools.running,
    run: (...call: unknown[]) => calls.push(call),
  };
  return tools satisfies ProcessTools;
}

describe("createProcessTree", () => {
  it("signals the whole group where there are groups [PP-023]", () => {
    const tools = createTools("linux");
    const tree = createProcessTree(50, tools);
    assert.ok(tree.canTerminate && tree.isAlive());
    tree.terminate();
    tree.kill();
    assert.deepEqual(tools.calls, [
      [-50, 0],
      [-50, "SIGTERM"],
      [-50, "SIGKILL"],
    ]);
  });

  it("takes a group that is gone, or has only zombies, for ended [PP-023]", () => {
    const tools = createTools("linux", "ESRCH");
    const tree = createProcessTree(50, tools);
    assert.equal(tree.isAlive(), false);
    tree.kill();
    tools.failure = "EPERM";
    assert.equal(tree.isAlive(), true);
    tools.failure = undefined;
    tools.running = false;
    assert.equal(tree.isAlive(), false);
    tools.running = undefined;
    assert.equal(tree.isAlive(), true);
  });

  it("has taskkill end the tree on Windows, where nobody can be asked to terminate [PP-023]", () => {
    const tools = createTools("win32");
    const tree = createProcessTree(50, tools);
    assert.equal(tree.canTerminate, false);
    tree.terminate();
    assert.deepEqual(tools.calls, []);
    tree.kill();
    tree.kill({ isUrgent: true });
    assert.deepEqual(tools.calls, [
      ["taskkill", ["/pid", "50", "/t", "/f"], false],
      ["taskkill", ["/pid", "50", "/t", "/f"], true],
    ]);
    assert.ok(tree.isAlive());
    tools.failure = "ESRCH";
    assert.equal(tree.isAlive(), false);
  });
});
