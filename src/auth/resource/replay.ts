/**
 * Remembers proofs, so that each is taken once. Shared between nodes where their store is.
 *
 * RFC 9449 section 11.1.
 */
import type { KeyValue } from "../../store/contracts.ts";
import { hashText } from "./hash.ts";

/**
 * Takes a proof down.
 *
 * @param key - thumbprint of the key that signed it; identifiers of different keys do not meet
 * @param id - the proof's own identifier
 * @param ttlMs - for how long it could be used again, in milliseconds
 * @returns whether it is the first time
 */
export async function rememberProof(store: KeyValue, key: string, id: string, ttlMs: number): Promise<boolean> {
  const entry = `dpop-proof:${await hashText(`${key} ${id}`)}`;
  return (await store.set(entry, "", { ifVersion: null, ttlMs })) !== undefined;
}
