// Which values of a public entry have no `@example`. Textual: follows the entry's re-exports to the declaration and
// looks at the docstring above it. Whether an example compiles is not asked here.

import { posix } from "node:path";
import { publicNames } from "./public-names.ts";
import { findDocExamples } from "./snippets.ts";

/** Text of a source file, by its path. */
export type ReadSource = (path: string) => string | undefined;

const reExport = /^export\s+\{([^}]*)\}\s+from\s+"([^"]+)"/gm;
const documented =
  /(\/\*\*(?:(?!\*\/)[\s\S])*\*\/)\s*export\s+(?:declare\s+|abstract\s+|async\s+)*(?:class|const|function)\s*\*?\s+([\w$]+)/g;

/** Values that an entry exports and that no example shows, alphabetically. Types need none: examples of values use them. */
export function findValuesWithoutExample(entry: string, read: ReadSource): string[] {
  return publicNames(read(entry) ?? "").filter((name) => !name.startsWith("type ") && !hasExample(entry, name, read));
}

function hasExample(path: string, name: string, read: ReadSource): boolean {
  const source = read(path);
  if (source === undefined) {
    return false;
  }
  const origin = findOrigin(path, name, source);
  if (origin !== undefined) {
    return hasExample(origin.path, origin.name, read);
  }
  return [...source.matchAll(documented)].some(
    ([, docstring = "", declared]) => declared === name && findDocExamples(path, docstring).length > 0,
  );
}

/** Where a re-exported name comes from, and what it is called there. */
function findOrigin(path: string, name: string, source: string): { path: string; name: string } | undefined {
  for (const [, names = "", from = ""] of source.matchAll(reExport)) {
    for (const item of names.split(",")) {
      const [local, exported = local] = item.trim().split(/\s+as\s+/);
      if (exported === name && local !== undefined) {
        return { path: posix.join(posix.dirname(path), from), name: local };
      }
    }
  }
  return undefined;
}
