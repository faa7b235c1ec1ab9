/**
 * Entry "./stdio/client": a server in a process of its own as a channel.
 *
 * Starting and ending the process is server-process.node.ts; this is about messages, and about telling why they ended.
 */
import { onAbort, raceAbort } from "../base/abort.ts";
import { createDeferred } from "../base/deferred.ts";
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { ClosedError, isMcpError, McpError, type McpErrorOptions, UsageError } from "../base/error.ts";
import { holdingClock } from "../base/timer.ts";
import type { Channel, ChannelProblem, ChannelReceiver } from "../jsonrpc/link.ts";
import type { JsonRpcMessage } from "../jsonrpc/message.ts";
import { createEnvironment, type EnvironmentMode } from "./environment.node.ts";
import { LineWriter } from "./line-writer.node.ts";
import { defaultMaxMessageBytes, encodeLine, MessageReader } from "./ndjson.ts";
import { describeExit, describeStartFailure } from "./process-words.node.ts";
import { type ProcessExit, type ProcessStart, ServerProcess } from "./server-process.node.ts";
import { type ShutdownLimits, settledWithin } from "./shutdown.node.ts";
import { isStray, StrayOutput } from "./stray-output.ts";

/** Exit and the end of the output come in either order; this long one waits for the other, in milliseconds. */
const settleMs = 250;

/** Options of {@link createStdioChannel}. */
export interface StdioChannelOptions {
  /** The program: a path, or a name that is looked up in the server's `PATH`. No shell is involved. */
  command: string;
  /** Its arguments, each passed as it is. */
  args?: readonly string[] | undefined;
  /** Where it runs. Default: where this process runs. */
  cwd?: string | undefined;
  /** Variables for it, over those of `envMode`; `undefined` takes one away. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Which variables of this process it gets: default `safe`, which leaves secrets behind. */
  envMode?: EnvironmentMode | undefined;
  /** What becomes of its standard error. Default `capture`: the last lines are kept. A function gets each line. */
  stderr?: ProcessStart["stderr"] | undefined;
  /** How long each step of closing may take. Default 2 s, 2 s and 1 s. */
  shutdown?: Partial<ShutdownLimits> | undefined;
  /** Largest message in either direction, in bytes. Default 64 MiB. */
  maxMessageBytes?: number | undefined;
  /** Told of lines on its standard output that are no messages, and of processes that cannot be ended. */
  onDiagnostic?: OnDiagnostic | undefined;
  /**
   * Sees exactly what is about to be run, to show it or ask somebody; when it throws, nothing is started.
   * Specification: Security Best Practices > Local MCP Server Compromise.
   */
  onStart?: ((start: Pick<ProcessStart, "command" | "args" | "cwd">) => void | Promise<void>) | undefined;
  /** Gives up starting; afterwards, closes the channel. */
  signal?: AbortSignal | undefined;
}

/** A channel to a server's process. */
export interface StdioChannel extends Channel {
  /** Its process id, once it was started. */
  readonly pid: number | undefined;
  /** The last lines on its standard error, oldest first; none where that is inherited or ignored. */
  readonly stderrLines: readonly string[];
  /** Lines on its standard output that were no messages and were skipped. */
  readonly strayLineCount: number;
}

/**
 * The server's process could not be started, or ended without being asked to. The message says how, with the last
 * lines that it printed. Calls that were waiting fail with a `ClosedError` that has this as its cause.
 *
 * @example
 * ```ts
 * import { ServerProcessError } from "parley-mcp/stdio/client";
 *
 * // The server's own words when it ended, to show to whoever set it up.
 * export function findLastWords(error: Error): readonly string[] {
 *   const fault = error instanceof ServerProcessError ? error : error.cause;
 *   return fault instanceof ServerProcessError ? fault.stderrLines : [];
 * }
 * ```
 */
export class ServerProcessError extends McpError {
  readonly code = "MCP_SERVER_PROCESS";
  /** The program, without its arguments. */
  readonly command: string;
  /** What it exited with, if it did. */
  readonly exitCode: number | undefined;
  /** The signal that ended it, if one did. */
  readonly exitSignal: string | undefined;
  /** The last lines on its standard error, oldest first. */
  readonly stderrLines: readonly string[];

  constructor(
    message: string,
    details: { command: string; stderrLines?: readonly string[] } & Partial<ProcessExit> & McpErrorOptions,
  ) {
    super(message, details);
    this.command = details.command;
    this.exitCode = details.exitCode;
    this.exitSignal = details.exitSignal;
    this.stderrLines = details.stderrLines ?? [];
  }
}

/**
 * Makes a channel to a server that is started when the channel is opened, and ended with everything it started when
 * it is closed. Specification: Basic > Transports > stdio.
 *
 * @throws {@link UsageError} when `maxMessageBytes` or `envMode` cannot be used
 * @example
 * ```ts
 * import { createStdioChannel } from "parley-mcp/stdio/client";
 *
 * const channel = createStdioChannel({
 *   command: "npx",
 *   args: ["-y", "@modelcontextprotocol/server-everything"],
 *   stderr: (line) => process.stderr.write(`server: ${line}\n`),
 * });
 * // hand it to a client
 * ```
 */
export function createStdioChannel(options: StdioChannelOptions): StdioChannel {
  const { maxMessageBytes = defaultMaxMessageBytes } = options;
  if (!(maxMessageBytes > 0)) {
    throw new UsageError(`maxMessageBytes: expected a positive number, got ${maxMessageBytes}`);
  }
  const { command, args = [], cwd, env, envMode = "safe", stderr = "capture" } = options;
  const start = { command, args: [...args], cwd, env: createEnvironment({ mode: envMode, env }), stderr };
  return new ProcessChannel(options, start, maxMessageBytes);
}

class ProcessChannel implements StdioChannel {
  readonly #options: StdioChannelOptions;
  readonly #start: ProcessStart;
  readonly #maxMessageBytes: number;
  readonly #stray: StrayOutput;
  readonly #limits: ShutdownLimits;
  readonly #stop = new AbortController();
  #receiver: ChannelReceiver | undefined;
  #starting: Promise<ServerProcess> | undefined;
  #server: ServerProcess | undefined;
  #writer: LineWriter | undefined;
  #unfollow: (() => void) | undefined;
  /** Settles when the process and all it started are gone. */
  #ended: Promise<void> | undefined;

  constructor(options: StdioChannelOptions, start: ProcessStart, maxMessageBytes: number) {
    this.#options = options;
    this.#start = start;
    this.#maxMessageBytes = maxMessageBytes;
    this.#stray = new StrayOutput(options.onDiagnostic);
    this.#limits = { stdinTimeoutMs: 2_000, termTimeoutMs: 2_000, killTimeoutMs: 1_000, ...options.shutdown };
  }

  get pid(): number | undefined {
    return this.#server?.pid;
  }

  get stderrLines(): readonly string[] {
    return this.#server?.stderrLines ?? [];
  }

  get strayLineCount(): number {
    return this.#stray.count;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    if (this.#receiver !== undefined || this.#ended !== undefined) {
      throw new UsageError("a stdio channel is opened once: expected a new channel, got one that was open before");
    }
    const { signal, onStart } = this.#options;
    const { command, args, cwd } = this.#start;
    this.#receiver = receiver;
    this.#unfollow =
      signal === undefined ? undefined : onAbort(signal, (reason) => void this.#finish(undefined, reason));
    try {
      this.#stop.signal.throwIfAborted();
      await raceAbort(Promise.resolve(onStart?.({ command, args, cwd })), this.#stop.signal);
      this.#stop.signal.throwIfAborted();
      await this.#attach();
      this.#stop.signal.throwIfAborted();
    } catch (error) {
      await this.#finish(isMcpError(error) ? error : undefined);
      throw error;
    }
  }

  send(message: JsonRpcMessage): Promise<void> | undefined {
    if (this.#ended !== undefined) {
      throw new ClosedError("expected an open stdio channel, got one that has ended");
    }
    if (this.#writer === undefined) {
      throw new ClosedError("expected an open stdio channel, got one whose server was not started yet");
    }
    return this.#writer.write(encodeLine(message, this.#maxMessageBytes));
  }

  async close(): Promise<void> {
    await this.#finish(undefined);
  }

  async #attach(): Promise<void> {
    this.#starting = ServerProcess.start(this.#start);
    let server: ServerProcess;
    try {
      server = await this.#starting;
    } catch (cause) {
      throw new ServerProcessError(describeStartFailure(this.#start, cause), { command: this.#start.command, cause });
    }
    this.#server = server;
    this.#writer = new LineWriter(server.stdin);
    const reader = new MessageReader(
      { message: (value) => this.#receive(value), malformed: (problem, line) => this.#receiveMalformed(problem, line) },
      this.#maxMessageBytes,
    );
    const lose = (): void => void this.#lose(server);
    server.stdout
      .on("data", (chunk: Uint8Array) => reader.push(chunk))
      .on("error", lose)
      .on("end", () => {
        reader.end();
        lose();
      });
    server.stdin.on("error", lose);
    void server.exited.then(lose);
  }

  #receive(value: unknown): void {
    if (this.#ended !== undefined) {
      return;
    }
    if (isStray(value)) {
      this.#stray.add(JSON.stringify(value));
    } else {
      this.#receiver?.message(value);
    }
  }

  /** Answering a stray line would write nonsense to the server: only what somebody waits for is passed on. */
  #receiveMalformed(problem: ChannelProblem, line: string): void {
    if (this.#ended !== undefined) {
      return;
    }
    if (problem.id === undefined) {
      this.#stray.add(line);
    } else {
      this.#receiver?.malformed(problem);
    }
  }

  /** The server went, or cut a pipe. What it still had to say is read before the end is announced. */
  async #lose(server: ServerProcess): Promise<void> {
    await settledWithin(server.closed, settleMs, holdingClock);
    const { exit, stderrLines } = server;
    const { command } = this.#start;
    const message = describeExit(command, exit, stderrLines);
    await this.#finish(new ServerProcessError(message, { command, stderrLines, ...exit }));
  }

  #finish(
    fault: McpError | undefined,
    reason: unknown = fault ?? new ClosedError("the channel was closed"),
  ): Promise<void> {
    if (this.#ended === undefined) {
      const ended = createDeferred();
      this.#ended = ended.promise;
      this.#unfollow?.();
      this.#stop.abort(reason);
      this.#writer?.close();
      this.#stray.summarize();
      this.#receiver?.closed(fault);
      void this.#shutDown().then(ended.resolve, ended.reject);
    }
    return this.#ended;
  }

  async #shutDown(): Promise<void> {
    // Where starting failed there is nothing to end, and whoever opened the channel was told.
    const server = await this.#starting?.catch(() => undefined);
    const outcome = await server?.shutDown(this.#limits);
    if (outcome === "surviving") {
      const message = `processes of "${this.#start.command}" (group ${this.pid}) are still there after being killed`;
      this.#options.onDiagnostic?.({ code: "MCP_D_PROCESS_SURVIVES", message });
    }
  }
}
