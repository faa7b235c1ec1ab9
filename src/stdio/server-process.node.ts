/**
 * A server's process from its start to its last descendant's end: how it is spawned, what it prints on standard error,
 * how it exited, how it is shut down. Messages are the business of client.node.ts.
 */
import type { ChildProcess, SpawnOptions } from "node:child_process";
import process from "node:process";
import type { Readable, Writable } from "node:stream";
import spawn from "cross-spawn";
import { createDeferred } from "../base/deferred.ts";
import { hostExit } from "./host-exit.node.ts";
import { createProcessTree, type ProcessTree } from "./process-tree.node.ts";
import { type ShutdownLimits, type ShutdownOutcome, shutDown } from "./shutdown.node.ts";
import { StderrTail } from "./stderr-tail.ts";

/** How a process ended: by itself with a code, or by a signal. */
export interface ProcessExit {
  readonly exitCode: number | undefined;
  readonly exitSignal: string | undefined;
}

/** What to start. */
export interface ProcessStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string>>;
  /** A function gets each line; `capture` only keeps the last ones. */
  readonly stderr: "capture" | "inherit" | "ignore" | ((line: string) => void);
}

/** A server that was started. */
export class ServerProcess {
  /** Resolves when it has exited. */
  readonly exited: Promise<void>;
  /** Resolves when its output has been read to the end, too. */
  readonly closed: Promise<void>;
  readonly #child: ChildProcess;
  readonly #stderr: StderrTail | undefined;
  readonly #tree: ProcessTree;
  readonly #forgetOnHostExit: () => void;
  #exit: ProcessExit | undefined;

  private constructor(child: ChildProcess, pid: number, stderr: StderrTail | undefined) {
    this.#child = child;
    this.#stderr = stderr;
    this.#tree = createProcessTree(pid);
    this.#forgetOnHostExit = hostExit.add(this.#tree);
    const [exited, closed] = [createDeferred(), createDeferred()];
    this.exited = exited.promise;
    this.closed = closed.promise;
    child.once("exit", (code, signal) => {
      this.#exit = { exitCode: code ?? undefined, exitSignal: signal ?? undefined };
      exited.resolve();
    });
    child.once("close", () => closed.resolve());
  }

  /**
   * Starts a process, as leader of its own group where there are groups.
   *
   * @throws what the platform says when it cannot be started
   */
  static async start(start: ProcessStart): Promise<ServerProcess> {
    const { command, args, cwd, env, stderr } = start;
    const isRead = stderr === "capture" || typeof stderr === "function";
    const options: SpawnOptions = {
      env,
      stdio: ["pipe", "pipe", isRead ? "pipe" : stderr],
      detached: process.platform !== "win32",
      windowsHide: true,
    };
    const child = spawn(command, args, cwd === undefined ? options : { ...options, cwd });
    const started = createDeferred();
    child.once("spawn", started.resolve);
    // Stays for good: also later errors, such as a signal that could not be sent, must not reach the process.
    child.on("error", started.reject);
    child.stdin?.on("error", () => undefined);
    if (child.pid === undefined) {
      await started.promise;
      throw new Error("expected a process id from the platform, got none");
    }
    const tail = isRead ? new StderrTail(typeof stderr === "function" ? stderr : undefined) : undefined;
    child.stderr?.on("data", (chunk: Uint8Array) => tail?.push(chunk)).on("end", () => tail?.end());
    const server = new ServerProcess(child, child.pid, tail);
    await started.promise;
    return server;
  }

  /** How it exited, once it has. */
  get exit(): ProcessExit | undefined {
    return this.#exit;
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Its standard input. Errors of it are handled. */
  get stdin(): Writable {
    return required(this.#child.stdin);
  }

  /** Its standard output. */
  get stdout(): Readable {
    return required(this.#child.stdout);
  }

  /** The last lines on its standard error, as far as that is read here. */
  get stderrLines(): readonly string[] {
    return this.#stderr?.lines ?? [];
  }

  /** Ends it and all it started. Nothing is listened to afterwards. */
  async shutDown(limits: ShutdownLimits): Promise<ShutdownOutcome> {
    const { exited } = this;
    const outcome = await shutDown({ tree: this.#tree, exited, endInput: () => this.stdin.end() }, limits);
    this.#forgetOnHostExit();
    // A descendant that left the group may hold the other ends; the host must not wait for it.
    this.#child.stdout?.destroy();
    this.#child.stderr?.destroy();
    this.#child.stdin?.destroy();
    return outcome;
  }
}

function required<Stream>(stream: Stream | null): Stream {
  if (stream === null) {
    throw new Error("expected a pipe to the server's process, got none");
  }
  return stream;
}
