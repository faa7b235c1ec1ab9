// Keeps documentation true: fences in pages show regions of examples that run, and every `@example` in a docstring
// compiles under the strict flags: one that imports nothing sees the names its own file exports. Every public value has
// such an example. With `--write` the fences are filled instead of compared.

import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readEntries } from "./entries.ts";
import { findValuesWithoutExample } from "./example-coverage.ts";
import { listTree, readText, readTree, root } from "./files.ts";
import { isMain, run, tool } from "./program.ts";
import { publicNames } from "./public-names.ts";
import { type DocExample, findDocExamples, type Mismatch, syncPage } from "./snippets.ts";

const workFolder = ".cache/doc-examples";

function readIfPresent(path: string): string | undefined {
  return existsSync(join(root, path)) ? readText(path) : undefined;
}

function syncPages(write: boolean): { pages: number; mismatches: Mismatch[] } {
  const paths = [...listTree(["docs"], /\.md$/), ...["README.md"].filter((path) => existsSync(join(root, path)))];
  const mismatches = paths.flatMap((path) => {
    const page = readText(path);
    const synced = syncPage(path, page, readIfPresent);
    if (write && synced.text !== page) {
      writeFileSync(join(root, path), synced.text);
    }
    return synced.mismatches.filter(({ message }) => !(write && message.startsWith("differs")));
  });
  return { pages: paths.length, mismatches };
}

/** The place of an example inside the source it documents. */
function originOf(example: DocExample, lineInBlock: number): string {
  return `${example.path}:${example.line + lineInBlock - 1}`;
}

/** An example that imports nothing is about its neighbours: it sees what the file it stands in exports. */
function prelude(example: DocExample): string {
  if (/^import\b/m.test(example.code)) {
    return "";
  }
  const names = publicNames(readText(example.path));
  return names.length === 0 ? "" : `import { ${names.join(", ")} } from "../../${example.path}"; `;
}

async function compileDocExamples(examples: readonly DocExample[]): Promise<string[]> {
  const folder = join(root, workFolder);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  if (examples.length === 0) {
    return [];
  }
  for (const [index, example] of examples.entries()) {
    writeFileSync(join(folder, `example-${index}.ts`), `${prelude(example)}${example.code}\nexport {};\n`);
  }
  const config = { extends: "../../tsconfig.json", compilerOptions: { noEmit: true }, include: ["."] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const { output, code } = await run(tool("tsc"), ["-p", workFolder, "--pretty", "false"]);
  const failures = output.split("\n").filter((line) => line.trim() !== "");
  if (code === 0) {
    return [];
  }
  return failures.map((line) => {
    const place = /example-(\d+)\.ts\((\d+),\d+\): (.*)$/.exec(line);
    const example = examples[Number(place?.[1])];
    return example === undefined ? line : `${originOf(example, Number(place?.[2]))}  ${place?.[3]}`;
  });
}

/** Public values whose docstring shows no use of them, one line each. */
function listUnshown(): string[] {
  return readEntries().flatMap(({ name, source }) =>
    findValuesWithoutExample(source, readIfPresent).map(
      (value) => `${source}  ${value} of ${name} has no @example; add one to its docstring`,
    ),
  );
}

async function main(write: boolean): Promise<void> {
  const { pages, mismatches } = syncPages(write);
  for (const { path, line, message } of mismatches) {
    console.error(`${path}:${line}  ${message}`);
  }
  const examples = [...readTree(["src"], /(?<!\.test)\.ts$/)].flatMap(([path, source]) =>
    findDocExamples(path, source),
  );
  const failures = [...listUnshown(), ...(await compileDocExamples(examples))];
  for (const failure of failures) {
    console.error(failure);
  }
  console.log(
    `snippets: ${pages} pages, ${mismatches.length} fences out of step; ${examples.length} docstring examples, ${failures.length} errors`,
  );
  process.exitCode = mismatches.length + failures.length === 0 ? 0 : 1;
}

if (isMain(import.meta.url)) {
  await main(process.argv.includes("--write"));
}
