/**
 * The grant of a program that its platform vouches for: it trades the platform's assertion for a token, and nobody
 * registers, logs in or keeps a secret.
 *
 * Specification: Extensions > Workload Identity Federation; RFC 7523 section 2.1.
 */
import { type ClientAuth, None } from "oauth4webapi";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { Grant, GrantContext, TokenRequest } from "../grant.ts";
import type { TokenSet } from "../storage/credential.ts";
import { revokeTokens } from "../tokens/revocation.ts";
import { requestTokens } from "../tokens/token-endpoint.ts";
import { checkAssertion, jwtBearer } from "./assertion.ts";
import { IssuerPin } from "./issuer-pin.ts";
import { toScopeParameter } from "./scope-parameter.ts";

/** What a token set says its client is where the assertion alone says it. */
const unnamedClient = "workload";

/** Where a program's assertion comes from. */
export interface WorkloadIdentityOptions {
  /**
   * The platform's JWT for this program, fetched or read anew each time: a file, a metadata service, a callback. It is told
   * which server will get it, so that it can ask for one with that audience; the server is `issuer` where that is given.
   */
  readonly assertion: (target: {
    /** The authorization server, as it names itself. */
    readonly issuer: string;
    readonly tokenEndpoint: string;
    /** Gives up. */
    readonly signal: AbortSignal;
  }) => string | Promise<string>;
  /**
   * The authorization server that trusts the platform, as it names itself. Assertions are sent to no other.
   * Default: whichever the first MCP server names, for as long as the process runs.
   */
  readonly issuer?: string | undefined;
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
  const pin = new IssuerPin(options.issuer);
  return {
    type: jwtBearer,
    isInteractive: false,
    obtain: (request, context) => obtain(pin, options, request, context),
    revoke: async (request, context) => {
      await revokeTokens({ ...request, clientAuth: toClientAuth(options) }, context);
    },
  };
}

async function obtain(
  pin: IssuerPin,
  options: WorkloadIdentityOptions,
  { discovery, scopes = options.scopes, signal }: TokenRequest,
  context: GrantContext,
): Promise<TokenSet> {
  const { issuer, server } = discovery;
  pin.assert(issuer, "the workload's identity");
  const assertion = await options.assertion({ issuer, tokenEndpoint: server.token_endpoint, signal });
  const problem = checkAssertion(assertion, server, context.clock.now());
  if (problem !== undefined) {
    context.record.add("token", "failed", `the assertion was not sent: ${problem}`);
    throw new AuthorizationError(`the assertion for ${issuer} was not sent: ${problem}`, { stage: "token", issuer });
  }
  return requestTokens(
    {
      discovery,
      clientId: options.clientId ?? unnamedClient,
      clientAuth: toClientAuth(options),
      grantType: jwtBearer,
      parameters: { assertion, ...toScopeParameter(scopes) },
      scopes,
      stage: "token",
      signal,
    },
    context,
  );
}

function toClientAuth({ clientId }: WorkloadIdentityOptions): ClientAuth {
  return clientId === undefined ? sayNothing : None();
}

/** Client authentication of a client that has none, not even an id. */
function sayNothing(): void {
  // The assertion says who asks.
}
