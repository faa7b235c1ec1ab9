// Reading the repository's own files for the gates: paths are relative to the repository root, with slashes.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

/** Absolute path of the repository. */
export const root: string = resolve(fileURLToPath(new URL("..", import.meta.url)));

/** Paths of all files below the given folders whose path matches, sorted; a folder that is absent has none. */
export function listTree(folders: readonly string[], pattern: RegExp): string[] {
  const found: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory() && entry.name !== "node_modules") {
        visit(path);
      } else if (entry.isFile() && pattern.test(path)) {
        found.push(path);
      }
    }
  };
  for (const folder of folders) {
    if (existsSync(join(root, folder))) {
      visit(folder);
    }
  }
  return found.sort();
}

/** The same files with their text. */
export function readTree(folders: readonly string[], pattern: RegExp): Map<string, string> {
  return new Map(listTree(folders, pattern).map((path) => [path, readText(path)]));
}

/** The text of one file given by its path from the repository root. */
export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
