/**
 * Uses results again for as long as their server allows, for those it allows, until it says that they have changed.
 *
 * One per session, beside its requests and below what answers questions of the server. Nothing is fetched that nobody
 * asked for: there are no timers here. Specification: Basic > Utilities > Caching.
 */
import { raceAbort } from "../../base/abort.ts";
import { type HttpError, isMcpError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import { areRelatedUris } from "../changes/uri-relation.ts";
import { isCursorRefusal } from "../lists/cursor-refusal.ts";
import type { Flight } from "./cache-flights.ts";
import {
  type CacheableMethod,
  type CachePlace,
  type CacheView,
  cacheableMethods,
  isCacheableMethod,
  isLaterPage,
  readKeyUri,
  toCacheKey,
} from "./cache-key.ts";
import type { CacheSettings } from "./cache-options.ts";
import { KeptResults } from "./kept-results.ts";
import type { CachedResult } from "./result-cache.ts";

/** Whom a session talks to, and as whom. Read anew for every request. */
export interface CacheContext {
  /** Names the server wherever it is reached from, such as its endpoint's URL. Without it nothing leaves the session. */
  readonly server: string | undefined;
  /** The date of the negotiated revision. */
  readonly revision: string;
  /**
   * Names the authorization context, such as the grant: an opaque name or a digest, never the token itself. When it
   * changes, what was kept under the old one is dropped. Without it private results do not leave the session.
   */
  readonly authorization: string | undefined;
}

/** Options of one request. */
export interface CachedRequestOptions extends RequestOptions {
  /** Fetches whatever is kept; for the first page of a list all its pages are forgotten, which gives a consistent list. */
  reload?: boolean | undefined;
}

/** Sends the request. The signal is not always the caller's, as several may wait for one result. */
export type FetchResult = (signal: AbortSignal | undefined) => Promise<JsonObject>;

const outdatedBy: ReadonlyMap<string, readonly CacheableMethod[]> = /* @__PURE__ */ new Map([
  ["notifications/tools/list_changed", ["tools/list"]],
  ["notifications/prompts/list_changed", ["prompts/list"]],
  ["notifications/resources/list_changed", ["resources/list", "resources/templates/list"]],
] as const);

/** See the head of this file. */
export class CachedRequests {
  readonly #settings: CacheSettings;
  readonly #kept: KeptResults;
  readonly #context: () => CacheContext | undefined;
  /** Stands for the server and the owner where they have no name. */
  readonly #id = createId();
  #lastView: CacheView | undefined;
  #isClosed = false;

  /** @param context - `undefined` for a revision whose results carry no hints: everything is fetched */
  constructor(settings: CacheSettings, context: () => CacheContext | undefined) {
    this.#settings = settings;
    this.#kept = new KeptResults(settings);
    this.#context = context;
  }

  /**
   * Gives the result that is kept while it is fresh, and fetches it otherwise. Who asks for the same at the same time
   * shares one request, or a second one where the result of the first may not be used again.
   *
   * @returns the result; one that was kept says in `ttlMs` how much of its time is left
   * @throws what `fetch` throws; the signal's reason
   */
  async request(
    method: string,
    params: JsonObject | undefined,
    fetch: FetchResult,
    options: CachedRequestOptions = {},
  ): Promise<JsonObject> {
    const { signal, reload = false } = options;
    const { flights, maxStaleMs, onDiagnostic } = this.#settings;
    signal?.throwIfAborted();
    const askedAfter = flights.lastNumber;
    const place = this.#locate(method, params);
    if (place === undefined) {
      return fetch(signal);
    }
    if (reload) {
      this.#forgetPlace(place);
    }
    const kept = await raceAbort(this.#kept.find(place), signal);
    if (kept !== undefined && this.#isUsable(kept)) {
      return this.#toAnswer(kept);
    }
    try {
      return await this.#share(place, fetch, options, askedAfter);
    } catch (error) {
      const stale = isOutage(error) && !signal?.aborted ? await this.#kept.find(place) : undefined;
      if (stale === undefined || this.#isClosed || !this.#isUsable(stale, maxStaleMs)) {
        throw error;
      }
      const message = `${method}: an outdated result was given, as the server could not be reached`;
      onDiagnostic?.({ code: "MCP_D_CACHE_STALE", message, detail: error });
      return this.#toAnswer(stale);
    }
  }

  /** Takes a notification: what it says has changed is stale at once [M-CACHE-010]. */
  receive(method: string, params?: JsonObject): void {
    const methods = outdatedBy.get(method);
    const uri = params?.uri;
    if (methods !== undefined) {
      this.invalidate(methods);
    } else if (method === "notifications/resources/updated" && typeof uri === "string") {
      this.#invalidate(["resources/read"], (key) => areRelatedUris(readKeyUri(key) ?? uri, uri));
    }
  }

  /** Makes all results of some methods stale, of all without any: on suspicion, or where notices may have been missed. */
  invalidate(methods: readonly CacheableMethod[] = cacheableMethods): void {
    this.#invalidate(methods, undefined);
  }

  /** Ends with its session: forgets what no other one can use. From here on everything is fetched. */
  async close(): Promise<void> {
    const view = this.#look();
    this.#isClosed = true;
    if (view?.server === this.#id) {
      this.#kept.forget(view, { methods: cacheableMethods });
    } else if (view?.owner === this.#id) {
      this.#kept.forget(view, { methods: cacheableMethods, scopes: ["private"] });
    }
    await this.#kept.settle();
  }

  #invalidate(methods: readonly CacheableMethod[], isMeant: ((key: string) => boolean) | undefined): void {
    const view = this.#look();
    if (view !== undefined) {
      this.#kept.forget(view, { methods, isMeant });
    }
  }

  /** Whom results are kept for now. The private ones of whom they were kept for before are forgotten [M-CACHE-013]. */
  #look(): CacheView | undefined {
    const context = this.#isClosed || this.#kept.isBroken ? undefined : this.#context();
    if (context === undefined) {
      return undefined;
    }
    const { server = this.#id, revision, authorization: owner = this.#id } = context;
    const last = this.#lastView;
    const view = { server, revision, owner };
    this.#lastView = view;
    if (last !== undefined && last.owner !== owner) {
      this.#kept.forget(last, { methods: cacheableMethods, scopes: ["private"] });
    }
    return view;
  }

  #locate(method: string, params: JsonObject | undefined): CachePlace | undefined {
    const view = this.#look();
    if (!isCacheableMethod(method) || view === undefined) {
      return undefined;
    }
    const key = toCacheKey(params);
    return key === undefined ? undefined : { ...view, method, key };
  }

  /** The first page of a list stands for all of them. */
  #forgetPlace(place: CachePlace): void {
    const { method, key } = place;
    const isWholeList = method !== "resources/read" && method !== "server/discover" && !isLaterPage(key);
    this.#kept.forget(place, { methods: [method], isMeant: isWholeList ? undefined : (each) => each === key });
  }

  /**
   * Joins or sends. The result of a request that was sent before the caller asked is taken only while it is fresh;
   * otherwise one more goes out for all who waited.
   */
  async #share(
    place: CachePlace,
    fetch: FetchResult,
    options: CachedRequestOptions,
    askedAfter: number,
  ): Promise<JsonObject> {
    const { flights } = this.#settings;
    const { signal } = options;
    const id = this.#toFlightId(place, options);
    const earlier = flights.find(id);
    if (earlier !== undefined && earlier.number <= askedAfter) {
      const entry = await earlier.join(signal).catch(() => undefined);
      signal?.throwIfAborted();
      if (entry !== undefined && isComplete(entry.result) && !earlier.isOutdated && this.#isUsable(entry)) {
        return structuredClone(entry.result);
      }
    }
    const later = flights.find(id);
    if (later === undefined) {
      const { result } = await flights.start(id, place, (flight) => this.#send(flight, fetch)).join(signal);
      return result;
    }
    const { result } = await later.join(signal);
    // Questions of the server are for one request to answer.
    return isComplete(result) ? structuredClone(result) : fetch(signal);
  }

  /** Only requests with the same limits are one, and who hears of progress has a request to themselves. */
  #toFlightId(place: CachePlace, { idleTimeoutMs, totalTimeoutMs, onProgress }: CachedRequestOptions): string {
    const { server, revision, owner, method, key } = place;
    const own = onProgress === undefined ? "" : createId();
    return JSON.stringify([this.#id, server, revision, owner, method, key, idleTimeoutMs, totalTimeoutMs, own]);
  }

  async #send(flight: Flight, fetch: FetchResult): Promise<CachedResult> {
    const { place } = flight;
    try {
      const result = await fetch(flight.signal);
      const entry = { result, receivedAt: this.#settings.now(), ttlMs: readTtlMs(result) };
      if (isComplete(result) && !flight.isOutdated) {
        await this.#keep(place, entry);
      }
      return entry;
    } catch (error) {
      if (isLaterPage(place.key) && isCursorRefusal(error)) {
        this.#kept.forget(place, { methods: [place.method] });
      }
      throw error;
    }
  }

  /** Whose a private result is cannot be told when that changed while it was fetched. */
  async #keep(place: CachePlace, entry: CachedResult): Promise<void> {
    const scope = entry.result.cacheScope === "public" ? "public" : "private";
    const view = this.#look();
    if (view !== undefined && (scope === "public" || view.owner === place.owner)) {
      await this.#kept.keep(place, scope, entry);
    }
  }

  /** Fresh is what is younger than its time [M-CACHE-006]; what comes from the future is not trusted. */
  #isUsable({ receivedAt, ttlMs }: CachedResult, graceMs = 0): boolean {
    const now = this.#settings.now();
    return receivedAt <= now && now < receivedAt + ttlMs + graceMs;
  }

  #toAnswer({ result, receivedAt, ttlMs }: CachedResult): JsonObject {
    return { ...result, ttlMs: Math.max(0, receivedAt + ttlMs - this.#settings.now()) };
  }
}

/** How long a result is fresh. Whatever is no positive integer means not at all [M-CACHE-007]. */
function readTtlMs({ ttlMs }: JsonObject): number {
  return typeof ttlMs === "number" && Number.isSafeInteger(ttlMs) && ttlMs > 0 ? ttlMs : 0;
}

function isComplete({ resultType }: JsonObject): boolean {
  return resultType === undefined || resultType === "complete";
}

/** Whether the server could not be reached or did not work, as opposed to having said no. */
function isOutage(error: unknown): boolean {
  if (!isMcpError(error)) {
    return false;
  }
  const { code } = error;
  return code === "MCP_CLOSED" || code === "MCP_TIMEOUT" || (code === "MCP_HTTP" && (error as HttpError).status >= 500);
}
