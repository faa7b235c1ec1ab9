/**
 * The results a session keeps in its {@link ResultCache}: by scope, found again, forgotten in order.
 *
 * A cache that fails costs a request, never a result. What may be kept and when it has changed is said in `cache.ts`.
 */
import type { CacheScope } from "../../protocol/types/cache.ts";
import { type CacheableMethod, type CachePlace, type CacheView, toCacheGroup } from "./cache-key.ts";
import type { CacheSettings } from "./cache-options.ts";
import type { CachedResult } from "./result-cache.ts";

/** What is to be forgotten; without `isMeant` everything of these methods. */
export interface Forgetting {
  readonly methods: readonly CacheableMethod[];
  /** Default: both. */
  readonly scopes?: readonly CacheScope[] | undefined;
  /** Whether the result under a key is meant. */
  readonly isMeant?: ((key: string) => boolean) | undefined;
}

const bothScopes: readonly CacheScope[] = ["private", "public"];

/** See the head of this file. */
export class KeptResults {
  readonly #settings: CacheSettings;
  /** Resolves when everything that is to be forgotten has been. */
  #forgotten: Promise<void> = Promise.resolve();
  #isBroken = false;

  constructor(settings: CacheSettings) {
    this.#settings = settings;
  }

  /** Whether the cache could not forget, and would go on giving what has changed. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** The newest result that the owner of a place may use, fresh or not; nothing that has been forgotten. */
  async find(place: CachePlace): Promise<CachedResult | undefined> {
    await this.#forgotten;
    if (this.#isBroken) {
      return undefined;
    }
    const { store } = this.#settings;
    const entries = await this.#attempt("a result was not found", () =>
      Promise.all(bothScopes.map((scope) => store.get(toCacheGroup(place, place.method, scope), place.key))),
    );
    const [own, shared] = entries ?? [];
    return own !== undefined && shared !== undefined && shared.receivedAt > own.receivedAt ? shared : (own ?? shared);
  }

  /** Keeps a result for as long as it may be of use, in place of one in either scope. */
  async keep(place: CachePlace, scope: CacheScope, entry: CachedResult): Promise<void> {
    const { store, maxStaleMs } = this.#settings;
    const { method, key } = place;
    const keepMs = entry.ttlMs + maxStaleMs;
    if (keepMs === 0 || this.#isBroken) {
      return;
    }
    const other = scope === "public" ? "private" : "public";
    await this.#attempt("a result was not kept", async () => {
      await store.set(toCacheGroup(place, method, scope), key, entry, entry.receivedAt + keepMs);
      await store.delete(toCacheGroup(place, method, other), key);
    });
  }

  /** Outdates what is under way at once, and what is kept before the next result is looked for. */
  forget(view: CacheView, { methods, scopes = bothScopes, isMeant }: Forgetting): void {
    const { store, flights } = this.#settings;
    flights.outdate(
      ({ server, revision, method, key }) =>
        server === view.server &&
        revision === view.revision &&
        methods.includes(method) &&
        (isMeant === undefined || isMeant(key)),
    );
    const groups = methods.flatMap((method) => scopes.map((scope) => toCacheGroup(view, method, scope)));
    const forgetGroup = async (group: string): Promise<void> => {
      const keys = isMeant === undefined ? [undefined] : (await store.keys(group)).filter(isMeant);
      await Promise.all(keys.map((key) => store.delete(group, key)));
    };
    this.#forgotten = this.#forgotten
      .then(() => Promise.all(groups.map(forgetGroup)))
      .then(
        () => undefined,
        (error: unknown) => {
          this.#isBroken = true;
          this.#report("the cache could not forget, so this session does without it", error);
        },
      );
  }

  /** Resolves when everything that is to be forgotten has been. Never rejects. */
  settle(): Promise<void> {
    return this.#forgotten;
  }

  async #attempt<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#report(`${what}, as the cache failed`, error);
      return undefined;
    }
  }

  #report(message: string, detail: unknown): void {
    this.#settings.onDiagnostic?.({ code: "MCP_D_CACHE_FAULT", message, detail });
  }
}
