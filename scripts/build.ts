// Builds `dist/` from nothing: code, declarations and maps, then makes sure that every file the package promises is there.

import { chmodSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { gatherDeclarations } from "./declarations.ts";
import { missingFiles } from "./entries.ts";
import { listTree, root } from "./files.ts";
import { isMain, run, tool } from "./program.ts";

async function main(): Promise<void> {
  rmSync(join(root, "dist"), { recursive: true, force: true });
  const { code, output } = await run(tool("tsc"), ["-p", "tsconfig.build.json"]);
  console.log(output);
  if (code === 0) {
    await gatherDeclarations();
  }
  for (const path of listTree(["dist"], /\.node\.js$/)) {
    if (readFileSync(join(root, path), "utf8").startsWith("#!")) {
      chmodSync(join(root, path), 0o755);
    }
  }
  const missing = missingFiles();
  for (const path of missing) {
    console.error(`${path} is promised by package.json and does not exist`);
  }
  console.log(`build: ${listTree(["dist"], /\.js$/).length} modules, ${missing.length} promised files missing`);
  process.exitCode = code !== 0 || missing.length > 0 || !existsSync(join(root, "dist")) ? 1 : 0;
}

if (isMain(import.meta.url)) {
  await main();
}
