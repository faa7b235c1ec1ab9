// What the compiler of a user has to read for one import: few files, none of them missing.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { describe, it } from "node:test";
import { readEntries } from "../../scripts/entries.ts";
import { readText, root } from "../../scripts/files.ts";

const maxDeclarationFiles = 60;

/** All declaration files of this package that an entry reaches. */
function reachable(entry: string): Set<string> {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) {
      return;
    }
    seen.add(path);
    for (const [, specifier] of readText(path).matchAll(/(?:from|import\()\s*["'](\.[^"']+)["']/g)) {
      visit(posix.join(posix.dirname(path), (specifier ?? "").replace(/\.[jt]s$/, ".d.ts")));
    }
  };
  visit(entry);
  return seen;
}

describe("declarations", () => {
  for (const { name, declarations } of readEntries()) {
    it(`${name} needs fewer than ${maxDeclarationFiles} declaration files [PP-062]`, () => {
      const files = reachable(declarations);
      assert.ok([...files].every((path) => existsSync(`${root}/${path}`)));
      assert.ok(files.size < maxDeclarationFiles, `${files.size} files`);
    });
  }
});
