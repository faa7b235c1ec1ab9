// Runs every example: `examples/<story>/main.ts` where there is one, else each `examples/<story>/*.ts` that is
// not a part of another (its name begins with "part-"). An example checks itself and exits with 0 only if all went as it says.

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./files.ts";
import { isMain, nodeArgs, run } from "./program.ts";

const exampleTimeoutMs = 60_000;

/** The files to run, given the files of each story. */
export function chooseExamples(stories: ReadonlyMap<string, readonly string[]>): string[] {
  return [...stories].flatMap(([story, files]) => {
    const programs = files.includes("main.ts")
      ? ["main.ts"]
      : files.filter((file) => file.endsWith(".ts") && !file.startsWith("part-"));
    return programs.sort().map((file) => `examples/${story}/${file}`);
  });
}

function readStories(): Map<string, string[]> {
  const folder = join(root, "examples");
  if (!existsSync(folder)) {
    return new Map();
  }
  const stories = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(stories.map(({ name }) => [name, readdirSync(join(folder, name))]));
}

async function main(): Promise<void> {
  const examples = chooseExamples(readStories());
  let failed = 0;
  for (const example of examples) {
    const started = Date.now();
    const { code, output } = await run(process.execPath, nodeArgs(example), {}, exampleTimeoutMs);
    console.log(`${code === 0 ? "ok" : "FAILED"}  ${example}  ${Date.now() - started} ms`);
    if (code !== 0) {
      failed += 1;
      console.log(output);
    }
  }
  console.log(`examples: ${examples.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 && examples.length > 0 ? 0 : 1;
}

if (isMain(import.meta.url)) {
  await main();
}
