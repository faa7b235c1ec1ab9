/**
 * The options of a protected resource, and the one place where their defaults are filled in.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import { parseUrl } from "../../base/url.ts";
import type { KeyValue } from "../../store/contracts.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Fetch } from "../fetch.ts";
import { resolveAlgorithms } from "./algorithms.ts";
import type { DpopOptions, ProofRules } from "./dpop.ts";
import { assertDuration } from "./duration.ts";
import { type IntrospectionChecks, introspectionVerifier } from "./introspection.ts";
import { resolveAudiences, resolveIssuers } from "./issuer.ts";
import { type JwtChecks, jwtVerifier } from "./jwt.ts";
import { NonceSource } from "./nonce.ts";
import { assertPublicUrl, type ForwardedFamily, type PublicUrlOptions } from "./public-url.ts";
import type { TokenRequirement } from "./requirement.ts";
import { type ScopeHierarchy, ScopeRules } from "./scopes.ts";
import type { TokenRules } from "./token-check.ts";
import { type TokenInfoChecks, tokenInfoVerifier } from "./token-info.ts";
import type { Verifier } from "./verifier.ts";

/** How tokens are verified, as data: issuer, audience, clock and fetch come from the guard. */
export type TokenChecks =
  | ({ kind: "jwt" } & JwtChecks)
  | ({ kind: "introspection"; issuer?: string | undefined } & IntrospectionChecks)
  | ({ kind: "tokeninfo"; issuer?: string | undefined } & TokenInfoChecks);

/** Options of {@link protectResource}. */
export interface ResourceOptions {
  /** Authorization servers whose tokens are accepted, each exactly as it names itself. */
  issuer: string | readonly string[];
  /**
   * Authorization servers that the metadata leads clients to. Default `issuer`: another one only where tokens name their
   * issuer otherwise than the server they come from names itself.
   */
  authorizationServers?: string | readonly string[] | undefined;
  /** Names under which tokens are issued for this server; a token for none of them is refused. */
  audience: string | readonly string[];
  /** Scopes that every request needs. Default none. */
  scopes?: readonly string[] | undefined;
  /** All scopes that may be asked for, for the metadata. Default `scopes`. */
  scopesSupported?: readonly string[] | undefined;
  /** Which narrower scopes a scope stands for. Default: each stands for itself. */
  scopeHierarchy?: ScopeHierarchy | undefined;
  /**
   * The public URL of the endpoint, which goes out byte for byte. Default: the first of `audience` that is an `http` or
   * `https` URL; without one, the address of each request.
   */
  resource?: string | undefined;
  /** The public URL of the metadata, where a proxy leads another one here than the one that follows from `resource`. */
  metadataUrl?: string | undefined;
  /**
   * The path of the endpoint on this server. What the path of `resource` has before it is a prefix that a proxy takes off.
   * Default `/mcp`.
   */
  path?: string | undefined;
  /** Whether the metadata also lies at the root. False where several resources share a host. Default true. */
  rootDocument?: boolean | undefined;
  /**
   * Which headers say the public address, where it is not configured: `forwarded` is `Forwarded`, `x-forwarded` is
   * `X-Forwarded-Proto`, `-Host` and `-Prefix`. The proxy must overwrite each of them, or callers choose the address.
   * Default false: none.
   */
  trustForwardedHeaders?: false | "forwarded" | "x-forwarded" | undefined;
  /** How tokens are verified: what to check, or a function of one's own. Default: JWTs of the profile RFC 9068. */
  verify?: Verifier | TokenChecks | undefined;
  /** Longest wait for the verifier, in milliseconds, after which the caller gets 503. Default 10 000. */
  verifyTimeoutMs?: number | undefined;
  /** Accepts tokens for whatever audience the own verifier reports. Only if it checks that itself. Default false. */
  dangerouslySkipAudienceCheck?: boolean | undefined;
  /** Further conditions on the caller, in order, such as {@link requireUserAuthentication}. */
  requirements?: readonly TokenRequirement[] | undefined;
  /**
   * Whether tokens that are bound to a key are taken, and how; needs a fixed address of the endpoint. Default
   * false: such tokens are refused.
   */
  dpop?: boolean | DpopOptions | undefined;
  /** The name of the resource, for people. */
  resourceName?: string | undefined;
  /** A page for developers about this resource. */
  documentationUrl?: string | undefined;
  /** Signing algorithms of tokens, asymmetric only. Default: all that are. */
  algorithms?: readonly string[] | undefined;
  /** By how many seconds clocks may differ. Default 30. */
  clockToleranceSeconds?: number | undefined;
  /** What metadata and keys are fetched by. Default: the global one. */
  fetch?: Fetch | undefined;
  /** Where proofs are remembered. Nodes that share it take a proof once between them. Default: memory. */
  store?: KeyValue | undefined;
  /** The source of time. */
  clock?: Clock | undefined;
  /** Told of faults of the verifier and of options that had to be corrected. */
  onDiagnostic?: OnDiagnostic | undefined;
}

/** {@link ResourceOptions} with their defaults. */
export interface ResolvedResourceOptions {
  readonly authorizationServers: readonly string[];
  readonly address: PublicUrlOptions;
  readonly rootDocument: boolean;
  readonly scopes: ScopeRules;
  readonly tokens: TokenRules;
  readonly requirements: readonly TokenRequirement[];
  /** `undefined` where tokens that are bound to a key are refused. */
  readonly proofs: ProofRules | undefined;
  readonly requiresProofs: boolean;
  readonly resourceName: string | undefined;
  readonly documentationUrl: string | undefined;
  readonly now: () => number;
  readonly onDiagnostic: OnDiagnostic | undefined;
}

/** Shortest secret that nonces are made with, in bytes. */
const minSecretLength = 32;

/**
 * Fills in the defaults.
 *
 * @throws {@link UsageError} for what makes no sense
 */
export function resolveResourceOptions(options: ResourceOptions): ResolvedResourceOptions {
  const { onDiagnostic, scopes = [], scopesSupported, scopeHierarchy } = options;
  const issuers = resolveIssuers(options.issuer);
  const audiences = resolveAudiences(options.audience);
  const clock = options.clock ?? systemClock;
  const now = (): number => clock.now();
  const toleranceSeconds = options.clockToleranceSeconds ?? 30;
  if (!(toleranceSeconds >= 0 && toleranceSeconds <= 600)) {
    throw new UsageError(`clockToleranceSeconds: expected a number from 0 to 600, got ${toleranceSeconds}`);
  }
  if (!Array.isArray(scopes)) {
    throw new UsageError(`scopes: expected a list of texts, got ${typeof scopes}`);
  }
  const { verifyTimeoutMs = 10_000 } = options;
  assertDuration("verifyTimeoutMs", verifyTimeoutMs);
  const address = resolveAddress(options, audiences);
  return {
    authorizationServers: resolveIssuers(options.authorizationServers ?? issuers, "authorizationServers"),
    address,
    rootDocument: options.rootDocument ?? true,
    scopes: new ScopeRules({ scopes, scopesSupported, scopeHierarchy, onDiagnostic }),
    tokens: {
      verify: resolveVerifier(options, issuers),
      issuers,
      audiences,
      skipsAudience: options.dangerouslySkipAudienceCheck === true,
      clockToleranceMs: toleranceSeconds * 1_000,
      clock,
      verifyTimeoutMs,
      onDiagnostic,
    },
    requirements: options.requirements ?? [],
    proofs: resolveProofs(options, address, clock),
    requiresProofs: typeof options.dpop === "object" && options.dpop.required === true,
    resourceName: options.resourceName,
    documentationUrl: options.documentationUrl,
    now,
    onDiagnostic,
  };
}

function resolveAddress(options: ResourceOptions, audiences: readonly string[]): PublicUrlOptions {
  const isHttpUrl = (name: string): boolean => /^https?:$/.test(parseUrl(name)?.protocol ?? "");
  const resource = options.resource ?? audiences.find(isHttpUrl);
  const { metadataUrl, path = "/mcp", trustForwardedHeaders = false } = options;
  if (resource !== undefined) {
    assertPublicUrl(options.resource === undefined ? "audience" : "resource", resource);
  }
  if (metadataUrl !== undefined) {
    assertPublicUrl("metadataUrl", metadataUrl);
  }
  if (!/^\/[^?#\s]*$/.test(path)) {
    throw new UsageError(`path: expected a path that begins with a slash, got "${path}"`);
  }
  const families: readonly unknown[] = [false, "forwarded", "x-forwarded"] satisfies (false | ForwardedFamily)[];
  if (!families.includes(trustForwardedHeaders)) {
    throw new UsageError(
      `trustForwardedHeaders: expected false, "forwarded" or "x-forwarded", got ${String(trustForwardedHeaders)}`,
    );
  }
  return { resource, metadataUrl, path, trustForwardedHeaders };
}

function resolveVerifier(options: ResourceOptions, issuers: readonly string[]): Verifier {
  const { verify = { kind: "jwt" }, audience, clockToleranceSeconds, algorithms, fetch, clock } = options;
  if (typeof verify === "function") {
    return verify;
  }
  const kind: string = verify.kind;
  if (!["jwt", "introspection", "tokeninfo"].includes(kind)) {
    throw new UsageError(`verify.kind: expected jwt, introspection or tokeninfo, got "${String(kind)}"`);
  }
  if (options.dangerouslySkipAudienceCheck === true) {
    throw new UsageError("dangerouslySkipAudienceCheck: expected a verifier of one's own beside it, got none");
  }
  const shared = { audience, clockToleranceSeconds, fetch, clock };
  if (verify.kind === "jwt") {
    return jwtVerifier({ algorithms, ...verify, ...shared, issuer: issuers });
  }
  const [issuer = "", ...others] = verify.issuer === undefined ? issuers : [verify.issuer];
  if (others.length > 0) {
    throw new UsageError("verify.issuer: expected one of several issuers to be named as the one to ask, got none");
  }
  return verify.kind === "introspection"
    ? introspectionVerifier({ ...verify, ...shared, issuer })
    : tokenInfoVerifier({ ...verify, ...shared, issuer });
}

function resolveProofs(
  { dpop, store }: ResourceOptions,
  address: PublicUrlOptions,
  clock: Clock,
): ProofRules | undefined {
  if (dpop === undefined || dpop === false) {
    return undefined;
  }
  if (address.resource === undefined) {
    throw new UsageError(
      "dpop: expected `resource` or an audience that is a URL beside it, to compare proofs with; got none",
    );
  }
  const { algorithms, nonce = false, replayProtection = true } = dpop === true ? {} : dpop;
  if (typeof nonce === "object" && nonce.length < minSecretLength) {
    throw new UsageError(`dpop.nonce: expected a secret of at least ${minSecretLength} bytes, got ${nonce.length}`);
  }
  const now = (): number => clock.now();
  return {
    algorithms: resolveAlgorithms("dpop.algorithms", algorithms),
    nonces: nonce === false ? undefined : new NonceSource(nonce === true ? undefined : nonce, now),
    store: replayProtection ? (store ?? createMemoryStore({ maxEntries: 1_000_000, clock })) : undefined,
    now,
  };
}
