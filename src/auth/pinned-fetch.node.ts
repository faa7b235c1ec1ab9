/**
 * A `fetch` for Node that looks at the addresses a name resolves to, and connects to those very addresses: a name that
 * leads to a private network is refused, also one that leads there only the second time [SEC-017].
 *
 * Redirects are never followed, schemes and sizes not judged: guarded-fetch.ts does that above it. No connection is reused.
 */
import { lookup as lookupName } from "node:dns/promises";
import { once } from "node:events";
import { type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { PassThrough, pipeline, Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { raceAbort } from "../base/abort.ts";
import { hostScope, isIpLiteral } from "../base/address.ts";
import { isLoopbackHost } from "../base/url.ts";
import { type Fetch, FetchFailure, type FetchInit } from "./fetch.ts";
import { toShownUrl } from "./strict-url.ts";

/** What {@link createPinnedFetch} is made from. */
export interface PinnedFetchOptions {
  /** Whether a host may be at an address that is not public. The address is one of those that it resolves to. */
  readonly allowsPrivate: (hostname: string, address: string, url: URL) => boolean;
  /** All addresses of a name. Default: as the system resolves it. */
  readonly lookup?: ((hostname: string) => Promise<readonly string[]>) | undefined;
}

/**
 * Makes a `fetch` for clients that run on a server and log in to addresses which others name: a name is resolved once,
 * what it resolves to is checked, and the connection goes there and nowhere else.
 * Specification: Security Best Practices > Server-Side Request Forgery.
 *
 * It rejects with a {@link FetchFailure} for an address that is refused, with the signal's reason, and otherwise with what
 * broke the connection.
 *
 * @example
 * ```ts
 * import { createOAuthClient, type Grant } from "parley-mcp/auth/client";
 * import { createPinnedFetch } from "parley-mcp/auth/client/node";
 *
 * export function createHostedClient(grant: Grant, account: string) {
 *   return createOAuthClient({ grant, account, fetch: createPinnedFetch({ allowsPrivate: () => false }) });
 * }
 * ```
 */
export function createPinnedFetch({ allowsPrivate, lookup = lookupAll }: PinnedFetchOptions): Fetch {
  return async (text, init) => {
    init.signal.throwIfAborted();
    const url = new URL(text);
    const hostname = url.hostname.replace(/^\[|\]$/g, "");
    const addresses = isIP(hostname) === 0 ? await raceAbort(lookup(hostname), init.signal) : [hostname];
    const problem = checkAddresses(addresses, hostname, url, allowsPrivate);
    if (problem !== undefined) {
      const shown = toShownUrl(text);
      throw new FetchFailure("private-address", shown, `${init.method} ${shown}: ${problem}`);
    }
    return await send(url, init, addresses);
  };
}

async function lookupAll(hostname: string): Promise<readonly string[]> {
  return (await lookupName(hostname, { all: true })).map(({ address }) => address);
}

/** All of them count: which one the connection ends up with is not known beforehand. */
function checkAddresses(
  addresses: readonly string[],
  hostname: string,
  url: URL,
  allowsPrivate: PinnedFetchOptions["allowsPrivate"],
): string | undefined {
  if (addresses.length === 0) {
    return `expected ${hostname} to resolve to an address, got none`;
  }
  for (const address of addresses) {
    const scope = isIpLiteral(address) ? hostScope(address) : "reserved";
    if (isLoopbackHost(hostname) && scope !== "loopback") {
      return `expected ${hostname} to be this machine, got ${address}`;
    }
    if (scope !== "global" && !allowsPrivate(hostname, address, url)) {
      return `expected a public address, got ${address} (${scope}) for ${hostname}`;
    }
  }
  return undefined;
}

async function send(url: URL, init: FetchInit, addresses: readonly string[]): Promise<Response> {
  const outgoing = (url.protocol === "https:" ? requestHttps : requestHttp)(url, {
    method: init.method,
    headers: { "accept-encoding": "gzip, deflate, br", ...init.headers },
    lookup: pinTo(addresses),
    agent: false,
    signal: init.signal,
  });
  // What goes wrong after the answer has begun, its body tells.
  outgoing.on("error", () => undefined);
  const answered = once(outgoing, "response");
  outgoing.end(init.body);
  try {
    const [incoming] = await answered;
    return toResponse(incoming);
  } catch (error) {
    outgoing.destroy();
    init.signal.throwIfAborted();
    throw error;
  }
}

/** A lookup that knows one answer. */
function pinTo(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (hostname, options, callback) => {
    const [first] = entries;
    if (options.all === true) {
      callback(null, entries);
    } else {
      callback(
        first === undefined ? new Error(`no address for ${hostname}`) : null,
        first?.address ?? "",
        first?.family,
      );
    }
  };
}

const bodilessStatuses: ReadonlySet<number> = /* @__PURE__ */ new Set([204, 205, 304]);

function toResponse(incoming: IncomingMessage): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  const { rawHeaders } = incoming;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  }
  if (bodilessStatuses.has(status)) {
    incoming.resume();
    return new Response(null, { status, headers });
  }
  const decoders = createDecoders(headers.get("content-encoding") ?? "");
  if (decoders.length > 0) {
    headers.delete("content-encoding");
    headers.delete("content-length");
  }
  const body = new PassThrough();
  // Whatever breaks on the way is passed on to the body, and whoever lets go of the body ends the connection.
  pipeline([incoming, ...decoders, body], () => undefined);
  // Without the strategy thousands of chunks are read ahead.
  const stream = Readable.toWeb(body, { strategy: { highWaterMark: 1 } });
  return new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>, { status, headers });
}

/** What undoes the codings of a body, the last one first; nothing where one of them is unknown. */
function createDecoders(encoding: string): NodeJS.ReadWriteStream[] {
  const codings = encoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity")
    .reverse();
  const known = codings.length <= 2 && codings.every((coding) => decoders.has(coding));
  return known ? codings.flatMap((coding) => decoders.get(coding)?.() ?? []) : [];
}

const decoders: ReadonlyMap<string, () => NodeJS.ReadWriteStream> = /* @__PURE__ */ new Map([
  ["gzip", () => createGunzip()],
  ["x-gzip", () => createGunzip()],
  ["deflate", () => createInflate()],
  ["br", () => createBrotliDecompress()],
]);
