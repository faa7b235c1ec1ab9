// The search tool: goes through every file, tells how far it is, and stops at once when the caller gives up.

import { setTimeout as pause } from "node:timers/promises";
import { tool } from "parley-mcp/server";
import { z } from "zod";
import type { Folder } from "./folder.ts";
import { decodeIfText } from "./media-types.ts";

const maxHits = 50;
const maxLineLength = 160;

/** How the searches of this process have ended, so that a client can see that a cancelled one has really stopped. */
export interface SearchCounts {
  started: number;
  finished: number;
  cancelled: number;
}

/** Makes the tool. */
export function createSearchTool(folder: Folder, counts: SearchCounts) {
  return tool(
    {
      title: "Search",
      description: "Finds lines that contain a text, whatever the case. Gives at most 50.",
      input: z.object({
        query: z.string().min(1).max(200).describe("The text to look for"),
        pauseMs: z.number().int().min(0).max(1_000).default(0).describe("Wait after each file, to be slow on purpose"),
      }),
      output: z.object({
        files: z.number().int().describe("How many files were searched"),
        hits: z.array(z.object({ path: z.string(), line: z.number().int(), text: z.string() })),
      }),
      annotations: { readOnlyHint: true, openWorldHint: false },
      render: ({ hits }) =>
        hits.map(({ path, line, text }) => `${path}:${line}: ${text}`).join("\n") || "nothing found",
    },
    async ({ query, pauseMs }, ctx) => {
      const { files } = await folder.scan();
      const hits: { path: string; line: number; text: string }[] = [];
      counts.started += 1;
      ctx.log.info({ query, files: files.length }, "search");
      try {
        for (const [index, { path }] of files.entries()) {
          ctx.signal.throwIfAborted();
          const found = findLines(path, decodeIfText((await folder.read(path)) ?? new Uint8Array()), query);
          ctx.log.debug(`${path}: ${found.length} lines`, "search");
          hits.push(...found.slice(0, maxHits - hits.length));
          ctx.progress(index + 1, files.length, path);
          if (pauseMs > 0) {
            await pause(pauseMs, undefined, { signal: ctx.signal });
          }
        }
      } catch (error) {
        counts.cancelled += ctx.signal.aborted ? 1 : 0;
        throw error;
      }
      counts.finished += 1;
      return { files: files.length, hits };
    },
  );
}

function findLines(path: string, text: string | undefined, query: string) {
  const wanted = query.toLowerCase();
  return (text ?? "").split("\n").flatMap((line, index) => {
    const isHit = line.toLowerCase().includes(wanted);
    return isHit ? [{ path, line: index + 1, text: line.trim().slice(0, maxLineLength) }] : [];
  });
}
