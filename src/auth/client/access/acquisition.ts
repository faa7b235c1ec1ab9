/**
 * Coming by tokens for one server: found in the store, renewed, or obtained through the grant, whichever does first.
 *
 * Processes that share a store take turns, and each looks again at what is there when its turn comes, so that a refresh
 * token is used once [PP-089]. Callers of one process take turns before, in server-authorization.ts.
 */
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { StoreError } from "../../../store/error.ts";
import { withLease } from "../../../store/lease.ts";
import type { AuthChallenge } from "../../challenge.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { chooseScopes } from "../discovery/scope-choice.ts";
import type { Grant, GrantContext, TokenRequest } from "../grant.ts";
import type { TokenSet } from "../storage/credential.ts";
import type { Kept } from "../storage/credentials.ts";
import { chooseDpop, type DpopPolicy } from "../tokens/dpop-choice.ts";
import type { DpopKeys } from "../tokens/dpop-keys.ts";
import type { Turn } from "./flight.ts";
import { isFit, type Need, toDemandedScopes } from "./need.ts";
import { TokenKeeping } from "./token-keeping.ts";

/** What an {@link Acquisition} is made from. */
export interface AcquisitionOptions {
  /** The MCP endpoint, canonical. */
  readonly server: string;
  readonly grant: Grant;
  readonly context: Omit<GrantContext, "dpop">;
  /** Finds out anew where tokens come from. */
  readonly discover: (challenge: AuthChallenge | undefined, signal: AbortSignal) => Promise<Discovery>;
  readonly openKeys: (issuer: string) => Promise<DpopKeys>;
  readonly dpop: DpopPolicy;
  /** The only issuer that is right, where one is configured. */
  readonly issuer: string | undefined;
  /** What the application asks for instead of all that the resource lists. */
  readonly scopes: readonly string[] | undefined;
  readonly random: () => number;
  /** Told of what is there when that changes on the way, as when a refresh token turned out to be spent. */
  readonly onChange: (kept: Kept<TokenSet> | undefined) => void;
}

/** Tokens, and how they were come by. */
export interface Acquired {
  readonly kept: Kept<TokenSet>;
  readonly way: "found" | "renewed" | "obtained";
  /** The access token that they follow in the same login. */
  readonly renewedFrom?: string | undefined;
}

/** What one turn works with. */
interface Work {
  readonly need: Need;
  readonly discovery: Discovery;
  /** What is there from the issuer that was found. */
  readonly own: Kept<TokenSet> | undefined;
  readonly context: GrantContext;
  readonly turn: Turn;
}

/** How long what was found out is good for renewals, in milliseconds. A refusal always has it found out anew. */
const discoveryTtlMs = 3_600_000;

/** See the head of this file. */
export class Acquisition {
  readonly #options: AcquisitionOptions;
  #discovery: { readonly found: Discovery; readonly untilMs: number } | undefined;
  readonly #keeping: TokenKeeping;

  constructor(options: AcquisitionOptions) {
    const { credentials, report } = options.context;
    this.#options = options;
    this.#keeping = new TokenKeeping(options.server, credentials, report);
  }

  /** What is in the store and may be used. */
  async read(): Promise<Kept<TokenSet> | undefined> {
    const kept = await this.#keeping.find(this.#options.issuer);
    return kept !== undefined && this.#isUsable(kept.record) ? kept : undefined;
  }

  /** Whether other tokens may be had while nobody waits, so that no person is asked. */
  canRenewQuietly({ refreshToken }: TokenSet): boolean {
    const { grant } = this.#options;
    return !grant.isInteractive || (grant.renew !== undefined && refreshToken !== undefined);
  }

  /**
   * Comes by tokens that are fit for the need.
   *
   * @throws {@link AuthorizationError}; `AuthorizationRequiredError` of the grant; the signal's reason
   */
  async acquire(need: Need, turn: Turn): Promise<Acquired> {
    const { server, grant, context, random } = this.#options;
    const { store } = context.credentials;
    // Another process may hold the lease while a person logs in there.
    const resume = grant.isInteractive ? turn.hold() : undefined;
    try {
      return await withLease(
        store,
        context.credentials.leaseKey(server),
        ({ signal }) => {
          resume?.();
          return this.#acquireAlone(need, { ...turn, signal });
        },
        { clock: context.clock, signal: turn.signal, random },
      );
    } catch (error) {
      if (error instanceof StoreError) {
        const message = "the store of credentials failed, so that no tokens could be had for now. Call again";
        throw new AuthorizationError(message, { stage: "token", isTransient: true, cause: error });
      }
      throw error;
    } finally {
      resume?.();
    }
  }

  async #acquireAlone(need: Need, turn: Turn): Promise<Acquired> {
    const { context } = this.#options;
    await this.#keeping.retry();
    const kept = await this.read();
    if (kept !== undefined && isFit(kept.record, need, context.clock.now())) {
      context.record.add("token", "skipped", "somebody else got other tokens meanwhile, which are used");
      return { kept, way: "found" };
    }
    const discovery = await this.#discover(need, turn.signal);
    const own = await this.#findOwn(kept, discovery, need);
    const { dpop: policy, openKeys } = this.#options;
    const isBound = own?.record.tokenType === "DPoP";
    const dpop = await chooseDpop({ policy, discovery, isBound, openKeys, record: context.record });
    const work: Work = { need, discovery, own, turn, context: { ...context, dpop } };
    const renewed = await this.#renew(work);
    if (renewed === undefined && !need.mayObtain) {
      const message = `a person has to log in at ${discovery.issuer}, and is not asked to for this request`;
      throw new AuthorizationError(message, { stage: "authorization", issuer: discovery.issuer });
    }
    return renewed ?? (await this.#obtain(work));
  }

  /** Drops tokens that the store did not take, as after a logout. */
  forget(): void {
    this.#keeping.forget();
  }

  async #discover(need: Need, signal: AbortSignal): Promise<Discovery> {
    const now = this.#options.context.clock.now();
    const isTold = need.kind !== "ahead" && need.kind !== "stale";
    if (!isTold && this.#discovery !== undefined && this.#discovery.untilMs > now) {
      return this.#discovery.found;
    }
    const found = await this.#options.discover(need.challenge, signal);
    this.#discovery = { found, untilMs: now + discoveryTtlMs };
    return found;
  }

  /** Tokens of another issuer than the server names now are dropped, and never sent again [M-AUTH-011] [AUTH-059]. */
  async #findOwn(
    kept: Kept<TokenSet> | undefined,
    { issuer }: Discovery,
    need: Need,
  ): Promise<Kept<TokenSet> | undefined> {
    const { server, context, onChange } = this.#options;
    if (kept === undefined || kept.record.issuer === issuer) {
      return kept;
    }
    const { issuer: former } = kept.record;
    const detail = `the server names the issuer ${issuer} in place of ${former}, whose tokens are dropped`;
    if (!need.mayObtain) {
      throw new AuthorizationError(detail, { stage: "server-metadata", issuer });
    }
    context.record.add("server-metadata", "ok", detail);
    await context.credentials.deleteTokens(server, former, kept.version);
    onChange(undefined);
    return await context.credentials.findTokens(server, issuer);
  }

  /** @returns nothing where there is no way to renew, so that tokens are to be obtained anew */
  async #renew(work: Work): Promise<Acquired | undefined> {
    const { need, discovery, own, context, turn } = work;
    const { grant } = this.#options;
    const refreshToken = own?.record.refreshToken;
    if (!need.mayRenew || own === undefined || refreshToken === undefined || grant.renew === undefined) {
      return undefined;
    }
    const { issuer, accessToken } = own.record;
    const client = await context.credentials.findRegistration(issuer);
    try {
      // Runs to its end though nobody waits: the answer may hold the only refresh token that is still good [PP-089].
      const { signal } = new AbortController();
      const request = { discovery, tokens: { ...own.record, refreshToken }, signal };
      const tokens = await grant.renew(request, context);
      return { ...(await this.#save(tokens, work, "renewed")), renewedFrom: accessToken };
    } catch (error) {
      turn.signal.throwIfAborted();
      if (!(error instanceof AuthorizationError) || error.isTransient) {
        throw error;
      }
      context.record.add("refresh", "failed", error.oauthError ?? error.message);
      const now = await context.credentials.findRegistration(issuer);
      if (error.oauthError === "invalid_client" && client?.version === now?.version) {
        throw error;
      }
      return await this.#afterRefusal(error, work);
    }
  }

  /** A refresh token that is spent: somebody else has spent it and has another one, or there is none any more. */
  async #afterRefusal(error: AuthorizationError, work: Work): Promise<Acquired | undefined> {
    const { need, own, context, turn } = work;
    const kept = await this.read();
    if (kept !== undefined && own !== undefined && kept.record.issuer === own.record.issuer) {
      if (isFit(kept.record, need, context.clock.now())) {
        return { kept, way: "found" };
      }
      if (kept.record.refreshToken !== own.record.refreshToken) {
        return await this.#renew({ ...work, own: kept, turn });
      }
      if (error.oauthError === "invalid_grant") {
        await this.#dropRefreshToken(kept);
      }
    }
    if (!need.mayObtain) {
      throw error;
    }
    return undefined;
  }

  async #dropRefreshToken({ record, version }: Kept<TokenSet>): Promise<void> {
    const { server, context, onChange } = this.#options;
    const rest: TokenSet = { ...record, refreshToken: undefined };
    const next = await context.credentials.saveTokens(server, rest, version);
    if (next !== undefined) {
      onChange({ record: rest, version: next });
    }
  }

  async #obtain(work: Work): Promise<Acquired> {
    const { need, discovery, context, turn } = work;
    const { server, grant } = this.#options;
    const request: TokenRequest = {
      server,
      discovery,
      scopes: this.#chooseScopes(work),
      acrValues: need.challenge?.acrValues,
      maxAge: need.challenge?.maxAge,
      signal: turn.signal,
      hold: turn.hold,
    };
    let tokens: TokenSet;
    try {
      tokens = await grant.obtain(request, context);
    } catch (error) {
      const demanded = need.kind === "scopes" ? need.challenge?.scopes : undefined;
      const isTooMuch = error instanceof AuthorizationError && error.oauthError === "invalid_scope";
      if (!isTooMuch || !grant.isInteractive || demanded === undefined || demanded.length === request.scopes?.length) {
        throw error;
      }
      context.record.add("authorization", "failed", "not all of the scopes are known; asks for those demanded alone");
      tokens = await grant.obtain({ ...request, scopes: demanded }, context);
    }
    return await this.#save(tokens, work, "obtained");
  }

  #chooseScopes({ need, discovery, own }: Work): readonly string[] | undefined {
    const { scopes, grant } = this.#options;
    const { resourceMetadata, server } = discovery;
    return chooseScopes({
      challenged: toDemandedScopes(need, own?.record, resourceMetadata?.scopesSupported ?? []),
      resourceMetadata,
      server,
      configured: need.scopes === undefined ? scopes : [...(scopes ?? []), ...need.scopes],
      wantsRefresh: grant.renew !== undefined,
    });
  }

  /** Keeps tokens, unless somebody else has kept others meanwhile that are as good. */
  async #save(tokens: TokenSet, work: Work, way: "renewed" | "obtained"): Promise<Acquired> {
    const { server, context } = this.#options;
    const { own, need } = work;
    const version = await this.#keeping.save(tokens, own);
    if (version !== undefined) {
      return { kept: { record: tokens, version }, way };
    }
    const kept = await context.credentials.findTokens(server, tokens.issuer);
    if (kept !== undefined && this.#isUsable(kept.record) && isFit(kept.record, need, context.clock.now())) {
      return { kept, way: "found" };
    }
    if (kept === undefined && way === "renewed") {
      const message = "the tokens were deleted, as by a logout, while they were being renewed. Call again to log in";
      throw new AuthorizationError(message, { stage: "refresh", issuer: tokens.issuer, isTransient: true });
    }
    return await this.#save(tokens, { ...work, own: kept }, way);
  }

  #isUsable({ tokenType }: TokenSet): boolean {
    return tokenType === "Bearer" || this.#options.dpop !== "never";
  }
}
