/**
 * Everything that belongs to one server, put together: its tokens, its ledger of step-ups, its record, its way out.
 *
 * What all servers of a client have in common is {@link SharedParts}. No decision is taken here.
 */
import { Lru } from "../../../base/lru.ts";
import type { AuthChallenge } from "../../challenge.ts";
import type { Fetch, GuardedFetch } from "../../fetch.ts";
import { createGuardedFetch } from "../../guarded-fetch.ts";
import { discover } from "../discovery/discover.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { DiscoveryCache } from "../discovery/discovery-cache.ts";
import { canonicalResource } from "../discovery/resource-metadata.ts";
import type { GrantContext } from "../grant.ts";
import type { ResolvedOAuthOptions } from "../options.ts";
import { AuthorizationRecord } from "../record.ts";
import type { TokenSet } from "../storage/credential.ts";
import { Credentials } from "../storage/credentials.ts";
import { openDpopKeys } from "../tokens/dpop.ts";
import type { DpopKeys } from "../tokens/dpop-keys.ts";
import { createAuthorizedFetch } from "./authorized-fetch.ts";
import { ServerAuthorization } from "./server-authorization.ts";
import { StepUpLedger } from "./step-up.ts";

/** Most issuers whose keys are held ready. */
const maxIssuers = 1_000;

/** What all servers of one client share. */
export class SharedParts {
  readonly options: ResolvedOAuthOptions;
  readonly credentials: Credentials;
  readonly discoveries: DiscoveryCache;
  readonly #keys: Lru<Promise<DpopKeys>>;

  constructor(options: ResolvedOAuthOptions) {
    const { clock } = options;
    this.options = options;
    this.credentials = new Credentials(options);
    this.discoveries = new DiscoveryCache({ clock });
    this.#keys = new Lru(maxIssuers, () => clock.now());
  }

  /** The keys that tokens of an issuer are bound to. */
  openKeys(issuer: string): Promise<DpopKeys> {
    const known = this.#keys.get(issuer);
    if (known !== undefined) {
      return known;
    }
    const { dpopOptions, clock } = this.options;
    const opened = openDpopKeys({ ...dpopOptions, issuer, credentials: this.credentials, clock });
    this.#keys.set(issuer, opened);
    opened.catch(() => {
      // Whoever asked is told; the next one asks again.
      this.#keys.delete(issuer);
    });
    return opened;
  }

  /** A fetch for authorization traffic; a server that the application named itself may be anywhere. */
  createFetch(trusted?: URL): GuardedFetch {
    const { fetch, allowPrivateAddresses, clock } = this.options;
    return createGuardedFetch({ fetch, allowPrivateAddresses, trusted, clock });
  }
}

/** The operation that a person was sent away for, and the scopes there were before. */
interface Asked {
  readonly operation: string;
  readonly granted: readonly string[];
}

/** See the head of this file. */
export class ServerAccess {
  readonly server: string;
  readonly record: AuthorizationRecord;
  readonly fetch: GuardedFetch;
  readonly authorization: ServerAuthorization;
  readonly stepUps: StepUpLedger | undefined;
  readonly #url: URL;
  readonly #parts: SharedParts;
  readonly #context: Omit<GrantContext, "dpop">;
  #asked: Asked | undefined;
  #metadataUrl: string | undefined;

  constructor(url: URL, parts: SharedParts) {
    const { clock, stepUp, sendsResource, report, random, grant, dpop, issuer, scopes, renewAheadMs } = parts.options;
    const { credentials } = parts;
    this.#url = url;
    this.#parts = parts;
    this.server = canonicalResource(url);
    this.record = new AuthorizationRecord(() => clock.now());
    this.fetch = parts.createFetch(url);
    this.stepUps = stepUp === undefined ? undefined : new StepUpLedger(stepUp, () => clock.now());
    this.#context = { fetch: this.fetch, credentials, record: this.record, clock, sendsResource, report };
    this.authorization = new ServerAuthorization({
      server: this.server,
      grant,
      context: this.#context,
      discover: (challenge, signal) => this.discover(challenge, signal),
      openKeys: (from) => parts.openKeys(from),
      dpop,
      issuer,
      scopes,
      renewAheadMs,
      random,
    });
  }

  /** A `fetch` with this server's tokens. */
  wrap(fetch: Fetch): Fetch {
    return createAuthorizedFetch({
      origin: this.#url.origin,
      authorization: this.authorization,
      stepUps: this.stepUps,
      onAsked: (operation, granted) => {
        this.#asked = { operation, granted };
      },
      fetch,
    });
  }

  /** Finds out where tokens come from; without a challenge, by the address that an earlier one named [AUTH-010]. */
  async discover(challenge: AuthChallenge | undefined, signal: AbortSignal): Promise<Discovery> {
    const { approveIssuer, selectServer, issuer, acceptResource } = this.#parts.options;
    const { credentials } = this.#parts;
    const named = challenge?.resourceMetadata;
    this.#metadataUrl ??= await credentials.findMetadataUrl(this.server);
    const legacyFallback = await this.#mayBeLegacy();
    const found = await discover({
      endpoint: this.#url,
      challenge: { resourceMetadata: named ?? this.#metadataUrl },
      fetch: this.fetch,
      record: this.record,
      signal,
      acceptResource,
      selectServer,
      issuer,
      approveIssuer,
      legacyFallback,
      cache: this.#parts.discoveries,
    });
    if (named !== undefined && found.resourceMetadata !== undefined && named !== this.#metadataUrl) {
      this.#metadataUrl = named;
      await credentials.saveMetadataUrl(this.server, named);
    }
    return found;
  }

  /** A server that is known to name another issuer than itself does not turn into an older one by an absence. */
  async #mayBeLegacy(): Promise<boolean> {
    const { credentials, options } = this.#parts;
    const known = (await credentials.findIssuer(this.server)) ?? (await credentials.findPending(this.server))?.issuer;
    const { origin } = this.#url;
    return options.legacyFallback !== false && (known === undefined || known === origin || known === `${origin}/`);
  }

  /** Takes over the tokens of a login that ended elsewhere; where one operation was the reason, as its step-up. */
  async adopt(tokens: TokenSet): Promise<void> {
    await this.authorization.adopt(tokens);
    if (this.#asked !== undefined) {
      this.stepUps?.addSuccess(this.#asked.operation, tokens, this.#asked.granted);
      this.#asked = undefined;
    }
  }

  /** The person who was sent away did not want it. */
  deny(error: unknown): void {
    if (this.#asked !== undefined) {
      this.stepUps?.addFailure(this.#asked.operation, error, true);
      this.#asked = undefined;
    }
  }

  /** Forgets the tokens, and tells the authorization server that the server names now, if that is wanted. */
  async logOut(revokes: boolean, signal: AbortSignal): Promise<void> {
    this.stepUps?.clear();
    const { credentials } = this.#parts;
    const pending = await credentials.findPending(this.server);
    if (pending !== undefined) {
      await credentials.takePending(pending.state);
    }
    const tokens = await this.authorization.logOut();
    if (revokes && tokens.length > 0) {
      await this.#revoke(tokens, signal);
    }
  }

  async #revoke(all: readonly TokenSet[], signal: AbortSignal): Promise<void> {
    const { grant } = this.#parts.options;
    if (grant.revoke === undefined) {
      this.record.add("token", "skipped", `the grant ${grant.type} tells nobody that its tokens are no longer wanted`);
      return;
    }
    const discovery = await this.discover(undefined, signal);
    for (const tokens of all) {
      if (tokens.issuer === discovery.issuer) {
        await grant.revoke({ discovery, tokens, signal }, { ...this.#context, dpop: undefined });
      } else {
        const detail = `the tokens are of ${tokens.issuer}, which the server does not name any more`;
        this.record.add("token", "skipped", detail);
      }
    }
  }
}
