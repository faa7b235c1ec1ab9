/** What an author may say about the state that travels with the client between rounds of questions, and its keys. */
import { decodeBase64Url } from "../../base/base64url.ts";
import { UsageError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { MaybePromise } from "../maybe.ts";

/**
 * Options of the state that a call carries from one round of questions to the next, by way of the client. It is
 * encrypted and bound to the caller, the server's name, the method, its arguments and a time.
 * Specification: Basic > Multi Round-Trip Requests.
 */
export interface RequestStateOptions {
  /**
   * Keys, the newest first: it seals, all of them open. 32 bytes, as bytes or as base64url without padding, or a
   * passphrase of at least 16 characters. Default: one made at random for this process.
   */
  keys?: readonly (Uint8Array | string)[] | undefined;
  /** `"many"` makes it an error to define the server without keys. Default `"one"`. */
  processes?: "one" | "many" | undefined;
  /** How long a client may take to come back with answers, in milliseconds. Default 600 000, ten minutes. */
  ttlMs?: number | undefined;
  /** Longest state, sealed, in characters. Default 65 536. */
  maxLength?: number | undefined;
  /** Rounds of questions in one call. Default 10. */
  maxRounds?: number | undefined;
  /**
   * Claims a state: true for the first caller with this id, false for all others in the next `ttlMs` milliseconds.
   * Default: remembered in this process, at most 100 000 at a time; more are refused. Several processes need a store they
   * share.
   */
  claim?: ((id: string, ttlMs: number) => MaybePromise<boolean>) | undefined;
}

/** The options with every question answered. */
export interface RequestStateSettings {
  /** The newest first; the promises of derived keys are made once. */
  readonly keys: readonly (() => MaybePromise<Uint8Array>)[];
  /** Whether the key was made up for this process. */
  readonly isKeyRandom: boolean;
  readonly ttlMs: number;
  readonly maxLength: number;
  readonly maxRounds: number;
  readonly claim: (id: string, ttlMs: number) => MaybePromise<boolean>;
}

const keyLength = 32;
const minPassphrase = 16;
const maxClaims = 100_000;

/** The most that every platform with web crypto allows. */
const iterations = 100_000;

/**
 * The options with their defaults.
 *
 * @param now - milliseconds since the epoch
 * @throws UsageError for a key that is none, a bound that is none, and for many processes without a key
 */
export function resolveRequestState(options: RequestStateOptions, now: () => number): RequestStateSettings {
  const { keys = [], processes = "one", ttlMs = 600_000, maxLength = 65_536, maxRounds = 10, claim } = options;
  assertBound("ttlMs", ttlMs);
  assertBound("maxLength", maxLength);
  assertBound("maxRounds", maxRounds);
  if (keys.length === 0 && (processes === "many" || claim !== undefined)) {
    const why = processes === "many" ? 'processes is "many"' : "claim is given, as for several processes";
    throw new UsageError(
      `requestState: ${why}, but there are no keys, so that a state sealed by one process could not be opened by ` +
        "another; set keys to the same secret in all of them",
    );
  }
  const random = crypto.getRandomValues(new Uint8Array(keyLength));
  return {
    keys: keys.length === 0 ? [() => random] : keys.map(toKey),
    isKeyRandom: keys.length === 0,
    ttlMs,
    maxLength,
    maxRounds,
    claim: claim ?? claimInMemory(now),
  };
}

function assertBound(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`requestState.${name}: expected an integer of at least 1, got ${value}`);
  }
}

function toKey(given: Uint8Array | string, index: number): () => MaybePromise<Uint8Array> {
  const place = `requestState.keys[${index}]`;
  const bytes = typeof given === "string" ? decodeBase64Url(given) : given;
  if (bytes?.length === keyLength) {
    const key = Uint8Array.from(bytes);
    return () => key;
  }
  if (typeof given !== "string") {
    throw new UsageError(`${place}: expected ${keyLength} bytes, got ${given.length}`);
  }
  if (given.length < minPassphrase) {
    throw new UsageError(
      `${place}: expected ${keyLength} bytes as base64url, or a passphrase of at least ${minPassphrase} characters, ` +
        `got ${given.length} characters`,
    );
  }
  let derived: Promise<Uint8Array> | undefined;
  return () => {
    derived ??= deriveKey(given);
    return derived;
  };
}

/** All processes with the same passphrase get the same key, so there is nothing random to salt it with. */
async function deriveKey(passphrase: string): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const secret = await crypto.subtle.importKey("raw", encoder.encode(passphrase), "PBKDF2", false, ["deriveBits"]);
  const salt = encoder.encode("parley-mcp request state");
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, secret, keyLength * 8));
}

/** Nothing that still counts is ever forgotten: a client could make room for its own states by using many others. */
function claimInMemory(now: () => number): RequestStateSettings["claim"] {
  const expiries = new Map<string, number>();
  return (id, ttlMs) => {
    for (const [oldest, expiresAt] of expiries) {
      if (expiresAt > now()) {
        break;
      }
      expiries.delete(oldest);
    }
    if (expiries.has(id)) {
      return false;
    }
    if (expiries.size >= maxClaims) {
      throw new RpcError(rpcCodes.internalError, "too many answers are being taken at the moment: try again later");
    }
    expiries.set(id, now() + ttlMs);
    return true;
  };
}
