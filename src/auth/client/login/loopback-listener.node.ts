/**
 * The listener that ends a login: takes what the browser was sent back with, for those who wait for it.
 *
 * Who waits is found by `state`; an answer without one that is waited for gets a page and changes nothing [AUTH-050].
 * What else the answer says is left to whoever asked: the page repeats nothing of it, since nobody has checked yet who
 * it is from [M-AUTH-006]. Only loopback is listened on, and other names for it are refused (DNS rebinding).
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { raceAbort } from "../../../base/abort.ts";
import { createDeferred } from "../../../base/deferred.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";

/** The path of the redirect address, and that of one for a single issuer. */
const callbackPath = "/callback";
const issuerPath = /^\/callback\/[\w-]{22}$/;

/** Names that a listener answers to: the literal address, or the name with both families behind it. */
export type LoopbackHost = "127.0.0.1" | "[::1]" | "localhost";

const addressesOf: Readonly<Record<LoopbackHost, readonly string[]>> = {
  "127.0.0.1": ["127.0.0.1"],
  "[::1]": ["::1"],
  localhost: ["127.0.0.1", "::1"],
};

/** Errors of listening that say the port, or the address family, is not to be had. */
const unavailable: readonly unknown[] = ["EADDRINUSE", "EACCES", "EADDRNOTAVAIL", "EAFNOSUPPORT"];

/** See the head of this file. */
export class LoopbackListener {
  /** The address that is listened at, without a path. */
  readonly #origin: string;
  readonly #servers: readonly Server[];
  readonly #waiting = new Map<string, (answer: string) => void>();

  private constructor(servers: readonly Server[], host: LoopbackHost, port: number) {
    this.#servers = servers;
    this.#origin = `http://${host}:${port}`;
    for (const server of servers) {
      server.on("request", (request, response) => this.#answer(request, response));
    }
  }

  /**
   * Listens on the first port that is free.
   *
   * @param ports - in the order to try; 0 is any
   * @throws AuthorizationError where none is free
   */
  static async open(host: LoopbackHost, ports: readonly number[]): Promise<LoopbackListener> {
    for (const port of ports) {
      const servers = await listenOn(addressesOf[host], port);
      if (servers !== undefined) {
        return new LoopbackListener(servers, host, portOf(servers[0]));
      }
    }
    throw new AuthorizationError(
      `expected a free port on ${host} for the end of the login, but none of ${ports.join(", ")} is; end the program ` +
        "that listens there, or choose another port",
      { stage: "authorization", isTransient: true },
    );
  }

  /**
   * The redirect address.
   *
   * @param issuer - for whom alone it is. The same issuer has the same address at every start; no two share one, so that
   * a hash is needed that cannot be steered
   */
  toRedirectUri(issuer: string | undefined): string {
    const own = issuer === undefined ? "" : `/${createHash("sha256").update(issuer).digest("base64url").slice(0, 22)}`;
    return `${this.#origin}${callbackPath}${own}`;
  }

  /**
   * Waits for the answer with a state.
   *
   * @returns the address that the browser came to, with everything that was appended
   * @throws the signal's reason
   */
  async wait(state: string, signal: AbortSignal): Promise<string> {
    const { promise, resolve } = createDeferred<string>();
    this.#waiting.set(state, resolve);
    try {
      return await raceAbort(promise, signal);
    } finally {
      this.#waiting.delete(state);
    }
  }

  /** Frees the port, and ends connections that browsers hold. */
  async close(): Promise<void> {
    await Promise.all(this.#servers.map(closeServer));
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const target = this.#findTarget(request);
    if (typeof target === "number") {
      sendPage(response, target, "There is nothing here.");
      return;
    }
    const parameters = new URLSearchParams(target.replace(/^[^?]*/, ""));
    const [state, ...others] = parameters.getAll("state");
    const take = state === undefined || others.length > 0 ? undefined : this.#waiting.get(state);
    if (state === undefined || take === undefined) {
      sendPage(response, 400, "This address belongs to no login that is waited for. Go back to the program.");
      return;
    }
    this.#waiting.delete(state);
    // Handed on once the page is out, since that is what closes the listener.
    const handOn = (): void => take(`${this.#origin}${target}`);
    response.once("finish", handOn);
    response.once("close", handOn);
    sendPage(
      response,
      200,
      parameters.has("error")
        ? "The login was not completed. The program says why; you can close this window."
        : "The program goes on from here. You can close this window.",
    );
  }

  /** The path and the query of a callback, or the status for what is none. */
  #findTarget({ method, url = "", headers }: IncomingMessage): string | number {
    if (headers.host?.toLowerCase() !== new URL(this.#origin).host) {
      return 421;
    }
    const path = url.replace(/\?.*$/s, "");
    if (path !== callbackPath && !issuerPath.test(path)) {
      return 404;
    }
    return method === "GET" ? url : 405;
  }
}

/** Servers on all of the addresses that this machine has, or `undefined` where the port is not free on one of them. */
async function listenOn(addresses: readonly string[], port: number): Promise<readonly Server[] | undefined> {
  const servers: Server[] = [];
  for (const address of addresses) {
    const server = createServer();
    const failure = await listenAt(server, address, servers.length === 0 ? port : portOf(servers[0]));
    if (failure === undefined) {
      servers.push(server);
    } else if (servers.length === 0 || failure === "EADDRINUSE") {
      await Promise.all(servers.map(closeServer));
      return undefined;
    }
  }
  return servers;
}

/** The code of the error where the port is not to be had. */
function listenAt(server: Server, address: string, port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      unavailable.includes(error.code) ? resolve(error.code) : reject(error),
    );
    server.listen({ host: address, port, exclusive: true }, () => resolve(undefined));
  });
}

function portOf(server: Server | undefined): number {
  const address = server?.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** A page that loads nothing, runs nothing, tells no other page where it was, and is kept nowhere. */
function sendPage(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
    ...(status === 405 ? { allow: "GET" } : undefined),
  });
  response.end(`<!doctype html><html lang="en"><title>Login</title><p>${text}</p></html>\n`);
}
