/**
 * The grant of a program that acts for itself: it proves who it is, and gets a token.
 *
 * Nobody logs in and nothing is registered, so a refusal is final: no other way is tried.
 * Specification: Extensions > OAuth Client Credentials; RFC 6749 section 4.4, RFC 7523 section 2.2.
 */
import { UsageError } from "../../../base/error.ts";
import type { Grant, GrantContext, TokenRequest } from "../grant.ts";
import type { TokenSet } from "../storage/credential.ts";
import { requestTokens } from "../tokens/token-endpoint.ts";
import { ConfiguredClient, type ConfiguredClientOptions } from "./configured-client.ts";
import { toScopeParameter } from "./scope-parameter.ts";

/** Who the program is: a client id with a secret, or with a private key. */
export interface ClientCredentialsOptions extends ConfiguredClientOptions {
  /** Scopes to ask for where neither a challenge nor the server's metadata names any. */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The authorization server that the client belongs to, as it names itself. The credentials are sent to no other.
   * Default: whichever the first MCP server names, for as long as the process runs.
   */
  readonly issuer?: string | undefined;
}

/**
 * Tokens for a program of its own, without a user.
 *
 * With `privateKey` the program sends a short-lived signed assertion; with `clientSecret` the secret, by HTTP Basic where the
 * server takes that. There are no refresh tokens: another token is fetched when one ends.
 * Specification: Extensions > OAuth Client Credentials.
 *
 * @throws {@link UsageError} for options that contradict each other
 * @example
 * ```ts
 * import { clientCredentials } from "parley-mcp/auth/client";
 *
 * export function asNightlyJob(pem: string) {
 *   return clientCredentials({ clientId: "nightly", privateKey: pem, algorithm: "ES256", issuer: "https://as.example" });
 * }
 * ```
 */
export function clientCredentials(options: ClientCredentialsOptions): Grant {
  if (options.clientSecret === undefined && options.privateKey === undefined) {
    throw new UsageError("clientCredentials: expected clientSecret, or privateKey with algorithm");
  }
  const client = new ConfiguredClient(options, "clientCredentials");
  return {
    type: "client_credentials",
    extension: "io.modelcontextprotocol/oauth-client-credentials",
    isInteractive: false,
    obtain: (request, context) => obtain(client, options, request, context),
    revoke: async (request, context) => {
      client.assertIssuer(request.discovery.issuer);
      await client.revoke(request, context);
    },
  };
}

async function obtain(
  client: ConfiguredClient,
  options: ClientCredentialsOptions,
  { discovery, scopes = options.scopes, signal }: TokenRequest,
  context: GrantContext,
): Promise<TokenSet> {
  client.assertIssuer(discovery.issuer);
  const { authenticate } = await client.authenticateAt(discovery.server, context.clock);
  return requestTokens(
    {
      discovery,
      clientId: client.id,
      clientAuth: authenticate,
      grantType: "client_credentials",
      parameters: toScopeParameter(scopes),
      scopes,
      stage: "token",
      signal,
    },
    context,
  );
}
