/**
 * The user agent of a person's own machine: their browser, and a listener on loopback for what comes back.
 *
 * Logins at the same time share the listener. Another program on the port only moves it to the next one of a fixed few.
 * Specification: Basic > Authorization > Communication Security; RFC 8252 section 7.3.
 */
import process from "node:process";
import { linkSignals, raceAbort } from "../../../base/abort.ts";
import { UsageError } from "../../../base/error.ts";
import { toBrowserUrl } from "../../browser-url.ts";
import { type LoopbackHost, LoopbackListener } from "./loopback-listener.node.ts";
import { derivePorts } from "./loopback-port.ts";
import { type OpenOutcome, openBrowser } from "./open-browser.node.ts";
import type { Redirection, UserAgent } from "./user-agent.ts";

/** Options of {@link createLoopbackAgent}. */
export interface LoopbackAgentOptions {
  /** Name of the program. The port is derived from it, and is the same at every start. */
  clientName: string;
  /**
   * How the listener is named in the redirect address. Default `127.0.0.1`; `localhost`, for authorization servers that
   * know only that name, listens on both address families.
   */
  host?: LoopbackHost | undefined;
  /** The port to listen on, 1 to 65535; 0 is any free one. Default: one of five that are derived from the name. */
  port?: number | undefined;
  /**
   * Opens the page. `false` only prints the link. A function does it in its own way; what it throws is printed with the
   * link. Default: the browser of the person, where there is one.
   */
  openBrowser?: boolean | ((url: string, signal: AbortSignal) => void | Promise<void>) | undefined;
  /** Shows a text to the person. Default: a line on standard error. */
  print?: ((text: string) => void) | undefined;
}

/**
 * A user agent that opens the person's browser and listens on loopback for the answer.
 *
 * The link is printed instead where there is no browser, where opening fails, and where another process opened the page
 * already. Waiting keeps the process alive.
 * Specification: Basic > Authorization > Security Considerations.
 *
 * @throws {@link UsageError} for a port that is none; {@link AuthorizationError}, later, where no port is free
 *
 * @example
 * ```ts
 * import { createLoopbackAgent } from "parley-mcp/auth/client/node";
 *
 * export const agent = createLoopbackAgent({ clientName: "notes", print: (text) => process.stderr.write(`${text}\n`) });
 * ```
 */
export function createLoopbackAgent(options: LoopbackAgentOptions): UserAgent {
  return new LoopbackAgent(options);
}

class LoopbackAgent implements UserAgent {
  readonly #host: LoopbackHost;
  readonly #ports: readonly number[];
  readonly #open: (url: string, signal: AbortSignal) => Promise<OpenOutcome>;
  readonly #print: (text: string) => void;
  /** Settles when the port of earlier logins is free. */
  #closed: Promise<void> = Promise.resolve();
  /** The listener of all logins that are in progress, and how many they are. */
  #shared: { readonly listener: Promise<LoopbackListener>; users: number } | undefined;

  constructor({ clientName, host = "127.0.0.1", port, openBrowser: open, print }: LoopbackAgentOptions) {
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
      throw new UsageError(`port: expected an integer from 0 to 65535, got ${port}`);
    }
    this.#host = host;
    this.#ports = port === undefined ? derivePorts(clientName) : [port];
    this.#open = toOpen(open);
    this.#print = print ?? ((text) => process.stderr.write(`${text}\n`));
  }

  async prepare(signal: AbortSignal, { issuer }: Parameters<UserAgent["prepare"]>[1] = {}): Promise<Redirection> {
    signal.throwIfAborted();
    const { listener: opening, release } = this.#share();
    try {
      const listener = await raceAbort(opening, signal);
      return {
        redirectUri: listener.toRedirectUri(issuer),
        authorize: (url, login) => this.#authorize(listener, url, login),
        close: release,
      };
    } catch (error) {
      await release();
      throw error;
    }
  }

  async #authorize(
    listener: LoopbackListener,
    url: string,
    { isOpened, state, signal }: Parameters<Redirection["authorize"]>[1],
  ): Promise<string> {
    const page = toBrowserUrl(url);
    const own = linkSignals(signal);
    const answer = listener.wait(state, own.signal);
    const shown = this.#show(page, isOpened, signal);
    try {
      // The answer may come before the opener has ended.
      return await Promise.race([answer, shown.then(() => answer)]);
    } finally {
      own.abort(signal.reason);
    }
  }

  async #show(url: string, isOpened: boolean, signal: AbortSignal): Promise<void> {
    const outcome: OpenOutcome = isOpened
      ? { ok: false, reason: "the page was opened before" }
      : await this.#open(url, signal);
    if (!outcome.ok && !signal.aborted) {
      this.#print(`To log in, open this page in a browser on this machine (${outcome.reason}):\n${url}`);
    }
  }

  #share(): { readonly listener: Promise<LoopbackListener>; readonly release: () => Promise<void> } {
    this.#shared ??= {
      listener: this.#closed.then(() => LoopbackListener.open(this.#host, this.#ports)),
      users: 0,
    };
    const shared = this.#shared;
    shared.users += 1;
    let isReleased = false;
    const release = (): Promise<void> => {
      if (!isReleased) {
        isReleased = true;
        shared.users -= 1;
        if (shared.users === 0) {
          this.#shared = undefined;
          this.#closed = closeOpened(shared.listener);
        }
      }
      return this.#closed;
    };
    return { listener: shared.listener, release };
  }
}

function toOpen(open: LoopbackAgentOptions["openBrowser"]): (url: string, signal: AbortSignal) => Promise<OpenOutcome> {
  if (open === false) {
    return () => Promise.resolve({ ok: false, reason: "no browser is to be opened" });
  }
  if (typeof open !== "function") {
    return (url) => openBrowser(url);
  }
  return async (url, signal) => {
    try {
      await open(url, signal);
      return { ok: true };
    } catch (error) {
      return { ok: false, reason: error instanceof Error ? error.message : String(error) };
    }
  };
}

async function closeOpened(opening: Promise<LoopbackListener>): Promise<void> {
  // One that could not be opened needs no closing; whoever asked for it has the error.
  const listener = await opening.catch(() => undefined);
  await listener?.close();
}
