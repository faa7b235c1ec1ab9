// The server fixture of the conformance suite, and of anybody's harness: serves every tool, resource and prompt the
// suite expects at http://127.0.0.1:<port>/mcp until it is stopped, and says so in one line on standard error.

import { parseArgs } from "node:util";
import { serve } from "parley-mcp/serve";
import { app } from "./server/app.ts";
import { whenOrphaned } from "./server/orphan.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "3901" } } });
try {
  await serve(app, { http: { port: Number(values.port) }, signal: whenOrphaned() });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
