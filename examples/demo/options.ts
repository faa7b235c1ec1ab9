// The command line of the demo.

import { parseArgs } from "node:util";

/** What was asked for. */
export interface DemoOptions {
  /** The folder to serve. */
  readonly folder: string;
  /** Whether the server stays up instead of being walked through. */
  readonly serve: boolean;
  readonly stdio: boolean;
  /** For `--serve`; 0 is a free one. */
  readonly port: number;
}

/** What `--help` prints. */
export const usage = `Usage: npm run demo -- [folder] [--stdio] [--serve [--port 3000]]

Serves a folder (docs, unless you name another) over MCP and walks a client through it, on a copy of the folder.

  --stdio   over standard input and output instead of Streamable HTTP
  --serve   serves the folder itself until stopped, for a host to connect to
  --port    where --serve listens on this machine; 3000 unless you say so`;

/**
 * Reads the command line; `undefined` where help was asked for.
 *
 * @param defaultFolder - served where none is named
 * @throws Error for what is no option here
 */
export function parseOptions(args: readonly string[], defaultFolder: string): DemoOptions | undefined {
  const { positionals, values } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      serve: { type: "boolean", default: false },
      stdio: { type: "boolean", default: false },
      port: { type: "string", default: "3000" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) {
    return undefined;
  }
  const port = Number(values.port);
  if (positionals.length > 1 || !Number.isInteger(port) || port < 0 || port > 65_535) {
    const fault = positionals.length > 1 ? `one folder, got ${positionals.join(" ")}` : `a port, got ${values.port}`;
    throw new Error(`expected ${fault}\n\n${usage}`);
  }
  return { folder: positionals[0] ?? defaultFolder, serve: values.serve, stdio: values.stdio, port };
}
