// The processes that share a login: started, listened to, killed and started again, and ended. Who has to log in does so by a
// scripted browser.

import { browse } from "../fixtures/auth/headless-browser.ts";
import { Program, sourceArgs } from "../fixtures/programs.ts";

/** One process, as far as it has told. */
interface Worker {
  readonly name: string;
  readonly program: Program;
  /** How many of its lines were read. */
  read: number;
  /** Whether it has sent a refresh token and has not kept what came of it. */
  isRefreshing: boolean;
}

/** What became of a process that was killed. */
export interface Kill {
  readonly name: string;
  /** Whether it had sent a refresh token and not kept what came of it. */
  readonly cutRefresh: boolean;
}

/** See the head of this file. */
export class Fleet {
  readonly failures: string[] = [];
  readonly kills: Kill[] = [];
  /** Calls that the processes say were answered, of those that ended by themselves. */
  readonly calls = new Map<string, number>();
  slowestMs = 0;
  readonly #url: string;
  readonly #file: string;
  readonly #workers: Worker[] = [];
  readonly #listeners = new Set<(worker: string, line: string) => void>();

  constructor(url: string, file: string) {
    this.#url = url;
    this.#file = file;
  }

  /** Starts the process of a number. Every other one renews only what has ended, and half of them have a session. */
  start(number: number): void {
    const name = String(number);
    const renewAheadMs = number % 2 === 0 ? "60000" : "0";
    const revision = number % 4 < 2 ? [] : ["2025-11-25"];
    const args = sourceArgs("test/endurance/worker.ts", this.#url, this.#file, name, renewAheadMs, ...revision);
    const worker: Worker = { name, program: new Program(process.execPath, args), read: 0, isRefreshing: false };
    this.#workers.push(worker);
    worker.program.child.stdout?.on("data", () => this.#listen(worker));
    worker.program.child.once("close", (code, signal) => this.#bury(worker, code, signal));
  }

  /** Resolves with the name of the process that says a line next, or with nothing when the signal aborts. */
  next(line: string, signal: AbortSignal): Promise<string | undefined> {
    return new Promise((resolve) => {
      const listener = (name: string, said: string): void => {
        if (said === line) {
          end(name);
        }
      };
      const end = (name?: string): void => {
        this.#listeners.delete(listener);
        resolve(name);
      };
      this.#listeners.add(listener);
      signal.addEventListener("abort", () => end(), { once: true });
    });
  }

  /** Kills the process of a name and starts it again when it has ended. */
  async replace(name: string): Promise<void> {
    const worker = this.#workers.find((candidate) => candidate.name === name);
    if (worker === undefined) {
      return;
    }
    this.#workers.splice(this.#workers.indexOf(worker), 1);
    worker.program.child.kill("SIGKILL");
    await worker.program.ended;
    // What it had said before is read by now.
    this.kills.push({ name, cutRefresh: worker.isRefreshing });
    this.start(Number(name));
  }

  /** Ends all processes, each after the call that it is at. */
  async stop(): Promise<void> {
    const programs = this.#workers.map(({ program }) => program);
    for (const { child } of programs) {
      child.stdin?.end();
    }
    await Promise.all(programs.map(({ ended }) => ended));
  }

  #listen(worker: Worker): void {
    const lines = worker.program.stdout.split("\n").slice(0, -1);
    for (const line of lines.slice(worker.read)) {
      this.#take(worker, line);
    }
    worker.read = lines.length;
  }

  #take(worker: Worker, line: string): void {
    const [kind = "", text = ""] = line.split(/ (.*)/s);
    switch (kind) {
      case "open":
        this.#logIn(worker, text);
        break;
      case "refresh":
        worker.isRefreshing = true;
        break;
      case "saved":
        worker.isRefreshing = false;
        break;
      case "failed":
        this.failures.push(`${worker.name}: ${text}`);
        break;
      case "slow":
        this.slowestMs = Math.max(this.slowestMs, Number(text));
        break;
      case "end":
        this.calls.set(worker.name, Number(text));
        break;
    }
    for (const listener of [...this.#listeners]) {
      listener(worker.name, line);
    }
  }

  /** Where nobody listens for the end of a login any more, another process goes on with it. */
  #logIn(worker: Worker, page: string): void {
    browse(page).catch((error: unknown) => {
      if (this.#workers.includes(worker)) {
        this.failures.push(`${worker.name}: login: ${String(error)}`);
      }
    });
  }

  /** A process that is still counted as one of the fleet has to end well. */
  #bury(worker: Worker, code: number | null, signal: string | null): void {
    if (this.#workers.includes(worker) && code !== 0) {
      this.failures.push(`${worker.name}: ended with ${code ?? signal}: ${worker.program.stderr.slice(-500)}`);
    }
  }
}
