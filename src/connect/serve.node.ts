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
import { describeServer } from "./banner.ts";
import { drain } from "./drain.ts";
import { tolerateLostOutput } from "./lost-output.node.ts";
import { RefusingChannel } from "./refusing-channel.ts";

/** How long the last answers may take to be read by a client that has closed our input, in milliseconds. */
const flushTimeoutMs = 500;

/** Options of {@link serve}. */
export interface ServeOptions {
  /** Serves over Streamable HTTP instead of stdio; port 3000 on this machine unless it says otherwise. */
  http?: ListenOptions | undefined;
  /** How stdio is served: its streams and limits. What is kept off the wire is printed unless `onDiagnostic` is given. */
  stdio?: StdioServerChannelOptions | undefined;
  /** Revisions that are served, as they go over the wire. Default: all. */
  revisions?: readonly string[] | undefined;
  /** Stops serving, as a signal of the operating system does. An aborted one serves nothing. */
  signal?: AbortSignal | undefined;
  /** How long calls in progress may go on after a stop was asked for, in milliseconds. Default 10 000. */
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
  /** Takes no more clients and calls, lets calls in progress end within `drainTimeoutMs`, and stops. */
  close(): Promise<void>;
}

/** One way of serving, as far as stopping it is concerned. */
interface Running {
  readonly url: string | undefined;
  /** Calls in progress. */
  openCalls(): number;
  /** Takes no new connections and calls. */
  refuse(): void;
  end(): Promise<void>;
  readonly ended: Promise<unknown>;
}

/**
 * Serves a definition: over stdio, or over HTTP with `http`.
 *
 * @returns once it is ready
 * @throws {@link UsageError} when the address cannot be had, and for options that make no sense; the signal's reason
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
  const { http, revisions = http?.revisions } = options;
  const running = http === undefined ? serveStdio(app, options, print) : await serveHttp(app, { ...http, revisions });
  print(describeServer(app, running.url ?? "stdio", revisions));
  const stopReports = app.reportTo((diagnostic) => printFault(diagnostic, print));
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

function serveStdio(app: Server, { stdio, revisions }: ServeOptions, print: (line: string) => void): Running {
  const onDiagnostic = ({ code, message }: Diagnostic): void => print(`${code}: ${message}`);
  const channel = new RefusingChannel(createStdioServerChannel({ onDiagnostic, ...stdio }));
  const handle = app.serve(channel, { revisions });
  return {
    url: undefined,
    openCalls: () => handle.openRequests.inbound,
    refuse: () => channel.refuse(),
    end: () => handle.close(),
    // The session is over before its last answers have left the process.
    ended: handle.closed.then(() => settledWithin(handle.close(), flushTimeoutMs, holdingClock)),
  };
}

async function serveHttp(app: Server, options: ListenOptions): Promise<Running> {
  const { server, handler, url, close } = await listen(app, { ...options, port: options.port ?? 3_000 });
  const ended = new Promise((resolve) => server.once("close", resolve));
  return {
    url,
    openCalls: () => handler.stats().exchanges,
    refuse: () => {
      // A connection that is kept alive would go on bringing calls.
      server.prependListener("request", (_request, response) => {
        response.shouldKeepAlive = false;
      });
      server.close();
    },
    end: () => close(new ClosedError("the server was stopped")),
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
  const cut = await drain(() => running.openCalls(), drainTimeoutMs, holdingClock);
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

/**
 * What a handler threw is the author's to see. Other diagnostics are not printed: a client could flood the log with
 * them, and an author who wants them gives `onDiagnostic`.
 */
function printFault({ code, message, detail }: Diagnostic, print: (line: string) => void): void {
  if (code === "MCP_D_HANDLER_FAULT") {
    print(`${code}: ${message}${detail instanceof Error ? `\n${detail.stack ?? detail.message}` : ""}`);
  }
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
