/**
 * Entry "./connect/node": what connect.ts takes, and commands and files, which run in a process of their own.
 */
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { UsageError } from "../base/error.ts";
import type { ClientSession } from "../client/sessions/session.ts";
import type { Channel } from "../jsonrpc/link.ts";
import { createStdioChannel, type StdioChannel, type StdioChannelOptions } from "../stdio/client.node.ts";
import type { ConnectOptions as PortableOptions } from "./connect.ts";
import { assertFile } from "./load-definition.node.ts";
import { describeOpening, explainOpening, type Opening } from "./open-error.ts";
import { runnerArguments } from "./runner.node.ts";
import { splitCommand } from "./split-command.ts";
import {
  createAddressError,
  lacksScheme,
  type Reached,
  type ReachOptions,
  reach,
  resolveClient,
  type Servable,
  type Target,
} from "./target.ts";

/** Files that Node, or a loader for it, runs. */
const sourceForm = /\.[cm]?[jt]sx?$/;

/** A program to start: its command and arguments, or everything `createStdioChannel` takes. */
export type CommandTarget = StdioChannelOptions;

/** Options of `connect`. */
export interface ConnectOptions extends PortableOptions {
  /** For commands and files: environment, working folder, standard error, time to end. */
  stdio?: Omit<StdioChannelOptions, "command" | "args"> | undefined;
}

/**
 * Opens a session with a server.
 *
 * A text is a URL (`https://...`), a path to a server's source file (`./server.ts`), or a command with its arguments
 * (`npx -y some-server`), which is split at spaces outside quotes and never goes through a shell.
 *
 * @param target - a text as above, a URL, `{ command, args }`, a server definition in this process, a link or a channel
 * @throws {@link UsageError}, {@link TimeoutError}, {@link ServerProcessError}, or what the link throws. Everything
 * opened has been closed by then.
 * @example
 * ```ts
 * import { connect } from "parley-mcp/connect/node";
 *
 * export async function add(a: number, b: number): Promise<unknown> {
 *   const client = await connect("npx -y @modelcontextprotocol/server-everything");
 *   try {
 *     return (await client.callTool("get-sum", { a, b })).content;
 *   } finally {
 *     await client.close();
 *   }
 * }
 * ```
 */
export function connect<App extends Servable>(target: App, options?: ConnectOptions): Promise<ClientSession<App>>;
export function connect<App = unknown>(
  target: CommandTarget | Target,
  options?: ConnectOptions,
): Promise<ClientSession<App>>;
export async function connect<App>(
  target: CommandTarget | Target,
  options: ConnectOptions = {},
): Promise<ClientSession<App>> {
  const { client, http, auth, stdio, ...session } = options;
  const command = toCommand(target);
  const [{ link, ...known }, opening] =
    command === undefined ? openPortably(target as Target, { http, auth }) : openCommand({ ...stdio, ...command });
  try {
    return await resolveClient(client).connect<App>(link, { ...known, ...session });
  } catch (error) {
    throw explainOpening(error, opening);
  }
}

function openPortably(target: Target, options: ReachOptions): readonly [Reached, Opening] {
  return [reach(target, options), describeOpening(target)];
}

/** A program that ends on a question it does not know is started once more. */
function openCommand(start: StdioChannelOptions): readonly [Reached, Opening] {
  let channel: StdioChannel | undefined;
  let starts = 0;
  const link = (): Channel => {
    channel = createStdioChannel(start);
    starts += 1;
    return channel;
  };
  const stderrLines = (): readonly string[] => channel?.stderrLines ?? [];
  return [{ link }, { place: `"${start.command}"`, starts: () => starts, stderrLines }];
}

/** The program that a target names; `undefined` for what is no program. */
function toCommand(target: unknown): StdioChannelOptions | undefined {
  if (target instanceof URL) {
    return target.protocol === "file:" ? toFileCommand(fileURLToPath(target)) : undefined;
  }
  if (typeof target !== "string") {
    return isCommand(target) ? target : undefined;
  }
  if (/^https?:/i.test(target)) {
    return undefined;
  }
  if (/^file:/i.test(target)) {
    return toFileCommand(fileURLToPath(target));
  }
  return sourceForm.test(target) && existsSync(target) ? toFileCommand(target) : toOtherCommand(target);
}

function isCommand(target: unknown): target is StdioChannelOptions {
  return typeof target === "object" && target !== null && "command" in target && typeof target.command === "string";
}

/** Runs a source file. That it is none is better said here than by the process that cannot load it. */
function toFileCommand(path: string): StdioChannelOptions {
  assertFile(path);
  if (!sourceForm.test(path)) {
    throw new UsageError(`${path}: expected a source file that ends in .js, .mjs, .ts or the like`);
  }
  return { command: process.execPath, args: runnerArguments(path) };
}

function toOtherCommand(text: string): StdioChannelOptions {
  const { command, args } = splitCommand(text);
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(command) || (lacksScheme(text) && !existsSync(text))) {
    throw createAddressError(text, "; a path, or a command with its arguments, is taken as well");
  }
  if (args.length === 0 && sourceForm.test(command)) {
    assertFile(command);
  }
  return { command, args };
}
