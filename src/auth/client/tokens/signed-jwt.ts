/**
 * Signing of the two kinds of JWT that a client makes: assertions of who it is, and DPoP proofs.
 *
 * Written out over WebCrypto because a signer may be elsewhere, as in hardware, and gives signatures only.
 * Specification: RFC 7515 section 7.1, RFC 7518 section 3.1.
 */
import type { CryptoKey } from "jose";
import { encodeBase64Url } from "../../../base/base64url.ts";
import { UsageError } from "../../../base/error.ts";

/** Whatever signs with a private key. */
export interface JwtSigner {
  /** Its algorithm, such as `ES256`. */
  readonly algorithm: string;
  /** The signature in the form that JWTs have: for ECDSA both numbers side by side, not DER. */
  sign(data: Uint8Array): Promise<Uint8Array>;
}

/** What WebCrypto calls an algorithm. */
interface Algorithm {
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
  readonly saltLength?: number;
}

/** Asymmetric ones only. */
const algorithms: ReadonlyMap<string, Algorithm> = /* @__PURE__ */ new Map<string, Algorithm>([
  ["ES256", { name: "ECDSA", hash: "SHA-256", namedCurve: "P-256" }],
  ["ES384", { name: "ECDSA", hash: "SHA-384", namedCurve: "P-384" }],
  ["ES512", { name: "ECDSA", hash: "SHA-512", namedCurve: "P-521" }],
  ["RS256", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" }],
  ["RS384", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-384" }],
  ["RS512", { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512" }],
  ["PS256", { name: "RSA-PSS", hash: "SHA-256", saltLength: 32 }],
  ["PS384", { name: "RSA-PSS", hash: "SHA-384", saltLength: 48 }],
  ["PS512", { name: "RSA-PSS", hash: "SHA-512", saltLength: 64 }],
  ["EdDSA", { name: "Ed25519" }],
  ["Ed25519", { name: "Ed25519" }],
]);

/**
 * Refuses whatever is no asymmetric signing algorithm.
 *
 * @param what - what names it, for the message
 * @throws {@link UsageError}
 */
export function assertSigningAlgorithm(algorithm: string, what: string): void {
  if (!algorithms.has(algorithm)) {
    throw new UsageError(`${what}: expected one of ${[...algorithms.keys()].join(", ")}, got "${algorithm}"`);
  }
}

/**
 * A signer over a private key of WebCrypto.
 *
 * @throws {@link UsageError} where the key is not one of this algorithm's, or not for signing
 */
export function createKeySigner(key: CryptoKey, algorithm: string): JwtSigner {
  assertSigningAlgorithm(algorithm, "algorithm");
  const expected = algorithms.get(algorithm) as Algorithm;
  if (!isFor(key, expected)) {
    throw new UsageError(`key: expected a private key that may sign with ${algorithm}, got another kind of key`);
  }
  return {
    algorithm,
    sign: async (data) => new Uint8Array(await crypto.subtle.sign(expected, key, Uint8Array.from(data))),
  };
}

/** A signed JWT in its compact form. Members that are `undefined` are left out. */
export async function signJwt(
  header: Readonly<Record<string, unknown>>,
  claims: Readonly<Record<string, unknown>>,
  signer: JwtSigner,
): Promise<string> {
  const text = `${encodePart({ alg: signer.algorithm, ...header })}.${encodePart(claims)}`;
  return `${text}.${encodeBase64Url(await signer.sign(new TextEncoder().encode(text)))}`;
}

function encodePart(part: Readonly<Record<string, unknown>>): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(part)));
}

/** WebCrypto gives every key the parameters that belong to its algorithm; the missing ones are unlike any expected one. */
function isFor(key: CryptoKey, expected: Algorithm): boolean {
  const { name, hash, namedCurve }: { name: string; hash?: { name: string }; namedCurve?: string } = key.algorithm;
  const isRsa = expected.name.startsWith("RSA");
  return (
    key.type === "private" &&
    key.usages.includes("sign") &&
    name === expected.name &&
    namedCurve === expected.namedCurve &&
    (!isRsa || hash?.name === expected.hash)
  );
}
