/** What an OAuth client can be told, and its defaults. Resolved once, when the client is made. */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import type { KeyValue } from "../../store/contracts.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Fetch } from "../fetch.ts";
import { isScope } from "../scope.ts";
import type { StepUpLimits } from "./access/step-up.ts";
import type { DiscoveryOptions } from "./discovery/discover.ts";
import type { Grant } from "./grant.ts";
import type { DpopSigner } from "./tokens/dpop.ts";
import type { DpopPolicy } from "./tokens/dpop-choice.ts";

/**
 * How tokens are bound to a key. Specification: the DPoP extension.
 *
 * @example
 * ```ts
 * import type { DpopOptions } from "parley-mcp/auth/client";
 *
 * export const dpop: DpopOptions = { algorithm: "ES256" };
 * ```
 */
export interface DpopOptions {
  /** Algorithm of a new key. Default `ES256`. One that was kept stays as it is. */
  algorithm?: string | undefined;
  /** Signs instead of a key of ours, as where that is in hardware. */
  signer?: DpopSigner | undefined;
  /** Whether proofs also bind the body of a request (`content_digest`, of an older draft). Default false. */
  contentDigest?: boolean | undefined;
}

/**
 * What is done when an operation needs more scopes. Specification: Basic > Authorization > Step-Up Authorization Flow.
 *
 * @example
 * ```ts
 * import type { StepUpOptions } from "parley-mcp/auth/client";
 *
 * export const stepUp: StepUpOptions = { maxAttempts: 1, deniedTtlMs: 3_600_000 };
 * ```
 */
export interface StepUpOptions {
  /** How often more is asked for, for one operation of one server, until the next login. At least 1. Default 3. */
  maxAttempts?: number | undefined;
  /** How long an operation fails at once after a person denied it, in milliseconds. Default 300 000 (five minutes). */
  deniedTtlMs?: number | undefined;
}

/**
 * Options of `createOAuthClient`. Specification: Basic > Authorization.
 *
 * @example
 * ```ts
 * import type { Grant, OAuthClientOptions } from "parley-mcp/auth/client";
 *
 * export const toOptions = (grant: Grant): OAuthClientOptions => ({ grant, scopes: ["files:read"], renewAheadMs: 30_000 });
 * ```
 */
export interface OAuthClientOptions {
  /** How tokens are come by. */
  grant: Grant;
  /** Keeps tokens, registrations and keys. Processes may share one. Default: the memory of this process. */
  store?: KeyValue | undefined;
  /** Tells the users of one store apart. Default `"default"`. */
  account?: string | undefined;
  /** Sends the authorization traffic, and that alone. Default the global `fetch`, looked up at each request. */
  fetch?: Fetch | undefined;
  /** Whether authorization traffic may go to private addresses. Dangerous where servers are not trusted. Default false. */
  allowPrivateAddresses?: boolean | undefined;
  /** Whether an authorization server that was found is to be trusted. Default: yes. */
  approveIssuer?: DiscoveryOptions["approveIssuer"];
  /** Chooses among several authorization servers. Default: the first that has valid metadata. */
  selectServer?: DiscoveryOptions["selectServer"];
  /** The only issuer that is right, also where a server names none. Default: whatever the server names. */
  issuer?: string | undefined;
  /** Whether a resource identifier that is no URL above the endpoint means it all the same. Default: it does not. */
  acceptResource?: DiscoveryOptions["acceptResource"];
  /**
   * Whether a server that publishes no metadata at all may be its own authorization server, as in the first revision with
   * authorization. False where servers are known to be newer. Default true.
   */
  legacyFallback?: boolean | undefined;
  /** Whether `resource` is sent. False only for authorization servers that reject the parameter. Default true. */
  sendResource?: boolean | undefined;
  /**
   * Scopes to ask for beside those that a server demands, in place of all that it lists. Default: all that it lists.
   */
  scopes?: readonly string[] | undefined;
  /**
   * Whether tokens are bound to a key: wherever the authorization server takes it, or never. Default: only where the
   * server's metadata requires it.
   */
  dpop?: boolean | DpopOptions | undefined;
  /** What is done when an operation needs more scopes; `false`: it fails. */
  stepUp?: StepUpOptions | false | undefined;
  /**
   * How long before its end a token is renewed, in milliseconds, less some jitter; at most a quarter of the token's life.
   * Default 60 000.
   */
  renewAheadMs?: number | undefined;
  /** Told of what had to be tolerated, such as a renewal that failed while the old token was still good. */
  onDiagnostic?: OnDiagnostic | undefined;
  /** Whose time is used. Default the system's. */
  clock?: Clock | undefined;
  /** Source of jitter, from 0 to 1. Default `Math.random`. */
  random?: (() => number) | undefined;
}

/** {@link OAuthClientOptions}, checked and complete. */
export interface ResolvedOAuthOptions
  extends Pick<
    OAuthClientOptions,
    | "fetch"
    | "allowPrivateAddresses"
    | "approveIssuer"
    | "selectServer"
    | "issuer"
    | "acceptResource"
    | "legacyFallback"
    | "scopes"
  > {
  readonly grant: Grant;
  readonly store: KeyValue;
  readonly account: string;
  readonly sendsResource: boolean;
  readonly dpop: DpopPolicy;
  readonly dpopOptions: DpopOptions;
  readonly stepUp: StepUpLimits | undefined;
  readonly renewAheadMs: number;
  readonly report: OnDiagnostic;
  readonly clock: Clock;
  readonly random: () => number;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {@link UsageError} when an option cannot work
 */
export function resolveOAuthOptions(options: OAuthClientOptions): ResolvedOAuthOptions {
  const { clock = systemClock, renewAheadMs = 60_000, account = "default", dpop, onDiagnostic } = options;
  assertNumber("renewAheadMs", renewAheadMs, 0);
  if (account === "") {
    throw new UsageError("account: expected a text that is not empty, got an empty one");
  }
  assertScopes(options.scopes);
  return {
    grant: options.grant,
    store: options.store ?? createMemoryStore({ clock }),
    account,
    fetch: options.fetch,
    allowPrivateAddresses: options.allowPrivateAddresses,
    approveIssuer: options.approveIssuer,
    selectServer: options.selectServer,
    issuer: options.issuer,
    acceptResource: options.acceptResource,
    legacyFallback: options.legacyFallback,
    sendsResource: options.sendResource ?? true,
    scopes: options.scopes,
    dpop: dpop === undefined ? "required" : dpop === false ? "never" : "supported",
    dpopOptions: typeof dpop === "object" ? dpop : {},
    stepUp: resolveStepUp(options.stepUp),
    renewAheadMs,
    report: (diagnostic) => onDiagnostic?.(diagnostic),
    clock,
    random: options.random ?? Math.random,
  };
}

function resolveStepUp(stepUp: StepUpOptions | false = {}): StepUpLimits | undefined {
  if (stepUp === false) {
    return undefined;
  }
  const { maxAttempts = 3, deniedTtlMs = 300_000 } = stepUp;
  assertNumber("stepUp.maxAttempts", maxAttempts, 1);
  assertNumber("stepUp.deniedTtlMs", deniedTtlMs, 0);
  return { maxAttempts, deniedTtlMs };
}

function assertNumber(name: string, value: number, least: number): void {
  if (!(value >= least)) {
    throw new UsageError(`${name}: expected a number of at least ${least}, got ${value}`);
  }
}

/** @throws {@link UsageError} naming the first of several scopes that is none */
export function assertScopes(scopes: readonly string[] | undefined): void {
  const wrong = scopes?.find((scope) => !isScope(scope));
  if (wrong !== undefined) {
    throw new UsageError(
      `scopes: expected one scope of visible characters in each entry, got ${JSON.stringify(wrong)}`,
    );
  }
}
