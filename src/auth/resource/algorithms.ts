/**
 * Signing algorithms that are accepted: asymmetric ones only, as a shared secret or none would let others sign.
 *
 * RFC 8725 section 3.1, RFC 9068 section 4, RFC 9449 section 4.3.
 */
import { UsageError } from "../../base/error.ts";

/** Those accepted where nothing else is said. */
export const asymmetricAlgorithms: readonly string[] = [
  "ES256",
  "ES384",
  "ES512",
  "PS256",
  "PS384",
  "PS512",
  "RS256",
  "RS384",
  "RS512",
  "EdDSA",
  "Ed25519",
];

/**
 * The algorithms of an option, or all that are safe.
 *
 * @throws {@link UsageError} for one that is not
 */
export function resolveAlgorithms(option: string, algorithms: readonly string[] | undefined): string[] {
  const chosen = algorithms ?? asymmetricAlgorithms;
  const refused = chosen.find((algorithm) => !asymmetricAlgorithms.includes(algorithm));
  if (refused !== undefined || chosen.length === 0) {
    throw new UsageError(
      `${option}: expected some of ${asymmetricAlgorithms.join(", ")}, got ${refused === undefined ? "none" : `"${refused}"`}`,
    );
  }
  return [...chosen];
}
