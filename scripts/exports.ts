// Compares the names every entry exports with the committed list, so that each change of the public surface shows in a
// diff. `--accept` rewrites the list.

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readEntries } from "./entries.ts";
import { readText, root } from "./files.ts";
import { isMain } from "./program.ts";
import { diffNames, formatNames, publicNames } from "./public-names.ts";

/** The committed list. */
export const exportsList = "test/package/exports.txt";

/** Names of every entry, in the order of the exports map. */
export function readEntryNames(): Map<string, string[]> {
  return new Map(readEntries().map(({ name, source }) => [name, publicNames(readText(source))]));
}

/** Differences between the committed list and the entries, one line each. */
export function compareExports(): string[] {
  const committed = existsSync(join(root, exportsList)) ? readText(exportsList) : "";
  return diffNames(committed, formatNames(readEntryNames()));
}

if (isMain(import.meta.url)) {
  if (process.argv.includes("--accept")) {
    writeFileSync(join(root, exportsList), formatNames(readEntryNames()));
  }
  const differences = compareExports();
  for (const line of differences) {
    console.error(line);
  }
  console.log(`exports: ${differences.length} differences from ${exportsList}`);
  process.exitCode = differences.length === 0 ? 0 : 1;
}
