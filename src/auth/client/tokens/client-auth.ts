/**
 * How a client proves at the token endpoint who it is: not at all, by a secret, or by a signed assertion.
 *
 * Chooses among what the server's metadata lists and what the client has; nothing is sent from here.
 * Specification: Basic > Authorization; Client Credentials extension; RFC 6749 section 2.3, RFC 7523 section 2.2.
 */
import { type CryptoKey, importJWK, importPKCS8, type JWK } from "jose";
import { type ClientAuth, ClientSecretPost, None } from "oauth4webapi";
import { encodeBase64 } from "../../../base/base64.ts";
import { UsageError } from "../../../base/error.ts";
import { createId } from "../../../base/id.ts";
import { type Clock, systemClock } from "../../../base/timer.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";
import type { Registration } from "../storage/credential.ts";
import { encodeForm } from "./form-encoding.ts";
import { toShown } from "./shown-text.ts";
import { assertSigningAlgorithm, createKeySigner, type JwtSigner, signJwt } from "./signed-jwt.ts";

/** A client's own private key. */
export interface ClientKey {
  readonly signer: JwtSigner;
  /** Its name among the published keys. */
  readonly keyId?: string | undefined;
}

/** A way to prove who the client is. */
export interface ChosenClientAuth {
  /** Its name in metadata, such as `client_secret_basic`. */
  readonly method: string;
  readonly authenticate: ClientAuth;
}

/** How long an assertion is good for. It is sent at once. */
const assertionLifetimeSeconds = 60;

/**
 * Imports a private key to sign assertions with. Specification: Client Credentials extension > JWT Authentication.
 *
 * @param key - PKCS#8 in PEM form (`BEGIN PRIVATE KEY`), a private JWK, or a key of WebCrypto that may sign
 * @param algorithm - a JWS algorithm such as `ES256` or `RS256`; no shared-secret one
 * @param keyId - the key's `kid` among the published ones. Default: the JWK's own
 * @throws {@link UsageError} where it is no such key
 *
 * @example
 * ```ts
 * import { importClientKey } from "parley-mcp/auth/client";
 *
 * export const readKey = (pem: string) => importClientKey(pem, "ES256", "2026-01");
 * ```
 */
export async function importClientKey(
  key: string | JWK | CryptoKey,
  algorithm: string,
  keyId?: string,
): Promise<ClientKey> {
  assertSigningAlgorithm(algorithm, "algorithm");
  const imported = await importKey(key, algorithm);
  const ownId = typeof key === "object" && "kid" in key && typeof key.kid === "string" ? key.kid : undefined;
  return { signer: createKeySigner(imported, algorithm), keyId: keyId ?? ownId };
}

/**
 * Chooses how the client proves who it is.
 *
 * What was agreed at registration goes first. Else a key, where there is one; else a secret, by HTTP Basic where the server
 * takes that; else nothing, as a public client.
 *
 * @param clock - dates assertions
 * @throws {@link AuthorizationError} where the server takes nothing that the client has: before anything is sent
 */
export function chooseClientAuth(
  server: ServerMetadata,
  registration: Registration,
  key?: ClientKey,
  clock: Clock = systemClock,
): ChosenClientAuth {
  const { clientSecret } = registration;
  const name = toName(registration);
  const method = registration.tokenEndpointAuthMethod ?? chooseMethod(server, registration, key);
  switch (method) {
    case "none":
      return { method, authenticate: None() };
    case "client_secret_basic":
    case "client_secret_post":
      if (clientSecret === undefined) {
        return fail(server, `${name} is to use ${method}, but has no secret: configure its clientSecret`);
      }
      return {
        method,
        authenticate: method === "client_secret_post" ? ClientSecretPost(clientSecret) : toBasic(clientSecret),
      };
    case "private_key_jwt":
      if (key === undefined) {
        return fail(server, `${name} is to use ${method}, but has no private key: configure one`);
      }
      assertAlgorithm(server, key.signer.algorithm);
      return { method, authenticate: toAssertion(server.issuer, key, clock) };
    default:
      return fail(
        server,
        `expected an authentication method of none, client_secret_basic, client_secret_post or private_key_jwt for ${name}, got "${toShown(method)}"`,
      );
  }
}

function chooseMethod(server: ServerMetadata, registration: Registration, key?: ClientKey): string {
  const { clientSecret } = registration;
  const supported = server.token_endpoint_auth_methods_supported;
  const takes = (method: string): boolean => supported === undefined || supported.includes(method);
  if (key !== undefined && takes("private_key_jwt")) {
    return "private_key_jwt";
  }
  const bySecret = ["client_secret_basic", "client_secret_post"].find(takes);
  if (clientSecret !== undefined && bySecret !== undefined) {
    return bySecret;
  }
  // A public client goes without a proof also where the list lacks "none": many lists do, and the server has the last word.
  if (takes("none") || (key === undefined && clientSecret === undefined)) {
    return "none";
  }
  const has =
    key === undefined ? "a secret" : clientSecret === undefined ? "a private key" : "a private key and a secret";
  return fail(
    server,
    `${toName(registration)} has ${has}, but the server takes only "${toShown(supported?.join(", ") ?? "")}": configure what it takes`,
  );
}

function toName({ clientId }: Registration): string {
  return `client "${toShown(clientId)}"`;
}

/**
 * HTTP Basic with the two parts encoded as a form encodes them. oauth4webapi also encodes `-`, `_` and `.`, which is allowed
 * but lost on the many servers that do not decode.
 */
function toBasic(clientSecret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const text = `${encodeForm(client.client_id)}:${encodeForm(clientSecret)}`;
    headers.set("authorization", `Basic ${encodeBase64(new TextEncoder().encode(text))}`);
  };
}

/** The id goes in the assertion, not in the body [X-CC-007]. Another assertion each time, also when a request is repeated. */
function toAssertion(issuer: string, { signer, keyId }: ClientKey, clock: Clock): ClientAuth {
  return async (_server, client, body, _headers) => {
    const now = Math.floor(clock.now() / 1_000);
    const claims = {
      iss: client.client_id,
      sub: client.client_id,
      aud: issuer,
      iat: now,
      exp: now + assertionLifetimeSeconds,
      jti: createId(),
    };
    body.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    body.set("client_assertion", await signJwt({ kid: keyId }, claims, signer));
  };
}

function assertAlgorithm(server: ServerMetadata, algorithm: string): void {
  const supported = server.token_endpoint_auth_signing_alg_values_supported;
  if (supported !== undefined && !supported.includes(algorithm)) {
    fail(
      server,
      `the client's key signs with ${algorithm}, but the server takes only "${toShown(supported.join(", "))}": use such a key`,
    );
  }
}

function fail(server: ServerMetadata, problem: string): never {
  throw new AuthorizationError(`no tokens were asked for at ${server.issuer}: ${problem}`, {
    stage: "token",
    issuer: server.issuer,
  });
}

async function importKey(key: string | JWK | CryptoKey, algorithm: string): Promise<CryptoKey> {
  try {
    if (typeof key === "string") {
      return await importPKCS8(key, algorithm);
    }
    if (!("kty" in key)) {
      return key as CryptoKey;
    }
    const imported = await importJWK({ ...key }, algorithm, { extractable: false });
    if (!(imported instanceof Uint8Array)) {
      return imported;
    }
  } catch (cause) {
    throw new UsageError(
      `key: expected a private key for ${algorithm} as PKCS#8 ("BEGIN PRIVATE KEY") or JWK, got what cannot be read as one; convert older files with "openssl pkcs8 -topk8 -nocrypt"`,
      { cause },
    );
  }
  throw new UsageError(`key: expected a private key for ${algorithm}, got a shared secret`);
}
