/**
 * Which scopes to ask for, and whether what was granted is enough. Pure: nothing here knows where the lists come from.
 *
 * Specification: Basic > Authorization > Scope Selection Strategy, Step-Up Authorization Flow.
 */
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { includesAll, unionScopes as unite } from "../../scope.ts";
import type { TokenSet } from "../storage/credential.ts";
import type { ResourceMetadata, ServerMetadata } from "./discovery.ts";

/** Asks for tokens that can be renewed while the user is away. OpenID Connect Core section 11. */
const offlineAccess = "offline_access";
/** Most scopes that are asked for. */
const maxScopes = 100;
/** Most characters of all of them. */
const maxScopeLength = 4_096;

/** What the choice is made from. */
export interface ScopeChoice {
  /** What the server demanded with its refusal. */
  readonly challenged?: readonly string[] | undefined;
  readonly resourceMetadata?: ResourceMetadata | undefined;
  readonly server: ServerMetadata;
  /** What the application wants: in place of all that the resource offers, beside what it demands. Empty: nothing. */
  readonly configured?: readonly string[] | undefined;
  /** Whether the tokens are to outlive the user's presence. */
  readonly wantsRefresh: boolean;
}

/**
 * The scopes to ask for; `undefined` leaves the parameter out.
 *
 * What is demanded is asked for as it is, whatever anybody's list says [AUTH-017] [AUTH-018] [M-AUTH-017]; without demand,
 * what is configured, or all that the resource lists [AUTH-039]; and nothing beyond that [AUTH-040], except the scope for
 * refresh tokens where the authorization server has it [M-AUTH-024]. That scope never goes alone: it would take the place
 * of the server's own default.
 *
 * @throws {@link AuthorizationError} of stage "authorization" where they are too many, as when a server demands others time
 * and again
 */
export function chooseScopes(choice: ScopeChoice): string[] | undefined {
  const wanted = chooseWanted(choice);
  if (wanted.length === 0) {
    return undefined;
  }
  assertBounded(wanted, choice.server.issuer);
  const isOffered = choice.server.scopes_supported?.includes(offlineAccess) === true;
  return choice.wantsRefresh && isOffered ? unite(wanted, [offlineAccess]) : wanted;
}

/** The scopes to ask for when those of a token do not suffice: all there were, and the new ones [M-AUTH-018]. */
export function unionScopes(before: readonly string[], challenged: readonly string[]): string[] {
  return unite(before, challenged);
}

/** Whether a token has what is demanded already, so that a fresh one of its kind may do [PP-088]. */
export function isCovered(challenged: readonly string[], { grantedScopes }: Pick<TokenSet, "grantedScopes">): boolean {
  return includesAll(grantedScopes, challenged);
}

function assertBounded(scopes: readonly string[], issuer: string): void {
  const length = scopes.join(" ").length;
  if (scopes.length > maxScopes || length > maxScopeLength) {
    const expected = `expected at most ${maxScopes} scopes of ${maxScopeLength} characters together to ask for`;
    const advice = "Where the server lists them, configure `scopes`; where it demands them, it asks for too much";
    const message = `${expected}, got ${scopes.length} of ${length} characters. ${advice}`;
    throw new AuthorizationError(message, { stage: "authorization", issuer });
  }
}

function chooseWanted({ challenged = [], configured, resourceMetadata }: ScopeChoice): string[] {
  return challenged.length > 0
    ? unite(challenged, configured ?? [])
    : unite(configured ?? resourceMetadata?.scopesSupported ?? []);
}
