/**
 * Binding tokens to a key: proofs that a request comes from whoever has the key, with the nonces that servers want in them.
 *
 * Implements dpop-keys.ts. Which requests carry a proof is decided where they are sent.
 * Specification: RFC 9449 sections 4, 8 and 9; the DPoP extension.
 */
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { encodeBase64 } from "../../../base/base64.ts";
import { encodeBase64Url } from "../../../base/base64url.ts";
import { UsageError } from "../../../base/error.ts";
import { createId } from "../../../base/id.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import { Lru } from "../../../base/lru.ts";
import type { Clock } from "../../../base/timer.ts";
import { parseUrl } from "../../../base/url.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { Credentials } from "../storage/credentials.ts";
import type { DpopAudience, DpopKeys, DpopRequest } from "./dpop-keys.ts";
import { assertSigningAlgorithm, createKeySigner, type JwtSigner, signJwt } from "./signed-jwt.ts";

/**
 * A key that is kept elsewhere, as in hardware, and only signs. Specification: the DPoP extension > Key Storage.
 *
 * @example
 * ```ts
 * import type { DpopSigner } from "parley-mcp/auth/client";
 *
 * export function createSigner(device: {
 *   publicJwk: DpopSigner["publicJwk"];
 *   sign(data: Uint8Array): Promise<Uint8Array>;
 * }): DpopSigner {
 *   return { algorithm: "ES256", publicJwk: device.publicJwk, sign: (data) => device.sign(data) };
 * }
 * ```
 */
export interface DpopSigner extends JwtSigner {
  /** Its public half. */
  readonly publicJwk: JWK;
}

/** How a key is opened. */
export interface DpopKeyOptions {
  /** The authorization server whose tokens are bound to it. Each has a key of its own. */
  readonly issuer: string;
  /** Where a key is kept, as text, from one run to the next. Default: it lives in memory, and cannot be taken out of it. */
  readonly credentials?: Credentials | undefined;
  /** Algorithm of a new key. Default `ES256`. One that was kept stays as it is. */
  readonly algorithm?: string | undefined;
  /** Signs instead of a key of ours. */
  readonly signer?: DpopSigner | undefined;
  /** Whether proofs for resources also bind the body (`content_digest`, of an older draft). Default false [X-DPOP-018]. */
  readonly contentDigest?: boolean | undefined;
  readonly clock: Clock;
}

/** Most servers whose nonces are remembered. */
const maxNonces = 100;
/** Longest nonce that is taken, in characters. */
const maxNonceLength = 2_048;
/** Members of public keys, by type. */
const publicMembers: ReadonlyMap<string, readonly (keyof JWK)[]> = /* @__PURE__ */ new Map([
  ["EC", ["kty", "crv", "x", "y"]],
  ["OKP", ["kty", "crv", "x"]],
  ["RSA", ["kty", "n", "e"]],
]);

/**
 * Opens the key of an issuer: the signer's, the kept one, or a new one.
 *
 * @throws {@link UsageError} for a signer or algorithm that is none for signatures; {@link AuthorizationError} where what
 * was kept is no key
 */
export async function openDpopKeys(options: DpopKeyOptions): Promise<DpopKeys> {
  const { issuer, credentials, algorithm = "ES256", clock, contentDigest = false } = options;
  const signer = options.signer ?? (await openSigner(issuer, algorithm, credentials));
  assertSigningAlgorithm(signer.algorithm, "signer.algorithm");
  return new SigningKeys(signer, toPublicJwk(signer.publicJwk), clock, contentDigest);
}

class SigningKeys implements DpopKeys {
  readonly algorithm: string;
  readonly #signer: JwtSigner;
  readonly #publicJwk: JWK;
  readonly #clock: Clock;
  readonly #bindsBody: boolean;
  readonly #nonces: Lru<string>;

  constructor(signer: JwtSigner, publicJwk: JWK, clock: Clock, bindsBody: boolean) {
    this.algorithm = signer.algorithm;
    this.#signer = signer;
    this.#publicJwk = publicJwk;
    this.#clock = clock;
    this.#bindsBody = bindsBody;
    this.#nonces = new Lru(maxNonces, () => clock.now());
  }

  async prove({ audience, method, url, accessToken, body }: DpopRequest): Promise<string> {
    const { origin, pathname } = new URL(url);
    const bindsBody = this.#bindsBody && audience === "resource" && body !== undefined;
    const claims = {
      jti: createId(),
      htm: method,
      htu: `${origin}${pathname}`,
      iat: Math.floor(this.#clock.now() / 1_000),
      ath: accessToken === undefined ? undefined : encodeBase64Url(await digest(accessToken)),
      nonce: this.#nonces.get(toNonceKey(audience, url)),
      content_digest: bindsBody ? `sha-256=:${encodeBase64(await digest(body))}:` : undefined,
    };
    return signJwt({ typ: "dpop+jwt", jwk: this.#publicJwk }, claims, this.#signer);
  }

  takeNonce(audience: DpopAudience, url: string, response: Response): boolean {
    const nonce = response.headers.get("dpop-nonce");
    const isNonce = nonce !== null && nonce.length <= maxNonceLength && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(nonce);
    const key = toNonceKey(audience, url);
    if (!isNonce || this.#nonces.get(key) === nonce) {
      return false;
    }
    this.#nonces.set(key, nonce);
    return true;
  }
}

/** Nonces of the two kinds of server never mix, nor those of two origins [X-DPOP-007]. */
function toNonceKey(audience: DpopAudience, url: string): string {
  return `${audience} ${parseUrl(url)?.origin ?? url}`;
}

async function openSigner(issuer: string, algorithm: string, credentials?: Credentials): Promise<DpopSigner> {
  assertSigningAlgorithm(algorithm, "algorithm");
  if (credentials === undefined) {
    const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: false });
    return toSigner(privateKey, await exportJWK(publicKey), algorithm);
  }
  const kept =
    (await credentials.findKey(issuer)) ?? (await credentials.saveKey(issuer, await createKeyText(algorithm)));
  const signer = await readSigner(kept);
  if (signer === undefined) {
    throw new AuthorizationError(
      `the store holds no usable DPoP key for ${issuer}, but something else in its place: delete that, and log in anew`,
      { stage: "token", issuer },
    );
  }
  return signer;
}

async function createKeyText(algorithm: string): Promise<string> {
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true });
  return JSON.stringify({ ...(await exportJWK(privateKey)), alg: algorithm });
}

/** A key as it was kept; it does not leave memory any more. */
async function readSigner(text: string): Promise<DpopSigner | undefined> {
  const parsed = parseJson(text, 4);
  const jwk = parsed.ok && isObject(parsed.value) ? parsed.value : {};
  const { kty, alg } = jwk;
  if (typeof kty !== "string" || typeof alg !== "string") {
    return undefined;
  }
  try {
    const key = await importJWK({ ...jwk, kty }, alg, { extractable: false });
    return key instanceof Uint8Array ? undefined : toSigner(key, { ...jwk, kty }, alg);
  } catch {
    // What cannot be imported is no key; the caller says so without repeating any of it.
    return undefined;
  }
}

function toSigner(key: CryptoKey, jwk: JWK, algorithm: string): DpopSigner {
  return { ...createKeySigner(key, algorithm), publicJwk: toPublicJwk(jwk) };
}

/** The public members and no others: everybody who gets a proof sees them. */
function toPublicJwk(jwk: JWK): JWK {
  const members = publicMembers.get(jwk.kty ?? "");
  if (members === undefined || members.some((member) => typeof jwk[member] !== "string")) {
    throw new UsageError("publicJwk: expected a public EC, OKP or RSA key, got none");
  }
  return Object.fromEntries(members.map((member) => [member, jwk[member]])) as JWK;
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)));
}
