/**
 * Who the client is to an authorization server: as agreed on beforehand, by a document of its own, or by registering.
 *
 * An id belongs to the issuer it was given by, and is never shown to another one [M-AUTH-011].
 * Specification: Basic > Authorization > Client Registration, Authorization Server Binding.
 */
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { quote } from "../../../protocol/header-value.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { GrantContext } from "../grant.ts";
import type { Registration } from "../storage/credential.ts";
import { toShown } from "../tokens/shown-text.ts";
import { type ClientMetadata, checkClientIdUrl, checkRedirectUri } from "./client-metadata.ts";
import { registerClient } from "./dynamic-registration.ts";
import { dropDynamic, findDynamic, keepDynamic } from "./registration-history.ts";

/** A client id that was agreed on beforehand. */
export interface PreregisteredClient {
  /**
   * The authorization server that gave it, as its metadata names it. Default: the first one that it is needed for in this
   * process, and that one only.
   */
  readonly issuer?: string | undefined;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Such as `client_secret_post`. Default: chosen by the server's metadata. */
  readonly tokenEndpointAuthMethod?: string | undefined;
}

/** What a client may be known by. */
export interface RegistrarOptions {
  /** What the client says of itself when it registers. */
  readonly metadata: ClientMetadata;
  /** Client ids agreed on beforehand, one for each issuer. */
  readonly preregistered?: readonly PreregisteredClient[] | undefined;
  /** The `https:` address of the client's own metadata document, for servers that take such ids. */
  readonly clientIdUrl?: string | undefined;
  /**
   * Whether the client may register itself. Default true, unless ids were agreed on beforehand: then a server that is none of
   * theirs is an error rather than a reason to become somebody else.
   */
  readonly dynamic?: boolean | undefined;
}

/** What a registration is needed for. */
export interface RegistrationRequest {
  readonly discovery: Discovery;
  readonly redirectUri: string;
  readonly signal: AbortSignal;
}

/** See the head of this file. */
export class Registrar {
  readonly #metadata: ClientMetadata;
  readonly #preregistered: readonly PreregisteredClient[];
  readonly #clientIdUrl: string | undefined;
  readonly #isDynamic: boolean;
  /** The issuer of the id whose issuer was not said, once it is known. */
  #defaultIssuer: string | undefined;

  /** @throws {@link UsageError} */
  constructor({ metadata, preregistered = [], clientIdUrl, dynamic = preregistered.length === 0 }: RegistrarOptions) {
    const issuers = preregistered.map(({ issuer }) => issuer);
    const repeated = issuers.find((issuer, index) => issuers.indexOf(issuer) !== index);
    if (new Set(issuers).size < issuers.length) {
      throw new UsageError(`preregistered: expected one client for each issuer, got several for ${repeated ?? "any"}`);
    }
    const problem = clientIdUrl === undefined ? undefined : checkClientIdUrl(clientIdUrl);
    if (problem !== undefined) {
      throw new UsageError(problem);
    }
    this.#metadata = metadata;
    this.#preregistered = preregistered;
    this.#clientIdUrl = clientIdUrl;
    this.#isDynamic = dynamic;
  }

  /**
   * What the client is to a server: the first that applies of an id agreed on beforehand, a metadata document, an earlier
   * registration that covers the redirect address, and a new one [AUTH-025].
   *
   * @throws {@link AuthorizationError} where none does, saying what to configure; the signal's reason
   */
  async register(request: RegistrationRequest, context: GrantContext): Promise<Registration> {
    const { discovery, redirectUri } = request;
    const problem = checkRedirectUri(redirectUri);
    if (problem !== undefined) {
      return fail(discovery.issuer, problem, context);
    }
    const fixed = this.#findFixed(discovery, redirectUri);
    if (fixed !== undefined) {
      context.record.add("registration", "ok", `known as "${toShown(fixed.clientId)}" (${fixed.kind})`);
      return fixed;
    }
    return (await this.#registerItself(request, context)) ?? fail(discovery.issuer, this.#explain(discovery), context);
  }

  /** Whether the client has no id at a server but one that it gets by registering, with a redirect address of its choice. */
  registersItself(discovery: Discovery): boolean {
    return this.#isDynamic && this.#findFixed(discovery) === undefined;
  }

  /**
   * The client that tokens were issued to, also where a new login would be done as another one [PP-092]. `undefined` where
   * it is not known any more.
   */
  async find(issuer: string, clientId: string, context: GrantContext): Promise<Registration | undefined> {
    const preregistered = this.#findPreregistered(issuer);
    if (preregistered?.clientId === clientId) {
      return preregistered;
    }
    return clientId === this.#clientIdUrl
      ? this.#toDocumentClient(issuer, clientId)
      : findDynamic(issuer, (registration) => registration.clientId === clientId, context);
  }

  /** Forgets a client that the server no longer knows, if it had registered itself; others are not ours to forget [PP-094]. */
  async discard(registration: Registration, context: GrantContext): Promise<void> {
    if (registration.kind === "dynamic") {
      await dropDynamic(registration, context);
      context.record.add("registration", "ok", `forgot the registration "${toShown(registration.clientId)}"`);
    }
  }

  #findFixed(discovery: Discovery, ...redirectUris: readonly string[]): Registration | undefined {
    return (
      this.#findPreregistered(discovery.issuer, ...redirectUris) ?? this.#describeDocument(discovery, ...redirectUris)
    );
  }

  #findPreregistered(issuer: string, ...redirectUris: readonly string[]): Registration | undefined {
    const client =
      this.#preregistered.find((candidate) => candidate.issuer === issuer) ??
      this.#preregistered.find((candidate) => candidate.issuer === undefined);
    if (client === undefined) {
      return undefined;
    }
    if (client.issuer === undefined) {
      this.#defaultIssuer ??= issuer;
      if (this.#defaultIssuer !== issuer) {
        return undefined;
      }
    }
    const { clientId, clientSecret, tokenEndpointAuthMethod } = client;
    return { kind: "preregistered", issuer, clientId, clientSecret, tokenEndpointAuthMethod, redirectUris };
  }

  #describeDocument({ issuer, server }: Discovery, ...redirectUris: readonly string[]): Registration | undefined {
    return this.#clientIdUrl !== undefined && server.client_id_metadata_document_supported === true
      ? this.#toDocumentClient(issuer, this.#clientIdUrl, ...redirectUris)
      : undefined;
  }

  #toDocumentClient(issuer: string, clientId: string, ...redirectUris: readonly string[]): Registration {
    const hasKeys = this.#metadata.jwks !== undefined || this.#metadata.jwksUri !== undefined;
    const tokenEndpointAuthMethod = hasKeys ? "private_key_jwt" : undefined;
    return { kind: "metadata-document", issuer, clientId, tokenEndpointAuthMethod, redirectUris };
  }

  /** By an earlier registration or a new one. Many servers compare ports too, so an address is covered exactly or not at all. */
  async #registerItself(request: RegistrationRequest, context: GrantContext): Promise<Registration | undefined> {
    const { discovery, redirectUri } = request;
    if (!this.#isDynamic) {
      return undefined;
    }
    const covers = ({ redirectUris }: Registration): boolean => redirectUris.includes(redirectUri);
    const known = await findDynamic(discovery.issuer, covers, context);
    if (known !== undefined) {
      context.record.add("registration", "ok", `known as "${toShown(known.clientId)}" since an earlier registration`);
      return known;
    }
    const endpoint = discovery.server.registration_endpoint;
    if (endpoint === undefined) {
      return undefined;
    }
    const fresh = await registerClient({ ...request, metadata: this.#metadata, endpoint }, context);
    return keepDynamic(fresh, covers, context);
  }

  /** Why nothing applies, and what would. */
  #explain({ issuer, server }: Discovery): string {
    const configured = this.#preregistered.map((client) => client.issuer ?? this.#defaultIssuer ?? "any");
    if (configured.length > 0) {
      return `the server's tokens come from ${issuer}, but the configured client ids belong to ${configured.join(", ")}: if the change is right, add a preregistered client for ${issuer}`;
    }
    const document = server.client_id_metadata_document_supported === true;
    const isOpen = server.registration_endpoint !== undefined;
    const ways = [
      ...(document ? ["set clientIdUrl to the address of a metadata document, which it takes"] : []),
      ...(isOpen ? ["allow dynamic registration, which it offers"] : []),
      `register a client there by hand and configure its id as preregistered for ${issuer}`,
    ];
    return `no client id for it is configured${isOpen ? "" : ", and it offers no registration"}: ${ways.join(", or ")}`;
  }
}

function fail(issuer: string, problem: string, { record }: GrantContext): never {
  record.add("registration", "failed", problem);
  throw new AuthorizationError(`the client is not registered at ${quote(issuer)}: ${problem}`, {
    stage: "registration",
    issuer,
  });
}
