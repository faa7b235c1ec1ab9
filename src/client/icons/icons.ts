/**
 * Fetches an icon without trusting it: where it may come from, what is sent along, how much is read, what it really is.
 *
 * Nothing is drawn or kept here. Checking an icon's shape and choosing one is protocol/icons.ts.
 * Specification: Basic > General fields > `icons` > Security considerations.
 */

import { linkSignals, raceAbort } from "../../base/abort.ts";
import { decodeBase64 } from "../../base/base64.ts";
import { PeerError, TimeoutError, UsageError } from "../../base/error.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import { parseUrl } from "../../base/url.ts";
import { iconMimeTypes } from "../../protocol/icons.ts";
import type { Icon } from "../../protocol/types/metadata.ts";
import { type ImageInfo, parseImage } from "./icon-image.ts";

/** How icons are fetched. All limits are upper bounds; what exceeds one is refused, never cut. */
export interface FetchIconOptions {
  /** The server that named the icon; its origin is the only one allowed without `allowedOrigins`. */
  readonly serverUrl?: string | URL;
  /** Further origins to trust, such as `"https://cdn.example.com"`. */
  readonly allowedOrigins?: readonly string[];
  /** Also plain `http:`. For development only; off unless given. */
  readonly allowHttp?: boolean;
  /** Also SVG without active content; off unless given. */
  readonly allowSvg?: boolean;
  /** Bytes of the image, 1 MiB unless given. */
  readonly maxBytes?: number;
  /** Pixels of each side, 2,048 unless given. */
  readonly maxDimension?: number;
  /** Frames of an animation, 60 unless given. */
  readonly maxFrames?: number;
  /** Milliseconds for everything together, 10,000 unless given. */
  readonly timeoutMs?: number;
  /** Ends the fetch; its reason is thrown. */
  readonly signal?: AbortSignal;
  /** Makes the requests, the platform's `fetch` unless given. Hand in one that adds no credentials. */
  readonly fetch?: typeof fetch;
  /** Whose time the limit runs by, the system's unless given. */
  readonly clock?: Clock;
}

/** An icon that may be shown. */
export interface FetchedIcon extends ImageInfo {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface IconLimits {
  readonly origins: ReadonlySet<string>;
  readonly schemes: ReadonlySet<string>;
  readonly mimeTypes: ReadonlySet<string>;
  readonly maxBytes: number;
  readonly maxDimension: number;
  readonly maxFrames: number;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly clock: Clock;
}

/** What was received, and the type it was sent as. */
interface Received {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly contentType: string | undefined;
}

const maxRedirects = 3;

/**
 * Fetches an icon, or decodes it where it is a `data:` URI.
 *
 * Only `https:` and base64 `data:` sources are used, from the server's own origin or a trusted one; redirects are
 * followed only within that origin; no cookies, credentials or referrer are sent; the image must be what its bytes
 * say, within the limits (ICON-005 to ICON-012).
 *
 * @param icon - as the server sent it
 * @param options - where it may come from, and the limits
 * @throws PeerError when the icon breaks a rule or a limit; nothing is fetched when its source alone does
 * @throws TimeoutError after `timeoutMs`
 * @throws UsageError when an option is out of range
 *
 * @example
 * ```ts
 * import { fetchIcon, type Icon } from "parley-mcp/client";
 *
 * async function toDataUrl(icon: Icon): Promise<Blob> {
 *   const { bytes, mimeType } = await fetchIcon(icon, { serverUrl: "https://example.com/mcp" });
 *   return new Blob([bytes], { type: mimeType });
 * }
 * ```
 */
export async function fetchIcon(icon: Icon, options: FetchIconOptions = {}): Promise<FetchedIcon> {
  const limits = resolveLimits(options);
  options.signal?.throwIfAborted();
  const url = parseUrl(icon.src);
  if (url === undefined) {
    throw new PeerError(`An icon's "src" is an absolute URI; got ${JSON.stringify(icon.src.slice(0, 80))}.`);
  }
  const received =
    url.protocol === "data:" ? decodeDataUri(icon.src, limits) : await download(url, limits, options.signal);
  return checkImage(icon, received, limits);
}

function resolveLimits(options: FetchIconOptions): IconLimits {
  const server = options.serverUrl === undefined ? [] : [toOrigin(options.serverUrl, "serverUrl")];
  const trusted = (options.allowedOrigins ?? []).map((origin) => toOrigin(origin, "allowedOrigins"));
  return {
    origins: new Set([...server, ...trusted]),
    schemes: new Set(options.allowHttp === true ? ["https:", "http:"] : ["https:"]),
    mimeTypes: iconMimeTypes({ allowSvg: options.allowSvg ?? false }),
    maxBytes: positive(options.maxBytes ?? 1_048_576, "maxBytes"),
    maxDimension: positive(options.maxDimension ?? 2048, "maxDimension"),
    maxFrames: positive(options.maxFrames ?? 60, "maxFrames"),
    timeoutMs: positive(options.timeoutMs ?? 10_000, "timeoutMs"),
    fetch: options.fetch ?? fetch,
    clock: options.clock ?? systemClock,
  };
}

function positive(value: number, name: string): number {
  if (!(value > 0)) {
    throw new UsageError(`"${name}" needs a number above 0; got ${value}.`);
  }
  return value;
}

function toOrigin(value: string | URL, name: string): string {
  const url = parseUrl(String(value));
  if (url === undefined || url.origin === "null") {
    throw new UsageError(`"${name}" needs an http or https URL; got ${JSON.stringify(String(value))}.`);
  }
  return url.origin;
}

function decodeDataUri(src: string, limits: IconLimits): Received {
  const comma = src.indexOf(",");
  const header = /^data:([^;,]*)(?:;[^;,]*)*;base64$/i.exec(src.slice(0, Math.max(0, Math.min(comma, 256))));
  if (header === null) {
    throw new PeerError(`A data: icon is base64, as in "data:image/png;base64,…"; this one is not.`);
  }
  const encoded = src.slice(comma + 1);
  if ((encoded.length / 4) * 3 > limits.maxBytes + 3) {
    throw tooLarge(limits);
  }
  const bytes = decodeBase64(encoded);
  if (bytes === undefined) {
    throw new PeerError("A data: icon is padded base64 of the standard alphabet; this one is malformed.");
  }
  if (bytes.length > limits.maxBytes) {
    throw tooLarge(limits);
  }
  return { bytes, contentType: header[1] === "" ? undefined : header[1] };
}

async function download(url: URL, limits: IconLimits, signal: AbortSignal | undefined): Promise<Received> {
  const problem = checkSource(url, limits);
  if (problem !== undefined) {
    throw new PeerError(problem);
  }
  const linked = linkSignals(signal);
  const { timeoutMs } = limits;
  const cancelTimer = limits.clock.after(timeoutMs, () => {
    linked.abort(new TimeoutError(`The icon did not arrive within ${timeoutMs} ms.`, { limit: "total", timeoutMs }));
  });
  try {
    const response = await followRedirects(url, limits, linked.signal);
    const bytes = await readBody(response, limits, linked.signal);
    return { bytes, contentType: response.headers.get("content-type") ?? undefined };
  } catch (error) {
    linked.signal.throwIfAborted();
    if (error instanceof PeerError) {
      throw error;
    }
    throw new PeerError(`The icon could not be fetched from ${url.origin}.`, { cause: error });
  } finally {
    cancelTimer();
    linked.release();
  }
}

function checkSource(url: URL, { schemes, origins }: IconLimits): string | undefined {
  if (!schemes.has(url.protocol)) {
    return `An icon comes from ${[...schemes].join(" or ")} or data:; this one names ${url.protocol.slice(0, 40)}.`;
  }
  if (url.username !== "" || url.password !== "") {
    return "An icon's URL holds no user name or password; this one does.";
  }
  return origins.has(url.origin)
    ? undefined
    : `An icon comes from the server's own origin or an allowed one (${[...origins].join(", ") || "none is known"}); ` +
        `this one names ${url.origin}. Add it to "allowedOrigins" to trust it.`;
}

async function followRedirects(start: URL, limits: IconLimits, signal: AbortSignal): Promise<Response> {
  // Called without a receiver, which browsers insist on.
  const send = limits.fetch;
  let url = start;
  for (let redirects = 0; redirects <= maxRedirects; redirects += 1) {
    const response = await raceAbort(
      send(url, {
        credentials: "omit",
        redirect: "manual",
        referrerPolicy: "no-referrer",
        headers: { accept: [...limits.mimeTypes].join(", ") },
        signal,
      }),
      signal,
    );
    if (response.ok && (response.url === "" || parseUrl(response.url)?.origin === start.origin)) {
      return response;
    }
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null) {
      throw new PeerError(`An icon is answered with status 200 from ${start.origin}; got ${response.status}.`);
    }
    const target = parseUrl(URL.canParse(location, url.href) ? new URL(location, url.href).href : "");
    if (target === undefined || target.origin !== start.origin || checkSource(target, limits) !== undefined) {
      const found = target === undefined || target.origin === "null" ? "another scheme" : target.origin;
      throw new PeerError(`An icon is redirected only within ${start.origin}; this redirect leads to ${found}.`);
    }
    url = target;
  }
  throw new PeerError(`An icon is redirected ${maxRedirects} times at most; this one goes on.`);
}

async function readBody(response: Response, limits: IconLimits, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    throw new PeerError("An icon's answer has a body; this one has none.");
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    if (Number(response.headers.get("content-length") ?? 0) > limits.maxBytes) {
      throw tooLarge(limits);
    }
    for (let next = await raceAbort(reader.read(), signal); !next.done; next = await raceAbort(reader.read(), signal)) {
      size += next.value.length;
      if (size > limits.maxBytes) {
        throw tooLarge(limits);
      }
      chunks.push(next.value);
    }
  } catch (error) {
    // Whatever else the connection has to say is of no interest; the error at hand is the one to report.
    reader.cancel(error).catch(() => undefined);
    throw error;
  }
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function checkImage(icon: Icon, { bytes, contentType }: Received, limits: IconLimits): FetchedIcon {
  const result = parseImage(bytes);
  if (!result.ok) {
    throw new PeerError(result.problem);
  }
  const { mimeType, width = 0, height = 0, frames } = result.image;
  if (!limits.mimeTypes.has(mimeType)) {
    throw new PeerError(`An icon is one of ${[...limits.mimeTypes].join(", ")}; this one is ${mimeType}.`);
  }
  for (const declared of [contentType, icon.mimeType]) {
    const type = declared?.split(";")[0]?.trim().toLowerCase() ?? "";
    if (type !== "" && type !== "application/octet-stream" && type.replace(/^image\/jpg$/, "image/jpeg") !== mimeType) {
      throw new PeerError(
        `An icon is what it is declared as; this one is declared ${type}, but its bytes are ${mimeType}.`,
      );
    }
  }
  if (Math.max(width, height) > limits.maxDimension) {
    throw new PeerError(`An icon has ${limits.maxDimension} pixels a side at most; this one has ${width}x${height}.`);
  }
  if (frames > limits.maxFrames) {
    throw new PeerError(`An icon has ${limits.maxFrames} frames at most; this one has ${frames}.`);
  }
  return { ...result.image, bytes };
}

function tooLarge({ maxBytes }: IconLimits): PeerError {
  return new PeerError(`An icon has ${maxBytes} bytes at most; this one has more.`);
}
