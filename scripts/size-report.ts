// Prints what a user's bundle weighs, minified and gzipped, for the combinations people deploy, and fails above the
// budgets in sizes.json. Whole entries are counted, nothing shaken out, so real bundles are smaller. Needs a build.

import { bundle } from "./bundle.ts";
import { readEntries } from "./entries.ts";
import { readText } from "./files.ts";
import { isMain } from "./program.ts";

interface Budget {
  readonly entries: readonly string[];
  readonly maxGzipBytes: number;
}

async function main(): Promise<void> {
  const budgets = JSON.parse(readText("scripts/sizes.json")) as Record<string, Budget>;
  const known = new Map(readEntries().map((entry) => [entry.name, entry]));
  let over = 0;
  for (const [name, { entries, maxGzipBytes }] of Object.entries(budgets)) {
    const parts = entries.map((entry) => {
      const found = known.get(entry);
      if (found === undefined) {
        throw new Error(`scripts/sizes.json: "${entry}" is no entry of this package`);
      }
      return found;
    });
    const { gzipBytes, inputs } = await bundle(
      parts.map(({ code }) => code),
      { nodeOnly: parts.some(({ nodeOnly }) => nodeOnly) },
    );
    const fits = gzipBytes <= maxGzipBytes;
    over += fits ? 0 : 1;
    console.log(
      `${fits ? "ok  " : "OVER"}  ${name.padEnd(16)}${gzipBytes} of ${maxGzipBytes} bytes gzipped, ${inputs.length} modules`,
    );
  }
  console.log(`sizes: ${over} over budget`);
  process.exitCode = over === 0 ? 0 : 1;
}

if (isMain(import.meta.url)) {
  await main();
}
