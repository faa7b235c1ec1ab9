/**
 * Verifies tokens by asking their authorization server, which also works for tokens that say nothing by themselves.
 *
 * Answers are kept briefly under a hash of the token, so a revoked token is accepted no longer than that.
 * Specification: Basic > Authorization > Token Handling; RFC 7662.
 */
import { encodeBase64 } from "../../base/base64.ts";
import { UsageError } from "../../base/error.ts";
import { Lru } from "../../base/lru.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import type { Fetch, GuardedFetch } from "../fetch.ts";
import {
  type Claims,
  commonClientIdClaims,
  commonScopeClaims,
  findClientId,
  findKeyThumbprint,
  findNumber,
  findSubject,
  findText,
  readAudience,
  readScopes,
} from "./claims.ts";
import { hashText } from "./hash.ts";
import {
  assertSecureUrl,
  fetchIssuerMetadata,
  fetchJson,
  readEndpoint,
  resolveAudiences,
  resolveIssuers,
} from "./issuer.ts";
import { createOutboundFetch } from "./outbound.ts";
import { TokenRejectedError, type VerifiedToken, type Verifier } from "./verifier.ts";

/** How an authorization server is asked about tokens. */
export interface IntrospectionChecks {
  /** The client that this server is at the authorization server. */
  clientId: string;
  /** Its secret. Give this or `clientAssertion`. */
  clientSecret?: string | undefined;
  /** How the secret is sent. Default `client_secret_basic`. */
  authMethod?: "client_secret_basic" | "client_secret_post" | undefined;
  /** Makes a signed assertion (`private_key_jwt`) for the address it is called with, instead of a secret. */
  clientAssertion?: ((endpoint: string) => Promise<string> | string) | undefined;
  /** Where to ask. Default: as the metadata of the issuer says. */
  endpoint?: string | undefined;
  /** How long an answer is kept, in milliseconds; 0 asks each time. Answers that say no: at most 5 000. Default 30 000. */
  cacheMs?: number | undefined;
}

/** Options of {@link introspectionVerifier}. */
export interface IntrospectionVerifierOptions extends IntrospectionChecks {
  /** The authorization server, exactly as it names itself. */
  issuer: string;
  /** Names under which tokens are issued for this server; one of them must be in `aud`. */
  audience: string | readonly string[];
  /** By how many seconds clocks may differ. Default 30. */
  clockToleranceSeconds?: number | undefined;
  /** What is asked by. Default: the global one. */
  fetch?: Fetch | undefined;
  /** The source of time. */
  clock?: Clock | undefined;
}

/** A verified token, or why there is none. */
type Answer = { readonly token: VerifiedToken } | { readonly problem: string };

/** Most answers that are kept. */
const maxAnswers = 10_000;

/** How long a refusal is kept at most, in milliseconds: it may have come just before the token was valid. */
const maxRefusalMs = 5_000;

/**
 * Makes a verifier that asks the authorization server.
 * Specification: Basic > Authorization > Token Handling; RFC 7662.
 *
 * @throws UsageError for options that make no sense, such as no audience
 * @example
 * ```ts
 * import { introspectionVerifier } from "parley-mcp/auth/resource";
 *
 * declare const clientSecret: string;
 *
 * export const verify = introspectionVerifier({
 *   issuer: "https://login.example.com",
 *   audience: "https://mcp.example.com/mcp",
 *   clientId: "mcp-server",
 *   clientSecret,
 * });
 * ```
 */
export function introspectionVerifier(options: IntrospectionVerifierOptions): Verifier {
  const introspection = new Introspection(options);
  return async (token) => {
    const answer = await introspection.ask(token);
    if ("problem" in answer) {
      throw new TokenRejectedError(answer.problem);
    }
    return answer.token;
  };
}

class Introspection {
  readonly #options: IntrospectionVerifierOptions;
  readonly #audiences: readonly string[];
  readonly #clock: Clock;
  readonly #fetch: GuardedFetch;
  readonly #cacheMs: number;
  readonly #answers: Lru<Answer>;
  readonly #asking = new Map<string, Promise<Answer>>();
  #endpoint: string | undefined;

  constructor(options: IntrospectionVerifierOptions) {
    resolveIssuers(options.issuer);
    if ((options.clientSecret === undefined) === (options.clientAssertion === undefined)) {
      throw new UsageError("introspection: expected one of clientSecret and clientAssertion, got both or none");
    }
    if (options.endpoint !== undefined) {
      assertSecureUrl("endpoint", options.endpoint);
    }
    this.#options = options;
    this.#audiences = resolveAudiences(options.audience);
    this.#clock = options.clock ?? systemClock;
    this.#fetch = createOutboundFetch(options.fetch, this.#clock);
    this.#cacheMs = options.cacheMs ?? 30_000;
    this.#endpoint = options.endpoint;
    this.#answers = new Lru(maxAnswers, () => this.#clock.now());
  }

  /** Asks once for a token, however many requests present it at the same time. */
  async ask(token: string): Promise<Answer> {
    const key = await hashText(token);
    const kept = this.#answers.get(key);
    if (kept !== undefined) {
      return kept;
    }
    const asking = this.#asking.get(key) ?? this.#request(token, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #request(token: string, key: string): Promise<Answer> {
    const answer = this.#read(await this.#post(token));
    this.#answers.set(key, answer, this.#lifetimeOf(answer));
    return answer;
  }

  async #post(token: string): Promise<Claims> {
    const { issuer, clientId, clientSecret, authMethod, clientAssertion } = this.#options;
    this.#endpoint ??= readEndpoint(await fetchIssuerMetadata(issuer, this.#fetch), "introspection_endpoint", issuer);
    const form = new URLSearchParams({ token, token_type_hint: "access_token" });
    const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
    if (clientAssertion !== undefined) {
      form.set("client_id", clientId);
      form.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      form.set("client_assertion", await clientAssertion(this.#endpoint));
    } else if (authMethod === "client_secret_post") {
      form.set("client_id", clientId);
      form.set("client_secret", clientSecret ?? "");
    } else {
      headers.authorization = toBasic(clientId, clientSecret ?? "");
    }
    return fetchJson(this.#endpoint, { method: "POST", headers, body: form.toString() }, this.#fetch);
  }

  #lifetimeOf(answer: Answer): number {
    if ("problem" in answer) {
      return Math.min(this.#cacheMs, maxRefusalMs);
    }
    return Math.min(this.#cacheMs, (answer.token.expiresAtMs ?? Number.POSITIVE_INFINITY) - this.#clock.now());
  }

  #read(claims: Claims): Answer {
    if (claims.active !== true) {
      return { problem: "the authorization server says that the token is not active" };
    }
    const issuer = findText(claims, "iss") ?? this.#options.issuer;
    const audience = readAudience(claims);
    const clientId = findClientId(claims, commonClientIdClaims);
    const problem = this.#findProblem(claims, issuer, audience);
    if (problem !== undefined || clientId === undefined) {
      return { problem: problem ?? "the authorization server names no client of the token" };
    }
    const expiresAt = findNumber(claims, "exp");
    return {
      token: {
        clientId,
        scopes: readScopes(claims, commonScopeClaims),
        audience,
        subject: findSubject(claims, clientId),
        issuer,
        expiresAtMs: expiresAt === undefined ? undefined : expiresAt * 1_000,
        keyThumbprint: findKeyThumbprint(claims),
        claims,
      },
    };
  }

  /** An active token may still be one for somebody else. RFC 7662 section 4. */
  #findProblem(claims: Claims, issuer: string, audience: readonly string[]): string | undefined {
    const toleranceMs = (this.#options.clockToleranceSeconds ?? 30) * 1_000;
    const now = this.#clock.now();
    if (issuer !== this.#options.issuer) {
      return "the token was issued by an authorization server that this resource does not use";
    }
    if (!audience.some((name) => this.#audiences.includes(name))) {
      return "the token was issued for another resource";
    }
    if ((findNumber(claims, "exp") ?? Number.POSITIVE_INFINITY) * 1_000 + toleranceMs <= now) {
      return "the token has expired";
    }
    return (findNumber(claims, "nbf") ?? 0) * 1_000 - toleranceMs > now ? "the token is not valid yet" : undefined;
  }
}

/** RFC 6749 section 2.3.1: both parts are form-encoded first. */
function toBasic(clientId: string, secret: string): string {
  const encode = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);
  return `Basic ${encodeBase64(new TextEncoder().encode(`${encode(clientId)}:${encode(secret)}`))}`;
}
