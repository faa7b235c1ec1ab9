/**
 * Whether two callers are the same, so that what belongs to one serves nobody else, and limits hold for each.
 *
 * Knows what a verified token says, not how it was verified. Specification: Security Best Practices > Session Hijacking.
 */
import type { AuthInfo } from "./types/auth.ts";

/** Whether both stand for the same user and client of the same issuer; nobody is the same as nobody [SEC-019]. */
export function isSamePrincipal(one: AuthInfo | undefined, other: AuthInfo | undefined): boolean {
  return one?.issuer === other?.issuer && one?.subject === other?.subject && one?.clientId === other?.clientId;
}

/** A text that is the same for the same caller; nothing where nobody is identified, as anybody may be behind that. */
export function toPrincipalKey(auth: AuthInfo | undefined): string | undefined {
  return auth === undefined ? undefined : JSON.stringify([auth.issuer, auth.subject, auth.clientId]);
}
