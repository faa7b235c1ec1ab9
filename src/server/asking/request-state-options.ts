/** What an author may say about the state that travels with the client between rounds of questions. */
import { UsageError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { KeyValue } from "../../store/contracts.ts";
import type { MaybePromise } from "../maybe.ts";
import { createProcessKeys, SharedKeys, type StateKeys, toConfiguredKeys } from "./request-state-keys.ts";

/**
 * Options of the state that a call carries from one round of questions to the next, by way of the client. It is
 * encrypted and bound to the caller, the server's name, the method, its arguments and a time.
 * Specification: Basic > Multi Round-Trip Requests.
 */
export interface RequestStateOptions {
  /**
   * Keys, the newest first: it seals, all of them open. 32 bytes, as bytes or as base64url without padding, or a
   * passphrase of at least 16 characters.
   *
   * Default: where the server was given a store, a key made at random every day and shared through it, so that any
   * process may take the answers to another's questions. Such a key is as safe as the sessions beside it: whoever can
   * read the store can open states, and make them up. Without a store, one made at random for this process.
   */
  keys?: readonly (Uint8Array | string)[] | undefined;
  /** `"many"` makes it an error to define the server with neither keys nor a store. Default `"one"`. */
  processes?: "one" | "many" | undefined;
  /** How long a client may take to come back with answers, in milliseconds. Default 600 000, ten minutes. */
  ttlMs?: number | undefined;
  /** Longest state, sealed, in characters. Default 65 536. */
  maxLength?: number | undefined;
  /** Rounds of questions in one call. Default 10. */
  maxRounds?: number | undefined;
  /**
   * Claims a state: true for the first caller with this id, false for all others in the next `ttlMs` milliseconds.
   * Default: kept in the server's store, where it was given one; else remembered in this process, at most 100 000 at a
   * time; more are refused.
   */
  claim?: ((id: string, ttlMs: number) => MaybePromise<boolean>) | undefined;
}

/** The options with every question answered. */
export interface RequestStateSettings {
  /** Asked anew for each state, as a store may be given late. */
  readonly keys: () => StateKeys;
  /** Whether only this process has the key. */
  readonly isKeyOwn: () => boolean;
  readonly ttlMs: number;
  readonly maxLength: number;
  readonly maxRounds: number;
  readonly claim: (id: string, ttlMs: number) => MaybePromise<boolean>;
}

const maxClaims = 100_000;

/**
 * The options with their defaults.
 *
 * @param now - milliseconds since the epoch
 * @param findStore - the store that was given to the server, if one was so far
 * @throws UsageError for a key that is none, a bound that is none, and for many processes without a key
 */
export function resolveRequestState(
  options: RequestStateOptions,
  now: () => number,
  findStore: () => KeyValue | undefined = () => undefined,
): RequestStateSettings {
  const { keys = [], processes = "one", ttlMs = 600_000, maxLength = 65_536, maxRounds = 10, claim } = options;
  assertBound("ttlMs", ttlMs);
  assertBound("maxLength", maxLength);
  assertBound("maxRounds", maxRounds);
  const [newest, ...older] = keys;
  if (newest === undefined && findStore() === undefined && (processes === "many" || claim !== undefined)) {
    const why = processes === "many" ? 'processes is "many"' : "claim is given, as for several processes";
    throw new UsageError(
      `requestState: ${why}, but there are no keys, so that a state sealed by one process could not be opened by ` +
        "another; set keys to the same secret in all of them, or give the server a store that they share",
    );
  }
  const configured = newest === undefined ? undefined : toConfiguredKeys([newest, ...older]);
  const own = createProcessKeys();
  const claimHere = claimInMemory(now);
  return {
    keys: () => {
      const store = findStore();
      return configured ?? (store === undefined ? own : new SharedKeys(store, ttlMs, now));
    },
    isKeyOwn: () => configured === undefined && findStore() === undefined,
    ttlMs,
    maxLength,
    maxRounds,
    claim:
      claim ??
      ((id, leftMs) => {
        const store = findStore();
        return store === undefined ? claimHere(id, leftMs) : claimIn(store, id, leftMs);
      }),
  };
}

function assertBound(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`requestState.${name}: expected an integer of at least 1, got ${value}`);
  }
}

async function claimIn(store: KeyValue, id: string, ttlMs: number): Promise<boolean> {
  return (await store.set(`request-state/used/${id}`, "", { ifVersion: null, ttlMs })) !== undefined;
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
