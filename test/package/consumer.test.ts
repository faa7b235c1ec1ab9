// A user's compiler accepts the package: installed as published, declarations checked and not skipped, under both
// ways of resolving modules, and the portable entries also where there is a browser and no node.

import assert from "node:assert/strict";
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { type Entry, readEntries } from "../../scripts/entries.ts";
import { root } from "../../scripts/files.ts";
import { run, tool } from "../../scripts/program.ts";

const folder = ".cache/consumer";
const strict = { strict: true, noEmit: true, skipLibCheck: false, target: "es2023" };
const importAll = (entries: readonly Entry[]): string =>
  entries.map(({ name }, index) => `import * as e${index} from "${name}";\nexport { e${index} };\n`).join("");

const cases = [
  { title: "nodenext", nodeOnly: true, options: { module: "nodenext", types: ["node"], lib: ["es2023"] } },
  {
    title: "a bundler",
    nodeOnly: true,
    options: { module: "esnext", moduleResolution: "bundler", types: ["node"], lib: ["es2023"] },
  },
  {
    title: "a browser",
    nodeOnly: false,
    options: { module: "esnext", moduleResolution: "bundler", types: [], lib: ["es2023", "dom"] },
  },
] as const;

describe("installed package", () => {
  before(() => {
    const installed = join(root, folder, "node_modules/parley-mcp");
    rmSync(join(root, folder), { recursive: true, force: true });
    mkdirSync(installed, { recursive: true });
    for (const part of ["package.json", "dist", "src"]) {
      cpSync(join(root, part), join(installed, part), { recursive: true });
    }
    writeFileSync(join(root, folder, "package.json"), JSON.stringify({ type: "module" }));
  });

  for (const { title, nodeOnly, options } of cases) {
    it(`type-checks in a project for ${title} [PP-062]`, async () => {
      const name = title.replaceAll(" ", "-");
      const entries = readEntries().filter((entry) => nodeOnly || !entry.nodeOnly);
      writeFileSync(join(root, folder, `${name}.ts`), importAll(entries));
      const config = { compilerOptions: { ...strict, ...options }, files: [`${name}.ts`] };
      writeFileSync(join(root, folder, `tsconfig.${name}.json`), JSON.stringify(config));
      const { output } = await run(tool("tsc"), ["-p", `${folder}/tsconfig.${name}.json`]);
      assert.equal(output, "");
    });
  }
});
