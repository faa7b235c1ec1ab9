// The demo's server: a folder over MCP. As a program it serves the folder named first, over stdio, or over HTTP with
// `--port`; it then prints its URL on standard output.

import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { serve } from "parley-mcp/serve";
import { defineServer } from "parley-mcp/server";
import { createChangingTools, createReadingTools } from "./file-tools.ts";
import { createFileTemplate, toResource, toUri } from "./files.ts";
import { Folder } from "./folder.ts";
import { FolderWatch } from "./folder-watch.ts";
import { createPrompts } from "./prompts.ts";
import { createSearchTool } from "./search-tool.ts";

/** What a client needs of the server to have typed tools. */
export type FolderServer = ReturnType<typeof defineFolderServer>;

/** Defines a server for a folder. Its list of files is empty until {@link followFolder} fills it. */
export function defineFolderServer(folder: Folder) {
  const searches = { started: 0, finished: 0, cancelled: 0 };
  return defineServer({
    name: "folder",
    title: "Parley's demo: a folder of files",
    version: "1.0.0",
    instructions: "Search first, then read what was found. Renaming and deleting ask the person by themselves.",
    pageSize: 10,
    tools: {
      search: createSearchTool(folder, searches),
      ...createReadingTools(folder),
      ...createChangingTools(folder),
    },
    resources: {},
    templates: { file: createFileTemplate(folder) },
    prompts: createPrompts(folder),
    methods: { "demo/searches": () => ({ ...searches }) },
  });
}

/** Keeps the server's list of files as the folder is, and tells whoever is subscribed to a file that changed. */
export async function followFolder(app: FolderServer, folder: Folder): Promise<FolderWatch> {
  const watch = new FolderWatch(folder, ({ changed, removed }) => {
    for (const file of changed) {
      app.resources.set(file.path, toResource(folder, file));
      app.notifyResourceUpdated(toUri(file.path));
    }
    for (const path of removed) {
      app.resources.delete(path);
      app.notifyResourceUpdated(toUri(path));
    }
  });
  await watch.start();
  return watch;
}

async function main(args: readonly string[]): Promise<void> {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { port: { type: "string" } },
  });
  const folder = await Folder.open(positionals[0] ?? ".");
  const app = defineFolderServer(folder);
  const watch = await followFolder(app, folder);
  const http = values.port === undefined ? undefined : { port: Number(values.port), retryMs: 200 };
  // Over HTTP the URL on standard output is the banner.
  const { url, closed } = await serve(app, { http, print: http && (() => undefined) });
  if (url !== undefined) {
    console.log(url);
  }
  await closed;
  watch.close();
}

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  });
}
