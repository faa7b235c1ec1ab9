/**
 * Verifies tokens by asking their authorization server, which also works for tokens that say nothing by themselves.
 *
 * How long answers are kept is answers.ts.
 * Specification: Basic > Authorization > Token Handling; RFC 7662.
 */
import { encodeBase64 } from "../../base/base64.ts";
import { UsageError } from "../../base/error.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import type { Fetch, GuardedFetch } from "../fetch.ts";
import { type Answer, Answers } from "./answers.ts";
import {
  type Claims,
  commonClientIdClaims,
  commonScopeClaims,
  findKeyThumbprint,
  findNumber,
  findText,
  readAudience,
} from "./claims.ts";
import { Endpoint } from "./endpoint.ts";
import { assertSecureUrl, fetchText, readJson, resolveAudiences, resolveIssuers } from "./issuer.ts";
import { createOutboundFetch } from "./outbound.ts";
import { readToken } from "./token-reading.ts";
import type { Verifier } from "./verifier.ts";

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
  /** What stands for the audience of tokens without `aud`; see {@link JwtChecks}. Default: nothing, they are refused. */
  audienceFallback?: "client" | undefined;
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

/** Introspection has names of its own; servers add those they use in tokens. */
const reading = { scopeClaims: commonScopeClaims, clientIdClaims: commonClientIdClaims, takesNumbers: true };

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
  const { cacheMs, clock = systemClock } = options;
  const answers = new Answers({ ask: (token) => introspection.ask(token), cacheMs, now: () => clock.now() });
  return (token) => answers.verify(token);
}

class Introspection {
  readonly #options: IntrospectionVerifierOptions;
  readonly #audiences: readonly string[];
  readonly #clock: Clock;
  readonly #fetch: GuardedFetch;
  readonly #endpoint: Endpoint;

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
    this.#endpoint = new Endpoint({
      issuer: options.issuer,
      member: "introspection_endpoint",
      fetch: this.#fetch,
      now: () => this.#clock.now(),
    });
  }

  async ask(token: string): Promise<Answer> {
    return this.#read(await this.#post(token));
  }

  async #post(token: string): Promise<Claims> {
    const { clientId, clientSecret, authMethod, clientAssertion } = this.#options;
    const endpoint = this.#options.endpoint ?? (await this.#endpoint.find());
    const form = new URLSearchParams({ token, token_type_hint: "access_token" });
    const headers: Record<string, string> = { "content-type": "application/x-www-form-urlencoded" };
    if (clientAssertion !== undefined) {
      form.set("client_id", clientId);
      form.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      form.set("client_assertion", await clientAssertion(endpoint));
    } else if (authMethod === "client_secret_post") {
      form.set("client_id", clientId);
      form.set("client_secret", clientSecret ?? "");
    } else {
      headers.authorization = toBasic(clientId, clientSecret ?? "");
    }
    const answer = await fetchText(endpoint, { method: "POST", headers, body: form.toString() }, this.#fetch);
    if (answer.status === 404 || answer.status === 410) {
      this.#endpoint.doubt();
    }
    return readJson(endpoint, answer);
  }

  #read(claims: Claims): Answer {
    if (claims.active !== true) {
      return { problem: "the authorization server says that the token is not active" };
    }
    const issuer = findText(claims, "iss") ?? this.#options.issuer;
    const { clientId, subject, scopes } = readToken(claims, reading);
    const audience = readAudience(claims, this.#options.audienceFallback === "client" ? clientId : undefined);
    const problem = this.#findProblem(claims, issuer, audience);
    if (problem !== undefined || clientId === undefined) {
      return { problem: problem ?? "the authorization server names no client of the token" };
    }
    const expiresAt = findNumber(claims, "exp");
    return {
      token: {
        clientId,
        scopes,
        audience,
        subject,
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
