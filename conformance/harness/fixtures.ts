// Starting the fixtures as anybody's harness would: the server as a process that names its URL on standard error, the
// client as a command line to which the suite appends a URL. Both run on the Node that runs this.

import { type ChildProcess, spawn } from "node:child_process";
import { root } from "../../scripts/files.ts";
import { nodeArgs } from "../../scripts/program.ts";

const startTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;

/** The command line of the client fixture, for a shell. */
export function clientCommand(): string {
  return [process.execPath, ...nodeArgs("conformance/everything-client.ts")].map(quote).join(" ");
}

/** The first whole URL in a text that may still grow. */
export function findUrl(text: string): string | undefined {
  return /\bhttps?:\/\/\S+(?=\s)/.exec(text)?.[0];
}

/** The server fixture as a process; it never outlives the one that started it. */
export class ServerFixture {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  readonly #kill = (): void => {
    this.#child.kill("SIGKILL");
  };
  #output = "";
  #fault: string | undefined;
  #tell: () => void = () => undefined;

  /** Starts it on a free port. */
  constructor() {
    const args = nodeArgs("conformance/everything-server.ts", "--port", "0");
    const child = spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        this.#output += text;
        this.#tell();
      });
    }
    this.#ended = new Promise((resolve) => {
      const end = (fault: string): void => {
        this.#fault ??= fault;
        process.off("exit", this.#kill);
        this.#tell();
        resolve();
      };
      child.once("error", ({ message }) => end(message));
      child.once("close", (code, signal) => end(`ended with ${signal ?? `code ${code}`}`));
    });
    process.once("exit", this.#kill);
  }

  /** What it has written so far. */
  get output(): string {
    return this.#output.trimEnd();
  }

  /** How it ended, if it has. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /**
   * The endpoint it names.
   *
   * @throws Error with what it wrote when it ends or names none in time
   */
  async url(): Promise<string> {
    const timer = setTimeout(this.#kill, startTimeoutMs);
    const url = await new Promise<string | undefined>((resolve) => {
      this.#tell = () => {
        const found = findUrl(this.#output);
        if (found !== undefined || this.#fault !== undefined) {
          resolve(found);
        }
      };
      this.#tell();
    });
    clearTimeout(timer);
    if (url === undefined || this.#fault !== undefined) {
      throw new Error(`the server fixture named no URL; it ${this.#fault}:\n${this.output}`);
    }
    return url;
  }

  /**
   * Ends it as a process manager would; resolves when it has ended.
   *
   * @throws Error when it had to be killed
   */
  async stop(): Promise<void> {
    let wasKilled = false;
    const timer = setTimeout(() => {
      wasKilled = this.#child.kill("SIGKILL");
    }, stopTimeoutMs);
    this.#child.kill("SIGTERM");
    await this.#ended;
    clearTimeout(timer);
    if (wasKilled) {
      throw new Error(`the server fixture did not end within ${stopTimeoutMs} ms of SIGTERM`);
    }
  }
}

function quote(part: string): string {
  return /^[\w./:=@-]+$/.test(part) ? part : `"${part}"`;
}
