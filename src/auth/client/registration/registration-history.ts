/**
 * The clients that this program registered itself as at one issuer: the newest, and the few before it that tokens may still
 * belong to or whose redirect address may come back.
 *
 * Kept as one record, written by compare-and-set, so that processes that share a store do not lose each other's.
 */
import { isObject } from "../../../base/json.ts";
import type { GrantContext } from "../grant.ts";
import type { Registration } from "../storage/credential.ts";
import type { Kept } from "../storage/credentials.ts";

/** The newest registration, with those before it. */
interface History extends Registration {
  readonly earlier: readonly Registration[];
}

/** What of a context is used here. */
type StoreContext = Pick<GrantContext, "credentials" | "clock">;

/** Most registrations that are kept besides the newest. */
const maxEarlier = 4;
/** How often others may be faster before what they wrote is overwritten. */
const maxAttempts = 4;

/** The newest registration at an issuer that is still good and is what is looked for. */
export async function findDynamic(
  issuer: string,
  isWanted: (registration: Registration) => boolean,
  context: StoreContext,
): Promise<Registration | undefined> {
  const kept = await context.credentials.findRegistration(issuer);
  return listAll(kept, issuer, context).find(isWanted);
}

/**
 * Keeps a new registration, unless somebody else has meanwhile kept one that does as well.
 *
 * @returns the one to use
 */
export async function keepDynamic(
  fresh: Registration,
  isWanted: (registration: Registration) => boolean,
  context: StoreContext,
): Promise<Registration> {
  const { credentials } = context;
  for (let attempt = 1; ; attempt += 1) {
    const kept = await credentials.findRegistration(fresh.issuer);
    const others = listAll(kept, fresh.issuer, context);
    const winner = others.find(isWanted);
    if (winner !== undefined) {
      return winner;
    }
    const isLast = attempt === maxAttempts;
    const version = isLast ? undefined : (kept?.version ?? null);
    if ((await save([fresh, ...others], context, version)) || isLast) {
      return fresh;
    }
  }
}

/** Forgets a registration; those before and after it stay. */
export async function dropDynamic({ issuer, clientId }: Registration, context: StoreContext): Promise<void> {
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const kept = await context.credentials.findRegistration(issuer);
    const all = listAll(kept, issuer, context);
    const rest = all.filter((registration) => registration.clientId !== clientId);
    if (kept === undefined || rest.length === all.length) {
      return;
    }
    if (rest.length === 0) {
      return context.credentials.deleteRegistration(issuer, kept.version);
    }
    if (await save(rest, context, kept.version)) {
      return;
    }
  }
}

/** The newest first. What has expired is as good as not there. */
function listAll(kept: Kept<Registration> | undefined, issuer: string, { clock }: StoreContext): Registration[] {
  if (kept === undefined) {
    return [];
  }
  const { record } = kept;
  const earlier = "earlier" in record && Array.isArray(record.earlier) ? record.earlier.filter(isRegistration) : [];
  const now = clock.now();
  return [record, ...earlier].filter(
    ({ issuer: own, secretExpiresAtMs = Number.POSITIVE_INFINITY }) => own === issuer && secretExpiresAtMs > now,
  );
}

async function save(
  [newest, ...rest]: readonly Registration[],
  { credentials }: StoreContext,
  ifVersion: string | null | undefined,
): Promise<boolean> {
  if (newest === undefined) {
    return true;
  }
  const earlier = rest.slice(0, maxEarlier).map(withoutHistory);
  const history: History = { ...newest, earlier };
  return (await credentials.saveRegistration(history, ifVersion)) !== undefined;
}

/** The newest one becomes an earlier one: its own history moves to its successor. */
function withoutHistory(registration: Registration): Registration {
  const { kind, issuer, clientId, clientSecret, secretExpiresAtMs, tokenEndpointAuthMethod, redirectUris } =
    registration;
  return { kind, issuer, clientId, clientSecret, secretExpiresAtMs, tokenEndpointAuthMethod, redirectUris };
}

function isRegistration(value: unknown): value is Registration {
  return (
    isObject(value) &&
    value.kind === "dynamic" &&
    typeof value.issuer === "string" &&
    typeof value.clientId === "string" &&
    Array.isArray(value.redirectUris)
  );
}
