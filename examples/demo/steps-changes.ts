// The step about what arrives by itself: an update of a file that changed on disk.

import { appendFile } from "node:fs/promises";
import { join } from "node:path";
import { toUri } from "./files.ts";
import type { Walk } from "./walk.ts";

/** See the head of this file. */
export function changeStep(walk: Walk): Promise<void> {
  return walk.transcript.step("subscribe, change a file", () => changeFile(walk));
}

/** Watches a file, writes to it behind the server's back, and waits to be told. */
export async function changeFile({ session, folder, textFile }: Walk): Promise<string> {
  const uri = toUri(textFile);
  const mark = `changed at ${new Date().toISOString()}`;
  let updates = 0;
  let tell: () => void = () => undefined;
  const seen = new Promise<void>((resolve) => {
    tell = resolve;
  });
  await using _subscription = await session.subscribe(
    uri,
    ({ contents = [] }) => {
      updates += 1;
      if (contents.some((part) => "text" in part && part.text.includes(mark))) {
        tell();
      }
    },
    { reread: true },
  );
  await appendFile(join(folder, textFile), `\n${mark}\n`);
  await seen;
  return `${uri} was written to on disk: told ${updates === 1 ? "once" : `${updates} times`}, the new text read`;
}
