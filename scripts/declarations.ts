// Gathers the declarations that the compiler wrote, one file a source, into one file an entry and a few that entries
// share: the compiler of a user reads a dozen files, not a hundred, and a class shared by two entries stays one class.

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";
import { readEntries } from "./entries.ts";
import { listTree, root } from "./files.ts";

const isPackage = /^[^./]/;

/** Rewrites the declarations under `dist/` in place. */
export async function gatherDeclarations(): Promise<void> {
  const entries = readEntries().map(({ declarations }) => declarations);
  const input = Object.fromEntries(entries.map((path) => [path.replace(/^dist\/|\.d\.ts$/g, ""), join(root, path)]));
  const bundle = await rolldown({
    cwd: root,
    input,
    external: (id) => isPackage.test(id) && !id.startsWith(root),
    plugins: [dts({ dtsInput: true, sourcemap: false })],
  });
  // Everything has been read before anything is written over it.
  const { output } = await bundle.generate({
    entryFileNames: "[name].ts",
    chunkFileNames: ({ name }) => `declarations/${name.replace(/\.d$/, "")}.d.ts`,
  });
  await bundle.close();
  for (const path of listTree(["dist"], /\.d\.ts(\.map)?$/)) {
    rmSync(join(root, path));
  }
  for (const file of output) {
    const path = join(root, "dist", file.fileName);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file.type === "chunk" ? withReferences(file.code) : file.source);
  }
}

/** A user's compiler may have been told of fewer libraries than the code was written with. */
function withReferences(code: string): string {
  return /\bAsyncDisposable\b|Symbol\.asyncDispose/.test(code)
    ? `/// <reference lib="esnext.disposable" />\n${code}`
    : code;
}
