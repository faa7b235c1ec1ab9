/**
 * A client whose id and credentials were agreed on beforehand, and how it proves who it is.
 *
 * Nothing is registered here and nothing is kept: what the application configures is all there is.
 */
import type { CryptoKey, JWK } from "jose";
import { UsageError } from "../../../base/error.ts";
import type { Clock } from "../../../base/timer.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";
import type { GrantContext, RevocationRequest } from "../grant.ts";
import type { Registration } from "../storage/credential.ts";
import { type ChosenClientAuth, type ClientKey, chooseClientAuth, importClientKey } from "../tokens/client-auth.ts";
import { revokeTokens } from "../tokens/revocation.ts";
import { assertSigningAlgorithm } from "../tokens/signed-jwt.ts";
import { IssuerPin } from "./issuer-pin.ts";

/** A client id, and at most one of a secret and a private key. */
export interface ConfiguredClientOptions {
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** PKCS#8 in PEM form, a private JWK, or a key of WebCrypto that may sign. Needs `algorithm`. */
  readonly privateKey?: string | JWK | CryptoKey | undefined;
  /** The JWS algorithm of `privateKey`, such as `ES256`. */
  readonly algorithm?: string | undefined;
  /** The name of the key among the published ones. Default: the JWK's own `kid`. */
  readonly keyId?: string | undefined;
  /**
   * `client_secret_basic`, `client_secret_post`, `private_key_jwt` or `none`. Default: by the metadata of the server and
   * what the client has.
   */
  readonly tokenEndpointAuthMethod?: string | undefined;
}

/** See the head of this file. */
export class ConfiguredClient {
  readonly id: string;
  readonly #options: ConfiguredClientOptions;
  readonly #pin: IssuerPin;
  #key: Promise<ClientKey> | undefined;

  /**
   * @param name - what the options are called, for messages
   * @throws {@link UsageError} where they contradict each other
   */
  constructor(options: ConfiguredClientOptions & { readonly issuer?: string | undefined }, name: string) {
    assertClient(options, name);
    this.id = options.clientId;
    this.#options = options;
    this.#pin = new IssuerPin(options.issuer);
  }

  /**
   * A server that is not the client's own gets nothing of it, whoever names it [M-AUTH-012].
   *
   * @throws {@link AuthorizationError} naming both
   */
  assertIssuer(issuer: string): void {
    this.#pin.assert(issuer, `client "${this.id}"`);
  }

  /**
   * How it proves to a server who it is.
   *
   * @throws {@link UsageError} for a key that is none; {@link AuthorizationError} where the server takes nothing it has
   */
  async authenticateAt(server: ServerMetadata, clock: Clock): Promise<ChosenClientAuth> {
    const { clientId, clientSecret, tokenEndpointAuthMethod } = this.#options;
    const registration: Registration = {
      kind: "preregistered",
      issuer: server.issuer,
      clientId,
      clientSecret,
      tokenEndpointAuthMethod,
      redirectUris: [],
    };
    return chooseClientAuth(server, registration, await this.#readKey(), clock);
  }

  /** Tells the client's own server that tokens are no longer wanted. */
  async revoke({ discovery, tokens, signal }: RevocationRequest, context: GrantContext): Promise<void> {
    const { authenticate: clientAuth } = await this.authenticateAt(discovery.server, context.clock);
    await revokeTokens({ discovery, tokens, clientAuth, signal }, context);
  }

  #readKey(): Promise<ClientKey> | undefined {
    const { privateKey, algorithm, keyId } = this.#options;
    if (privateKey !== undefined && algorithm !== undefined) {
      this.#key ??= importClientKey(privateKey, algorithm, keyId);
    }
    return this.#key;
  }
}

function assertClient({ clientId, clientSecret, privateKey, algorithm }: ConfiguredClientOptions, name: string): void {
  if (typeof clientId !== "string" || clientId === "") {
    throw new UsageError(
      `${name}: clientId: expected the id that was agreed on, got ${clientId === "" ? "an empty text" : typeof clientId}`,
    );
  }
  if (clientSecret !== undefined && privateKey !== undefined) {
    throw new UsageError(`${name}: expected either clientSecret or privateKey, and not both`);
  }
  if ((privateKey === undefined) !== (algorithm === undefined)) {
    throw new UsageError(`${name}: expected privateKey and algorithm together, got only one of them`);
  }
  if (algorithm !== undefined) {
    assertSigningAlgorithm(algorithm, `${name}: algorithm`);
  }
}
