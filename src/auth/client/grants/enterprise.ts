/**
 * The grant of an enterprise whose identity provider decides: what the user signed in with is traded for an assertion, and
 * that for a token at the MCP server's authorization server. Nobody is asked for consent, also not after a refusal.
 *
 * Specification: Extensions > Enterprise-Managed Authorization.
 */
import { UsageError } from "../../../base/error.ts";
import type { Clock } from "../../../base/timer.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { GuardedFetch } from "../../fetch.ts";
import { checkAddress, checkIssuer } from "../discovery/address.ts";
import type { Discovery, ServerMetadata } from "../discovery/discovery.ts";
import type { Grant, GrantContext, RevocationRequest, TokenRequest } from "../grant.ts";
import type { AuthorizationRecord } from "../record.ts";
import type { TokenSet } from "../storage/credential.ts";
import { requestTokens } from "../tokens/token-endpoint.ts";
import { jwtBearer } from "./assertion.ts";
import { ConfiguredClient, type ConfiguredClientOptions } from "./configured-client.ts";
import { requestIdJag, type SubjectToken } from "./id-jag.ts";
import { findIdentityProvider } from "./identity-provider.ts";
import { toScopeParameter } from "./scope-parameter.ts";

const idJagProfile = "urn:ietf:params:oauth:grant-profile:id-jag";

/** What a source of subject tokens may use. */
export interface SubjectTokenContext {
  readonly fetch: GuardedFetch;
  readonly record: AuthorizationRecord;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Stops the clocks of those who wait, as while a person signs in; gives what lets them run again. */
  readonly hold: () => () => void;
}

/** Gives what the user signed in with. Asked each time, so that it can give a fresh one or have the user sign in. */
export interface SubjectTokenSource {
  (context: SubjectTokenContext): string | SubjectToken | Promise<string | SubjectToken>;
  /** Whether a person may be asked to sign in. Default false. */
  readonly isInteractive?: boolean;
}

/** The identity provider, and who the client is there. */
export interface IdentityProviderOptions extends ConfiguredClientOptions {
  /** As it names itself: `https:`, or `http:` on loopback. */
  readonly issuer: string;
  /** Default: by its metadata. */
  readonly tokenEndpoint?: string | undefined;
}

/** Who the client is at an authorization server of MCP servers. */
export type EnterpriseClient =
  | (ConfiguredClientOptions & { readonly issuer?: string | undefined })
  | (Omit<ConfiguredClientOptions, "clientId"> & {
      /** An `https:` address at which the client publishes its metadata, and which is its id. */
      readonly clientIdUrl: string;
      readonly issuer?: string | undefined;
    });

/** How an enterprise manages the authorization of its users. */
export interface EnterpriseManagedOptions {
  readonly idp: IdentityProviderOptions;
  /** What the user signed in with at the identity provider: an ID token, unless it says otherwise. */
  readonly subjectToken: SubjectTokenSource;
  /** Who the client is at the MCP server's authorization server; a list tells several of these apart by `issuer`. */
  readonly client: EnterpriseClient | readonly (EnterpriseClient & { readonly issuer: string })[];
  /**
   * Whether an authorization server has to announce that it takes such assertions. One that announces other profiles alone
   * is refused in any case. Default false.
   */
  readonly requireProfile?: boolean | undefined;
}

/**
 * Tokens by the word of an enterprise's identity provider.
 *
 * The client's registrations there and at the MCP server's authorization server are separate, and each is used at its own
 * place only. An assertion is fetched for every token, used once and never kept.
 * Specification: Extensions > Enterprise-Managed Authorization.
 *
 * @throws {@link UsageError} for options that contradict each other
 * @example
 * ```ts
 * import { enterpriseManaged } from "parley-mcp/auth/client";
 *
 * export function forEmployee(readIdToken: () => Promise<string>, secrets: { idp: string; tools: string }) {
 *   return enterpriseManaged({
 *     idp: { issuer: "https://idp.example", clientId: "chat-app", clientSecret: secrets.idp },
 *     subjectToken: readIdToken,
 *     client: { clientId: "chat-app-at-tools", clientSecret: secrets.tools, issuer: "https://as.tools.example" },
 *   });
 * }
 * ```
 */
export function enterpriseManaged(options: EnterpriseManagedOptions): Grant {
  return new EnterpriseGrant(options);
}

/** A client, and the issuer it belongs to; `undefined` is any. */
interface BoundClient {
  readonly issuer: string | undefined;
  /** Whether its id is the address of a document, which is good at any server [M-AUTH-013]. */
  readonly isPublished: boolean;
  readonly client: ConfiguredClient;
}

class EnterpriseGrant implements Grant {
  readonly type = jwtBearer;
  readonly extension = "io.modelcontextprotocol/enterprise-managed-authorization";
  readonly isInteractive: boolean;
  readonly #options: EnterpriseManagedOptions;
  readonly #idpClient: ConfiguredClient;
  readonly #clients: readonly BoundClient[];
  #idp: ServerMetadata | undefined;

  constructor(options: EnterpriseManagedOptions) {
    const { idp, client } = options;
    const problem = checkIssuer(idp.issuer) ?? (idp.tokenEndpoint && checkAddress(idp.tokenEndpoint));
    if (problem) {
      throw new UsageError(`enterpriseManaged: idp: ${problem}`);
    }
    this.#options = options;
    this.isInteractive = options.subjectToken.isInteractive ?? false;
    this.#idpClient = new ConfiguredClient(idp, "enterpriseManaged: idp");
    this.#clients = (isList(client) ? client : [client]).map(toBoundClient);
    this.#idp = idp.tokenEndpoint ? { issuer: idp.issuer, token_endpoint: idp.tokenEndpoint } : undefined;
  }

  async obtain(request: TokenRequest, context: GrantContext): Promise<TokenSet> {
    const { discovery, scopes, signal } = request;
    const client = this.#findClient(discovery.issuer);
    this.#assertProfile(discovery.server);
    const { authenticate } = await client.authenticateAt(discovery.server, context.clock);
    const assertion = await this.#requestAssertion(request, context);
    return requestTokens(
      {
        discovery,
        clientId: client.id,
        clientAuth: authenticate,
        grantType: jwtBearer,
        parameters: { assertion, ...toScopeParameter(scopes) },
        scopes,
        stage: "token",
        signal,
      },
      context,
    );
  }

  async revoke(request: RevocationRequest, context: GrantContext): Promise<void> {
    await this.#findClient(request.discovery.issuer).revoke(request, context);
  }

  async #requestAssertion({ discovery, scopes, signal, hold }: TokenRequest, context: GrantContext): Promise<string> {
    const { fetch, record, clock } = context;
    this.#idp ??= await findIdentityProvider(this.#options.idp.issuer, context, signal);
    const { authenticate } = await this.#idpClient.authenticateAt(this.#idp, clock);
    const given = await this.#options.subjectToken({ fetch, record, clock, signal, hold });
    const request = {
      idp: this.#idp,
      clientId: this.#idpClient.id,
      clientAuth: authenticate,
      subject: typeof given === "string" ? { token: given } : given,
      audience: discovery.issuer,
      resource: discovery.resource,
      scopes,
      signal,
    };
    return requestIdJag(request, context);
  }

  #findClient(issuer: Discovery["issuer"]): ConfiguredClient {
    const found = this.#clients.find((entry) => entry.issuer === issuer || entry.issuer === undefined);
    if (found === undefined) {
      const known = this.#clients.map((entry) => entry.issuer).join(", ");
      throw new AuthorizationError(
        `expected a client for ${issuer}, which issues the MCP server's tokens; there are only those for ${known}. Configure one`,
        { stage: "registration", issuer },
      );
    }
    if (!found.isPublished) {
      found.client.assertIssuer(issuer);
    }
    return found.client;
  }

  #assertProfile({ issuer, authorization_grant_profiles_supported: profiles }: ServerMetadata): void {
    const isAnnounced = Array.isArray(profiles) && profiles.includes(idJagProfile);
    if (!isAnnounced && (profiles !== undefined || this.#options.requireProfile === true)) {
      throw new AuthorizationError(
        `expected ${issuer} to announce ${idJagProfile} in authorization_grant_profiles_supported, which it does not: the enterprise's identity provider cannot decide there. Use another grant for this server`,
        { stage: "server-metadata", issuer },
      );
    }
  }
}

function isList(client: EnterpriseManagedOptions["client"]): client is Extract<typeof client, readonly unknown[]> {
  return Array.isArray(client);
}

function toBoundClient(options: EnterpriseClient): BoundClient {
  const named = "clientIdUrl" in options ? { ...options, clientId: options.clientIdUrl } : options;
  const isPublished = "clientIdUrl" in options;
  return { issuer: options.issuer, isPublished, client: new ConfiguredClient(named, "enterpriseManaged: client") };
}
