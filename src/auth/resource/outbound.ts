/**
 * What a resource fetches by: metadata and keys of the issuers it is configured with, and their introspection.
 *
 * The operator named these addresses, so they may lie in a private network. Nothing a caller sent is ever fetched, and the
 * caller's token goes to no address but that of introspection. Specification: Security Best Practices > Token Passthrough.
 */
import type { Clock } from "../../base/timer.ts";
import type { Fetch, GuardedFetch } from "../fetch.ts";
import { createGuardedFetch } from "../guarded-fetch.ts";

/** A guarded fetch for configured addresses; without one of the caller's the global one is used. */
export function createOutboundFetch(own: Fetch | undefined, clock: Clock): GuardedFetch {
  return createGuardedFetch({ fetch: own ?? ((url, init) => fetch(url, init)), allowPrivateAddresses: true, clock });
}
