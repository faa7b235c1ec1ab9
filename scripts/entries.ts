// The public entries of the package, read from the exports map of package.json: the one place where they are written.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readText, root } from "./files.ts";

/** One subpath of the package and the files behind it, as paths from the repository root. */
export interface Entry {
  /** What a user imports, such as `parley-mcp/http/client`. */
  readonly name: string;
  readonly source: string;
  readonly declarations: string;
  readonly code: string;
  /** True when the entry may use node's modules; decided by the name of its source file. */
  readonly nodeOnly: boolean;
}

interface Manifest {
  readonly name: string;
  readonly bin: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
}

const expectedConditions = ["parley-mcp", "types", "default"];

/** Every subpath, in the order of the exports map; conditions other than the three agreed ones throw. */
export function readEntries(manifest: Manifest = readManifest()): Entry[] {
  return Object.entries(manifest.exports).flatMap(([subpath, target]) => {
    if (typeof target === "string") {
      return [];
    }
    const conditions = Object.keys(target);
    if (conditions.join() !== expectedConditions.join()) {
      throw new Error(
        `exports["${subpath}"]: expected conditions ${expectedConditions.join()}, got ${conditions.join()}`,
      );
    }
    const [source, declarations, code] = Object.values(target).map((path) => path.replace(/^\.\//, ""));
    if (source === undefined || declarations === undefined || code === undefined) {
      return [];
    }
    const name = subpath === "." ? manifest.name : `${manifest.name}${subpath.slice(1)}`;
    return [{ name, source, declarations, code, nodeOnly: source.endsWith(".node.ts") }];
  });
}

/** Files that the package promises, entries and programs, and that are not there; empty after a complete build. */
export function missingFiles(): string[] {
  const manifest = readManifest();
  const promised = readEntries(manifest).flatMap(({ source, declarations, code }) => [source, declarations, code]);
  const programs = Object.values(manifest.bin).map((path) => path.replace(/^\.\//, ""));
  return [...promised, ...programs].filter((path) => !existsSync(join(root, path)));
}

function readManifest(): Manifest {
  return JSON.parse(readText("package.json")) as Manifest;
}
