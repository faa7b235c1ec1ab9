/**
 * Whether tokens are bound to a key, as decided once it is known where they come from. Making proofs is dpop.ts.
 *
 * Specification: the DPoP extension; RFC 9449.
 */
import type { Discovery } from "../discovery/discovery.ts";
import type { AuthorizationRecord } from "../record.ts";
import type { DpopKeys } from "./dpop-keys.ts";

/**
 * When tokens are bound to a key: never, where the resource wants it, or wherever the authorization server takes it
 * [AUTHDRAFT-018].
 */
export type DpopPolicy = "never" | "required" | "supported";

/** What {@link chooseDpop} goes by. */
export interface DpopChoice {
  readonly policy: DpopPolicy;
  readonly discovery: Discovery;
  /** Whether the tokens to be renewed are bound already. */
  readonly isBound: boolean;
  readonly openKeys: (issuer: string) => Promise<DpopKeys>;
  readonly record: AuthorizationRecord;
}

/** The keys to bind tokens to, or nothing where they are to be plain bearer tokens. */
export async function chooseDpop({
  policy,
  discovery,
  isBound,
  openKeys,
  record,
}: DpopChoice): Promise<DpopKeys | undefined> {
  const { resourceMetadata, server, issuer } = discovery;
  const algorithms = server.dpop_signing_alg_values_supported ?? [];
  const isOffered = policy === "supported" && algorithms.length > 0;
  const isRequired = resourceMetadata?.requiresDpop === true;
  if (policy === "never" || !(isBound || isOffered || isRequired)) {
    return undefined;
  }
  const keys = await openKeys(issuer);
  if (algorithms.length > 0 && !algorithms.includes(keys.algorithm)) {
    const detail = `${issuer} takes proofs signed with ${algorithms.join(", ")}, not with ${keys.algorithm}`;
    record.add("server-metadata", "skipped", detail);
    return undefined;
  }
  return keys;
}
