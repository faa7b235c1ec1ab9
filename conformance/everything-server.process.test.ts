import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, it } from "node:test";
import { root } from "../scripts/files.ts";
import { nodeArgs } from "../scripts/program.ts";
import { findUrl } from "./harness/fixtures.ts";

describe("everything-server", () => {
  it("names its URL in one line, and stops with the shell that npm started it in", {
    skip: process.platform === "win32" ? "there is no shell between npm and the fixture to lose" : false,
  }, async () => {
    const command = [process.execPath, ...nodeArgs("conformance/everything-server.ts", "--port", "0")].join(" ");
    // The second command keeps the shell from being replaced by the first.
    const shell = spawn("/bin/sh", ["-c", `${command}; true`], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    let written = "";
    shell.stdout.resume();
    shell.stderr.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
    // The pipes are the fixture's too, so the shell's are closed once both have ended.
    const closed = once(shell, "close");
    await once(shell.stderr, "data");
    const url = findUrl(written) ?? "";
    assert.ok(url.endsWith("/mcp"), written);
    shell.kill("SIGTERM");
    await closed;
    assert.equal(written.trimEnd().split("\n").length, 1, written);
    await assert.rejects(fetch(url));
  });
});
