/**
 * Entry "./serve": a definition served over stdio or HTTP as a program, with a banner, signals and an orderly end.
 *
 * For servers inside other programs there are `parley-mcp/http/node`, `parley-mcp/http/server` and `app.serve`.
 */
import process from "node:process";
import { onAbort } from "../base/abort.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { ClosedError, UsageError } from "../base/error.ts";
import { holdingClock } from "../base/timer.ts";
import { type ListenOptions, listen } from "../http/node/handler.node.ts";
import type { Server } from "../server/server.ts";
import { createStdioServerChannel, type StdioServerChannelOptions } from "../stdio/server.node.ts";
import { settledWithin } from "../stdio/shutdown.node.ts";
import type { Store } from "../store/contracts.ts";
import { openStore } from "../store/open.node.ts";
import { describeServer } from "./banner.ts";
import { Connections } from "./connections.node.ts";
import { drain } from "./drain.ts";
import { tolerateLostOutput } from "./lost-output.node.ts";
import { createPrintedReports } from "./printed-reports.ts";
import { RefusingChannel } from "./refusing-channel.ts";

/** How long the last answers may take to be read by a client that has closed our input, in milliseconds. */
const flushTimeoutMs = 500;

/** How long connections that are kept alive may bring one more call before they are ended, in milliseconds. */
const lingerMs = 500;

/** Options of {@link serve}. */
export interface ServeOptions {
  /** Serves over Streamable HTTP instead of stdio; port 3000 on this machine unless it says otherwise. */
  http?: ListenOptions | undefined;
  /** How stdio is served: its streams and limits. What is kept off the wire is printed unless `onDiagnostic` is given. */
  stdio?: StdioServerChannelOptions | undefined;
  /** Revisions that are served, as they go over the wire. Default: all. */
  revisions?: readonly string[] | undefined;
  /**
   * The store that all processes share which serve this definition, so that any of them serves any client: a store, or
   * the address of one for `openStore`, such as `redis://127.0.0.1:6379` or `sqlite:parley.db`. What is opened for an
   * address is closed at the end; in Redis, its keys begin with `parley:` and the name of the server. Default: what the definition has, or else a memory of this process.
   */
  store?: Store | string | undefined;
  /** Stops serving, as a signal of the operating system does. An aborted one serves nothing. */
  signal?: AbortSignal | undefined;
  /**
   * How long calls in progress may go on after a stop was asked for, in milliseconds. Default 10 000. Give a process
   * manager that ends by force more time than that.
   */
  drainTimeoutMs?: number | undefined;
  /**
   * Whether this is what the process is for. Then SIGINT and SIGTERM stop it, a second one at once; when it has
   * stopped, or when the client of a stdio server is gone, the process exits, whatever timers and sockets are left; and
   * it goes on when nobody reads its output. Default true; a process that serves twice says false for one of them.
   */
  ownsProcess?: boolean | undefined;
  /** Where the banner goes, and what had to be cut or kept off the wire. Default: standard error. */
  print?: ((line: string) => void) | undefined;
}

/** A server that runs. */
export interface Served {
  /** Where clients connect; `undefined` over stdio. */
  readonly url: string | undefined;
  /** Resolves when it has stopped. */
  readonly closed: Promise<void>;
  /**
   * Takes no more clients, lets calls in progress end within `drainTimeoutMs`, and stops. Over HTTP new connections are
   * refused from now on, and what is kept alive carries one more answer, so that a balancer goes elsewhere; streams that
   * stand are ended last, and with a store that is shared their clients go on at another process and miss nothing.
   */
  close(): Promise<void>;
}

/** One way of serving, as far as stopping it is concerned. */
interface Running {
  readonly url: string | undefined;
  /** Calls in progress. */
  openCalls(): number;
  /** Connections that may bring another call in the very moment they are ended. */
  idleConnections(): number;
  /** Takes no new connections and calls. */
  refuse(): void;
  end(): Promise<void>;
  readonly ended: Promise<unknown>;
}

/**
 * Serves a definition: over stdio, or over HTTP with `http`.
 *
 * @returns once it is ready
 * @throws {@link UsageError} when the address cannot be had, for options that make no sense, and for a store where the
 *   definition has another; the signal's reason
 * @example
 * ```ts
 * import { serve } from "parley-mcp/serve";
 * import { defineServer } from "parley-mcp/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * await serve(app, { http: { port: 3000 } });
 * ```
 */
export async function serve(app: Server, options: ServeOptions = {}): Promise<Served> {
  const { ownsProcess = true, drainTimeoutMs = 10_000, print = printLine } = options;
  assertOptions(options, drainTimeoutMs);
  options.signal?.throwIfAborted();
  if (ownsProcess) {
    tolerateLostOutput();
  }
  const closeStore = await giveStore(app, options, print);
  const { http, revisions = http?.revisions } = options;
  const onDiagnostic = createPrintedReports(print, Date.now);
  const running =
    http === undefined
      ? serveStdio(app, options, print)
      : await serveHttp(app, { onDiagnostic, ...http, revisions }).catch(async (error: unknown) => {
          await closeStore();
          throw error;
        });
  print(describeServer(app, running.url ?? "stdio", revisions));
  const stopReports = app.reportTo(onDiagnostic);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= stop(running, drainTimeoutMs, print);
    return closing;
  };
  const release = options.signal === undefined ? undefined : onAbort(options.signal, () => void close());
  const forget = ownsProcess ? stopOnSignals(close) : undefined;
  const closed = running.ended.then(async () => {
    release?.();
    stopReports();
    await closing;
    if (ownsProcess) {
      await handOver(app, print);
    }
    await closeStore();
    forget?.();
    if (ownsProcess) {
      process.exit();
    }
  });
  return { url: running.url, closed, close };
}

function assertOptions({ http, stdio }: ServeOptions, drainTimeoutMs: number): void {
  if (http !== undefined && stdio !== undefined) {
    throw new UsageError("serve: expected one of http and stdio, got both: call it once for each");
  }
  if (!(drainTimeoutMs >= 0)) {
    throw new UsageError(`drainTimeoutMs: expected a number from 0, got ${drainTimeoutMs}`);
  }
}

/**
 * Gives the definition its store.
 *
 * @returns closes what was opened for that; never rejects
 */
async function giveStore(
  app: Server,
  { http, store = http?.store }: ServeOptions,
  print: (line: string) => void,
): Promise<() => Promise<void>> {
  if (store === undefined) {
    return async () => undefined;
  }
  // Several servers may be told the same address; each has its own place there.
  const redis = { prefix: `parley:${app.info.name}:` };
  const used = typeof store === "string" ? await openStore(store, { redis }) : store;
  const close = async (): Promise<void> => {
    if (used !== store) {
      await used.close().catch((error: unknown) => print(`the store could not be closed: ${String(error)}`));
    }
  };
  try {
    app.useStore(used);
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}

/** Leaves tasks to other processes, or ends them where none may go on with them. Never rejects. */
async function handOver(app: Server, print: (line: string) => void): Promise<void> {
  await app.close().catch((error: unknown) => print(`the server's tasks could not be ended: ${String(error)}`));
}

function serveStdio(app: Server, { stdio, revisions }: ServeOptions, print: (line: string) => void): Running {
  const onDiagnostic = ({ code, message }: Diagnostic): void => print(`${code}: ${message}`);
  const channel = new RefusingChannel(createStdioServerChannel({ onDiagnostic, ...stdio }));
  const handle = app.serve(channel, { revisions });
  return {
    url: undefined,
    openCalls: () => handle.openRequests.inbound,
    idleConnections: () => 0,
    refuse: () => channel.refuse(),
    end: () => handle.close(),
    // The session is over before its last answers have left the process.
    ended: handle.closed.then(() => settledWithin(handle.close(), flushTimeoutMs, holdingClock)),
  };
}

async function serveHttp(app: Server, options: ListenOptions): Promise<Running> {
  const { server, handler, url, close } = await listen(app, { ...options, port: options.port ?? 3_000 });
  const connections = new Connections(server);
  const ended = new Promise((resolve) => server.once("close", resolve));
  return {
    url,
    openCalls: () => handler.stats().exchanges,
    idleConnections: () => connections.idle,
    refuse: () => connections.refuse(),
    end: async () => {
      await close(new ClosedError("the server was stopped"));
      await handler.closed;
    },
    ended,
  };
}

async function stop(running: Running, drainTimeoutMs: number, print: (line: string) => void): Promise<void> {
  running.refuse();
  const open = running.openCalls();
  if (open > 0) {
    print(`stopping: ${countCalls(open)} in progress may take ${drainTimeoutMs} ms more`);
  }
  // On a clock that holds the process: a call that waits for something outside it must not be cut by its end.
  const lingerUntil = holdingClock.now() + lingerMs;
  const countBusy = (): number =>
    running.openCalls() + (holdingClock.now() < lingerUntil ? running.idleConnections() : 0);
  await drain(countBusy, drainTimeoutMs, holdingClock);
  const cut = running.openCalls();
  if (cut > 0) {
    print(`stopped after ${drainTimeoutMs} ms with ${countCalls(cut)} still in progress`);
  }
  await running.end();
}

function countCalls(count: number): string {
  return `${count} call${count === 1 ? "" : "s"}`;
}

function stopOnSignals(close: () => Promise<void>): () => void {
  const signals = ["SIGINT", "SIGTERM"] as const;
  const forget = (): void => {
    for (const signal of signals) {
      process.off(signal, onSignal);
    }
  };
  // The next signal, of either kind, has its usual effect.
  const onSignal = (): void => {
    forget();
    void close();
  };
  for (const signal of signals) {
    process.on(signal, onSignal);
  }
  return forget;
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
