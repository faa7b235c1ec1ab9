// The demo: a real server in a process of its own, and a real client that walks through it. `--help` says the rest.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type ServerPlace, walkThrough } from "./client.ts";
import { describeConnecting } from "./connecting.ts";
import { type DemoOptions, parseOptions, usage } from "./options.ts";
import { copyFolder } from "./working-copy.ts";

const serverFile = fileURLToPath(new URL("./server.ts", import.meta.url));
const defaultFolder = fileURLToPath(new URL("../../docs", import.meta.url));

/** Arguments for Node that run the server as this program was run, from any folder. */
function serverArgs(...args: readonly string[]): string[] {
  const loader = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  return [...process.execArgv.map((flag) => (flag === "tsx" ? loader : flag)), serverFile, ...args];
}

async function startServer(folder: string, port: number): Promise<{ url: string; child: ChildProcess }> {
  const child = spawn(process.execPath, serverArgs(folder, "--port", String(port)), {
    stdio: ["ignore", "pipe", "inherit"],
  });
  // The server does not outlive this process, however early it is stopped.
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => child.kill(signal));
  }
  const lines = createInterface({ input: child.stdout });
  const url = await Promise.race([
    once(lines, "line").then(([line]) => String(line)),
    once(child, "exit").then(() => undefined),
  ]);
  if (url === undefined) {
    throw new Error("the server ended before it was ready; what it said stands above");
  }
  return { url, child };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill();
    await once(child, "exit");
  }
}

/** Serves until stopped. */
async function serveOnly({ folder, stdio, port }: DemoOptions): Promise<void> {
  if (stdio) {
    const child = spawn(process.execPath, serverArgs(folder), { stdio: "inherit" });
    [process.exitCode] = await once(child, "exit");
    return;
  }
  const { url, child } = await startServer(folder, port);
  console.log(describeConnecting(url, folder, [process.execPath, ...serverArgs(folder)]));
  await once(child, "exit");
}

/** Walks a client through a server on a copy of the folder. */
async function walk({ folder, stdio }: DemoOptions): Promise<boolean> {
  const copy = await copyFolder(folder);
  const server = stdio ? undefined : await startServer(copy.folder, 0);
  const place: ServerPlace = server ?? { command: process.execPath, args: serverArgs(copy.folder) };
  try {
    const part = copy.isPart ? " (the rest of the folder was left out)" : "";
    console.log(`A copy of ${folder}: ${copy.fileCount} files${part}, served over ${server?.url ?? "stdio"}\n`);
    return await walkThrough(place, copy, (line) => console.log(line));
  } finally {
    await (server && stop(server.child));
    await copy.remove();
  }
}

async function main(): Promise<void> {
  const options = parseOptions(process.argv.slice(2), defaultFolder);
  if (options === undefined) {
    console.log(usage);
  } else if (options.serve) {
    await serveOnly({ ...options, folder: resolve(options.folder) });
  } else {
    process.exitCode = (await walk({ ...options, folder: resolve(options.folder) })) ? 0 : 1;
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
