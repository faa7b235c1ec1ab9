/**
 * Limits on what callers may do: how often, how much at once. Hooks with defaults, decided per caller.
 *
 * A caller is the verified user, else the session. Requests with neither stand for themselves, and nothing tells those
 * who send them apart: they are counted together.
 */
import { Lru } from "../../base/lru.ts";
import { TokenBucket } from "../../base/token-bucket.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { MaybePromise } from "../maybe.ts";
import type { Context } from "./context.ts";

/** What a limiter says: go ahead, or wait. */
export type LimitVerdict = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs?: number | undefined };

/**
 * Decides whether a caller may go on.
 *
 * @param name - the tool, or the prompt or template whose argument is completed
 */
export type Limiter = (ctx: Context, name: string) => MaybePromise<LimitVerdict>;

/** Limits of a server. */
export interface ServerLimits {
  /** Asked before every tool call. Default: none; `perCaller` makes one [TOOL-027]. */
  tools?: Limiter | undefined;
  /** Asked before every completion. Default: `perCaller`, 100 at once and 50 per second [COMP-008]. */
  completions?: Limiter | undefined;
  /**
   * Asked before every request about a task, with its method as the name. Default: `perCaller`, 1 000 at once and 200 per
   * second [TASK-053].
   */
  tasks?: Limiter | undefined;
  /**
   * Tool calls a session may have open at once, or without one a caller; those who are not identified count as one.
   * Default 1 000.
   */
  maxConcurrentCalls?: number | undefined;
  /** Resources a session may be subscribed to, or one stream of changes. Default 1 000. */
  maxSubscriptions?: number | undefined;
  /** Streams of changes a caller may have open at once; those who are not identified count as one. Default 1 000. */
  maxStreams?: number | undefined;
}

/** The limits with every question answered. */
export interface ResolvedLimits {
  readonly tools: Limiter | undefined;
  readonly completions: Limiter;
  readonly tasks: Limiter;
  readonly maxConcurrentCalls: number;
  readonly maxSubscriptions: number;
  readonly maxStreams: number;
}

/** Callers a limiter remembers; the one heard of longest ago is forgotten first. */
const maxCallers = 10_000;

/** How often something may happen. */
export interface CallRate {
  /** How many at once. */
  readonly burst: number;
  /** How many per second after that. */
  readonly perSecond: number;
}

/** How much more those who are counted together may do than one caller. */
const unidentifiedFactor = 10;

/**
 * A limiter that counts each caller on its own: by user where `authenticate` identifies one, else by session. Requests
 * with neither have one count for all of them, so that nobody gets around the limit by leaving out the session.
 *
 * @param burst - how many at once
 * @param perSecond - how many per second after that
 * @param unidentified - for all together who send requests with neither user nor session. Default: ten times as much
 * @param now - milliseconds since the epoch
 *
 * @example
 * ```ts
 * import { defineServer, perCaller } from "parley-mcp/server";
 *
 * defineServer({ name: "demo", version: "1.0.0", limits: { tools: perCaller({ burst: 20, perSecond: 5 }) } });
 * ```
 */
export function perCaller({
  burst,
  perSecond,
  unidentified = { burst: burst * unidentifiedFactor, perSecond: perSecond * unidentifiedFactor },
  now = Date.now,
}: CallRate & { unidentified?: CallRate; now?: () => number }): Limiter {
  const common = new TokenBucket(unidentified.burst, unidentified.perSecond, now);
  const buckets = new Lru<TokenBucket>(maxCallers, now);
  const bucketOf = (caller: string): TokenBucket => {
    const bucket = buckets.get(caller) ?? new TokenBucket(burst, perSecond, now);
    buckets.set(caller, bucket);
    return bucket;
  };
  return ({ auth, session }) => {
    const caller = toPrincipalKey(auth) ?? session?.id;
    const bucket = caller === undefined ? common : bucketOf(caller);
    return bucket.take() ? { ok: true } : { ok: false, retryAfterMs: bucket.waitMs };
  };
}

/** The limits with their defaults. */
export function resolveLimits(limits: ServerLimits, now: () => number): ResolvedLimits {
  return {
    tools: limits.tools,
    completions: limits.completions ?? perCaller({ burst: 100, perSecond: 50, now }),
    tasks: limits.tasks ?? perCaller({ burst: 1_000, perSecond: 200, now }),
    maxConcurrentCalls: limits.maxConcurrentCalls ?? 1_000,
    maxSubscriptions: limits.maxSubscriptions ?? 1_000,
    maxStreams: limits.maxStreams ?? 1_000,
  };
}
