import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { credentialPath } from "./credential-path.node.ts";

const folderOf = (path: string): string => path.replace(/[\\/]parley[\\/][^\\/]*$/, "");

describe("credentialPath", () => {
  it("lies in the configuration folder of each system", () => {
    const cases = [
      ["linux", {}, "/home/u/.config"],
      ["linux", { XDG_CONFIG_HOME: "/cfg" }, "/cfg"],
      ["linux", { XDG_CONFIG_HOME: "relative" }, "/home/u/.config"],
      ["darwin", { XDG_CONFIG_HOME: "/cfg" }, "/home/u/Library/Application Support"],
      ["win32", { APPDATA: "C:\\Users\\u\\AppData\\Roaming" }, "C:\\Users\\u\\AppData\\Roaming"],
    ] as const;
    for (const [platform, env, folder] of cases) {
      assert.equal(folderOf(credentialPath("Notes", { platform, env, home: "/home/u" })), folder);
    }
  });

  it("gives programs files of their own, also those whose names look the same, and never leaves the folder", () => {
    const names = ["My App", "my-app", "../../etc/passwd", "con", "日本", "語", "", "a".repeat(500)];
    const paths = names.map((name) => credentialPath(name, { platform: "linux", env: {}, home: "/h" }));
    assert.equal(new Set(paths).size, names.length);
    for (const path of paths) {
      assert.match(path, /^\/h\/\.config\/parley\/[a-z0-9-]{1,60}\.json$/);
    }
  });
});
