// The same five-line server, used in one process, as a program over stdio, as a file, and over HTTP.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { ClientSession } from "parley-mcp/client";
import { connect } from "parley-mcp/connect/node";
import app from "./app.ts";

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

async function use(client: ClientSession<typeof app>): Promise<void> {
  assert.deepEqual(await client.tools.add({ a: 1, b: 2 }), { sum: 3 });
  const { content } = await client.callTool("add", { a: 1, b: 2 });
  assert.deepEqual(content, [{ type: "text", text: '{"sum":3}' }]);
  await client.close();
}

await use(await connect(app));
await use(await connect(here("./app.ts")));
await use(await connect({ command: process.execPath, args: [...process.execArgv, here("./stdio.ts")] }));

const server = spawn(process.execPath, [...process.execArgv, here("./http.ts")], {
  env: { ...process.env, PORT: "0" },
  stdio: ["ignore", "pipe", "inherit"],
});
const [url] = await once(createInterface({ input: server.stdout }), "line");
await use(await connect(String(url)));
server.kill();
assert.deepEqual(await once(server, "exit"), [0, null]);
