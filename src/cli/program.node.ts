/** The commands of `parley` as the command-line parser sees them. What they do is in a file of their own each. */
import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError } from "commander";
import { run } from "./run.node.ts";

/** What the exit codes mean, for every page of help. */
const exitCodes = "\nExit codes:\n  0  fine\n  1  wrong usage\n  2  the server could not be started";

const runHelp = `
Examples:
  parley run server.ts
  parley run server.js --http 3000

TypeScript needs Node 22.18 or newer, or tsx installed beside the file.`;

/** Makes the parser with all commands. */
export function createProgram(): Command {
  const program = new Command("parley")
    .description("Servers and clients of the Model Context Protocol.")
    .version(readVersion())
    .showHelpAfterError("(--help shows what is expected)")
    .addHelpText("after", exitCodes);
  program
    .command("run")
    .description("Serve a file whose default export is a server definition.")
    .argument("<file>", "module that exports what defineServer returns")
    .option("--http <port>", "serve over Streamable HTTP on this port instead of stdio; 0 takes a free one", parsePort)
    .option("--host <address>", "with --http: address to listen on (default: 127.0.0.1, this machine only)")
    .option("--path <path>", "with --http: path of the endpoint (default: /mcp)", parsePath)
    .option(
      "--allow-host <name>",
      "with --http: a host name to be reached by, once for each (default: those of this machine)",
      (name: string, before: readonly string[] | undefined) => [...(before ?? []), name],
    )
    .addHelpText("after", `${runHelp}\n${exitCodes}`)
    .action(run);
  return program;
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) {
    throw new InvalidArgumentError("Expected a number from 0 to 65535.");
  }
  return port;
}

function parsePath(text: string): string {
  if (!/^\/[^?#\s]*$/.test(text)) {
    throw new InvalidArgumentError("Expected a path that begins with a slash, such as /mcp.");
  }
  return text;
}

function readVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
