import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { hasRunningMember } from "./group-members.node.ts";

describe("hasRunningMember", () => {
  it("tells a running member from a zombie, whatever the program is called [PP-023]", (context) => {
    const root = mkdtempSync(join(tmpdir(), "parley-proc-"));
    context.after(() => rmSync(root, { recursive: true }));
    const write = (pid: number, text: string): void => {
      mkdirSync(join(root, String(pid)));
      writeFileSync(join(root, String(pid), "stat"), text);
    };
    write(10, "10 (node) S 1 10 10 0");
    write(11, "11 (a) Z 1 20) (b) Z 1 20 20 0");
    write(12, "12 (dead) X 1 20 20 0");
    mkdirSync(join(root, "13"));
    mkdirSync(join(root, "self"));
    assert.equal(hasRunningMember(10, root), true);
    assert.equal(hasRunningMember(20, root), false);
    assert.equal(hasRunningMember(30, root), false);
  });

  it("says nothing where there is no such file system", () => {
    assert.equal(hasRunningMember(10, "/no/such/proc"), undefined);
  });
});
