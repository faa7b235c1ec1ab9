// The command line of the conformance run as data. Pure: an unknown option throws, with what there is.

import { parseArgs } from "node:util";
import type { Filter, Role } from "./scenario.ts";

/** What to print for `--help` and after a mistake. */
export const usage = `npm run conformance -- [--server] [--client] [--revision <revision>]... [--only <scenario>]... [--verbose]

  --server    only the scenarios that test the server fixture
  --client    only the scenarios that test the client fixture
  --revision  only this revision; may be repeated
  --only      only this scenario; may be repeated
  --verbose   print what the suite and the fixtures say`;

/** The options of one run. */
export interface RunOptions {
  readonly filter: Filter;
  readonly verbose: boolean;
  readonly help: boolean;
}

const options = {
  server: { type: "boolean", default: false },
  client: { type: "boolean", default: false },
  revision: { type: "string", multiple: true },
  only: { type: "string", multiple: true },
  verbose: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

/** Reads the arguments. */
export function parseOptions(args: readonly string[]): RunOptions {
  const { server, client, revision: revisions = [], only = [], verbose, help } = parse(args);
  const roles: readonly Role[] = server === client ? ["server", "client"] : [server ? "server" : "client"];
  return { filter: { roles, revisions, only }, verbose, help };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`, { cause: error });
  }
}
