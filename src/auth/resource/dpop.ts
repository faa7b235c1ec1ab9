/**
 * Checks the proof that goes with a token which is bound to a key.
 *
 * Whether the token is bound, and to which key, the verifier says. RFC 9449 section 4.3, and the DPoP extension.
 */
import { calculateJwkThumbprint, EmbeddedJWK, errors, type JWK, type JWTPayload, jwtVerify } from "jose";
import { parseUrl } from "../../base/url.ts";
import type { KeyValue } from "../../store/contracts.ts";
import type { Denial, Outcome } from "./denial.ts";
import { hashText } from "./hash.ts";
import type { ResourceRequest } from "./message.ts";
import type { NonceSource } from "./nonce.ts";
import { rememberProof } from "./replay.ts";

/** How far the time of a proof may lie from ours, either way, in seconds [X-DPOP-011]. */
const maxAgeSeconds = 300;

/** Longest proof that is looked at, and longest identifier in one, in characters. */
const maxProofLength = 8_192;
const maxIdLength = 512;

/** Options of tokens that are bound to a key. RFC 9449. */
export interface DpopOptions {
  /** Whether plain bearer tokens are refused. Default false. */
  required?: boolean | undefined;
  /** Signing algorithms of proofs, asymmetric only. Default: all that are. */
  algorithms?: readonly string[] | undefined;
  /**
   * Whether proofs must carry a nonce of this server, good for 150 to 300 seconds. Bytes are the secret they are made
   * with, the same on all nodes, at least 32; true is a random one. Default false.
   */
  nonce?: boolean | Uint8Array | undefined;
  /**
   * Whether a proof is taken once only. Default true. Nodes share what they saw where they share `store`, which keeps each
   * proof for up to ten minutes. One that is full makes every caller with a proof get 503, so bound the rate of requests:
   * the default store holds 1,000,000 proofs.
   */
  replayProtection?: boolean | undefined;
}

/** What proofs are checked with. */
export interface ProofRules {
  readonly algorithms: string[];
  readonly nonces: NonceSource | undefined;
  /** `undefined` where a proof may be used again. */
  readonly store: KeyValue | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** What a proof has to fit. */
export interface ProofTarget {
  readonly token: string;
  /** The thumbprint that the token names. */
  readonly keyThumbprint: string;
  /** The address the client sent the request to. */
  readonly requestUrl: string;
}

/**
 * Checks the proof of a request.
 *
 * @throws what the store rejects with
 */
export async function checkProof(
  request: ResourceRequest,
  target: ProofTarget,
  rules: ProofRules,
): Promise<Outcome<undefined>> {
  const header = request.header("dpop");
  if (header === undefined || header.includes(",") || header.length > maxProofLength) {
    return refuse(`expected exactly one DPoP header of at most ${maxProofLength} characters`);
  }
  const proof = await verifySignature(header, rules);
  if (proof === undefined) {
    return refuse("the proof is not a JWT of type dpop+jwt, signed by an accepted algorithm and its own public key");
  }
  const problem = await findProblem(proof, request, target, rules.now());
  if (problem !== undefined) {
    return refuse(problem);
  }
  if (rules.nonces !== undefined && !(typeof proof.nonce === "string" && (await rules.nonces.isFresh(proof.nonce)))) {
    return refuse("the proof needs the nonce that comes with this reply", "use_dpop_nonce");
  }
  return (await isFirstUse(proof, rules))
    ? { ok: true, value: undefined }
    : refuse("the proof was used before; make another one for each request");
}

/** Claims of a proof whose signature is right. */
interface Proof {
  readonly thumbprint: string;
  readonly id: string;
  readonly method: string;
  readonly url: string;
  readonly issuedAt: number;
  readonly tokenHash: unknown;
  readonly nonce: unknown;
}

async function verifySignature(text: string, rules: ProofRules): Promise<Proof | undefined> {
  try {
    const { payload, protectedHeader } = await jwtVerify(text, EmbeddedJWK, {
      typ: "dpop+jwt",
      algorithms: rules.algorithms,
      currentDate: new Date(rules.now()),
      clockTolerance: maxAgeSeconds,
    });
    const { jwk } = protectedHeader;
    return jwk === undefined || isSecretKey(jwk) ? undefined : await toProof(payload, jwk);
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError || error instanceof DOMException) {
      return undefined;
    }
    throw error;
  }
}

async function toProof(payload: JWTPayload, jwk: JWK): Promise<Proof | undefined> {
  const { jti, htm, htu, iat, ath, nonce } = payload;
  if (typeof jti !== "string" || typeof htm !== "string" || typeof htu !== "string" || typeof iat !== "number") {
    return undefined;
  }
  const thumbprint = await calculateJwkThumbprint(jwk);
  return { thumbprint, id: jti, method: htm, url: htu, issuedAt: iat, tokenHash: ath, nonce };
}

/** The header is for a public key: whoever sends the private part has given it away. */
function isSecretKey(jwk: JWK): boolean {
  return ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"].some((member) => Object.hasOwn(jwk, member));
}

async function findProblem(
  proof: Proof,
  request: ResourceRequest,
  target: ProofTarget,
  nowMs: number,
): Promise<string | undefined> {
  if (proof.thumbprint !== target.keyThumbprint) {
    return "the proof is signed by another key than the token is bound to";
  }
  if (proof.method !== request.method) {
    return `expected htm of the proof to be ${request.method}, got another method`;
  }
  if (normalize(proof.url) !== normalize(target.requestUrl)) {
    return `expected htu of the proof to be ${target.requestUrl}, got another address`;
  }
  if (!(Math.abs(nowMs / 1_000 - proof.issuedAt) <= maxAgeSeconds)) {
    return `expected iat of the proof to lie within ${maxAgeSeconds} seconds of this server's time`;
  }
  if (proof.tokenHash !== (await hashText(target.token))) {
    return "ath of the proof does not fit the token";
  }
  return proof.id === "" || proof.id.length > maxIdLength ? "jti of the proof is empty or too long" : undefined;
}

/** Scheme and host in lower case, no default port, query and fragment; none with user info. RFC 9449 section 4.3. */
function normalize(text: string): string | undefined {
  const url = parseUrl(text);
  return url && url.username === "" && url.password === "" ? `${url.origin}${url.pathname}` : undefined;
}

/** Asked last, so that nobody without the key and the token fills the store. */
async function isFirstUse(proof: Proof, { store, now }: ProofRules): Promise<boolean> {
  if (store === undefined) {
    return true;
  }
  const untilMs = (proof.issuedAt + maxAgeSeconds + 1) * 1_000;
  return rememberProof(store, proof.thumbprint, proof.id, Math.max(1, Math.ceil(untilMs - now())));
}

function refuse(message: string, error = "invalid_dpop_proof"): { readonly ok: false; readonly denial: Denial } {
  return { ok: false, denial: { status: 401, error, message } };
}
