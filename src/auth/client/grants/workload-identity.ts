/**
 * The grant of a program that its platform vouches for: it trades the platform's assertion for a token, and nobody
 * registers, logs in or keeps a secret.
 *
 * Specification: Extensions > Workload Identity Federation; RFC 7523 section 2.1.
 */
import { None } from "oauth4webapi";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { Grant, GrantContext, TokenRequest } from "../grant.ts";
import type { TokenSet } from "../storage/credential.ts";
import { requestTokens } from "../tokens/token-endpoint.ts";
import { checkAssertion, jwtBearer } from "./assertion.ts";
import { toScopeParameter } from "./scope-parameter.ts";

/** What a token set says its client is where the assertion alone says it. */
const unnamedClient = "workload";

/** Where a program's assertion comes from. */
export interface WorkloadIdentityOptions {
  /** The platform's JWT for this program, fetched or read anew each time: a file, a metadata service, a callback. */
  readonly assertion: (signal: AbortSignal) => string | Promise<string>;
  /** A client id, for servers that want one beside the assertion. */
  readonly clientId?: string | undefined;
  /** Scopes to ask for where the server names none. */
  readonly scopes?: readonly string[] | undefined;
}

/**
 * Tokens by an assertion of the platform that a program runs on.
 *
 * One assertion is sent once: a refusal is reported as it came, and nothing else is tried.
 * Specification: Extensions > Workload Identity Federation.
 *
 * @example
 * ```ts
 * import { workloadIdentity } from "parley-mcp/auth/client";
 *
 * export function trustedBy(platform: { fetchToken(): Promise<string> }) {
 *   return workloadIdentity({ assertion: () => platform.fetchToken() });
 * }
 * ```
 */
export function workloadIdentity(options: WorkloadIdentityOptions): Grant {
  return {
    type: jwtBearer,
    isInteractive: false,
    obtain: (request, context) => obtain(options, request, context),
  };
}

async function obtain(
  options: WorkloadIdentityOptions,
  { discovery, scopes = options.scopes, signal }: TokenRequest,
  context: GrantContext,
): Promise<TokenSet> {
  const assertion = await options.assertion(signal);
  const problem = checkAssertion(assertion, discovery.server, context.clock.now());
  if (problem !== undefined) {
    context.record.add("token", "failed", `the assertion was not sent: ${problem}`);
    throw new AuthorizationError(`the assertion for ${discovery.issuer} was not sent: ${problem}`, {
      stage: "token",
      issuer: discovery.issuer,
    });
  }
  return requestTokens(
    {
      discovery,
      clientId: options.clientId ?? unnamedClient,
      clientAuth: options.clientId === undefined ? sayNothing : None(),
      grantType: jwtBearer,
      parameters: { assertion, ...toScopeParameter(scopes) },
      scopes,
      stage: "token",
      signal,
    },
    context,
  );
}

/** Client authentication of a client that has none, not even an id. */
function sayNothing(): void {
  // The assertion says who asks.
}
