/**
 * The contract of what binds tokens to a key: proofs for requests, and the nonces that servers want in them.
 *
 * dpop.ts implements it. Specification: RFC 9449, and the DPoP extension.
 */

/** The two kinds of server that take proofs. Each has nonces of its own, also where both share an origin [X-DPOP-007]. */
export type DpopAudience = "authorization-server" | "resource";

/** One request that a proof is for. */
export interface DpopRequest {
  readonly audience: DpopAudience;
  readonly method: string;
  readonly url: string;
  /** On requests that carry one. */
  readonly accessToken?: string | undefined;
  readonly body?: string | undefined;
}

/** A key and what is known of the servers that take its proofs. */
export interface DpopKeys {
  /** The signing algorithm, such as `ES256`. */
  readonly algorithm: string;
  /** The value of the `DPoP` header for one request; another one each time [X-DPOP-002]. */
  prove(request: DpopRequest): Promise<string>;
  /**
   * Takes over the nonce that an answer brings.
   *
   * @returns whether it is another one than before
   */
  takeNonce(audience: DpopAudience, url: string, response: Response): boolean;
}
