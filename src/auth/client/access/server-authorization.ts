/**
 * The authorization of one server: the one owner of the tokens that are in use for it, and of the work to get others.
 *
 * Callers that need the same share one piece of work; those that need something else look again when it is done. What a
 * refusal means is authorized-fetch.ts, how tokens are come by is acquisition.ts.
 */
import { raceAbort } from "../../../base/abort.ts";
import { backoffDelay } from "../../../base/backoff.ts";
import { createId } from "../../../base/id.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { AuthChallenge } from "../../challenge.ts";
import { isConfidential } from "../../strict-url.ts";
import type { TokenSet } from "../storage/credential.ts";
import type { Kept } from "../storage/credentials.ts";
import { type Acquired, Acquisition, type AcquisitionOptions } from "./acquisition.ts";
import { Flight } from "./flight.ts";
import type { Held, Pass } from "./held.ts";
import { type Caller, isFit, type Need, toNeedKey } from "./need.ts";
import { createExposureError, createRefusalError } from "./refusal-error.ts";
import { chooseDueTime, findFreshness, type RenewalTiming } from "./renewal.ts";

/** What a {@link ServerAuthorization} is made from. */
export interface ServerAuthorizationOptions extends Omit<AcquisitionOptions, "onChange" | "random">, RenewalTiming {}

/** How long nothing is tried anew after tokens that had just been issued were refused, in milliseconds. */
const refusalTtlMs = 30_000;

/** See the head of this file. */
export class ServerAuthorization {
  readonly #options: ServerAuthorizationOptions;
  readonly #acquisition: Acquisition;
  #loading: Promise<void> | undefined;
  #held: Held | undefined;
  #grantName: string | undefined;
  #flight: Flight<Held> | undefined;
  /** The last attempt to answer a refusal that failed; those refused alike meanwhile share it. */
  #failure: { readonly error: unknown; readonly unfit: string | undefined } | undefined;
  #failures = 0;
  #quietFailures = 0;
  #quietUntilMs = 0;
  /** Where others could read them on the way, there are none. */
  readonly #mayHaveTokens: boolean;

  constructor(options: ServerAuthorizationOptions) {
    this.#options = options;
    this.#mayHaveTokens = isConfidential(new URL(options.server));
    this.#acquisition = new Acquisition({ ...options, onChange: (kept) => this.#sync(kept) });
  }

  /** Stands for the login that the tokens are from; another one after each login, the same after a renewal. */
  get grantName(): string | undefined {
    return this.#grantName;
  }

  /**
   * What a request is to go out with. Tokens known to be over are renewed before, those soon to end meanwhile [PP-091].
   *
   * @throws what {@link Acquisition.acquire} throws; the signal's reason
   */
  async prepare(caller: Caller): Promise<Pass> {
    if (!this.#mayHaveTokens) {
      return this.#toPass(undefined);
    }
    await raceAbort(this.#load(), caller.signal);
    const held = this.#held;
    if (held === undefined) {
      return this.#toPass(undefined);
    }
    const freshness = findFreshness(held.tokens, held.dueAtMs, this.#now());
    if (freshness === "expired") {
      return this.#satisfy({ kind: "stale", unfit: held.tokens.accessToken, mayRenew: true }, caller);
    }
    if (freshness === "due") {
      this.#renewAhead(held);
    }
    return this.#toPass(held);
  }

  /** The server took the tokens of a request. */
  accept({ held }: Pass): void {
    if (held !== undefined) {
      held.isProven = true;
      held.refusedAtMs = undefined;
    }
  }

  /**
   * Other tokens, after the server refused those of a request. Where others are there already, these, without any work.
   *
   * @param caller - who needs them, and whether the request has had its attempt already
   * @throws {@link AuthorizationError} of stage "access" where the refused ones had only just been issued [PP-095]; as
   * {@link ServerAuthorization.prepare} does
   */
  async replace(
    { held, failures }: Pass,
    challenge: AuthChallenge | undefined,
    { isLast, ...caller }: Caller & { readonly isLast: boolean },
  ): Promise<Pass> {
    const unfit = held?.tokens.accessToken;
    if ((held !== undefined && held === this.#held && this.#isFinal(held)) || isLast) {
      throw createRefusalError(challenge, held?.tokens);
    }
    if (this.#failure !== undefined && this.#failures > failures && this.#failure.unfit === unfit) {
      throw this.#failure.error;
    }
    const mayRenew = held?.refusedAtMs === undefined;
    return this.#satisfy({ kind: "rejected", unfit, challenge, mayRenew }, caller);
  }

  /** Other tokens that are worth more: with more scopes, or of a user authenticated as the challenge says. */
  async raise(
    kind: "scopes" | "authentication",
    { held }: Pass,
    challenge: AuthChallenge,
    caller: Caller,
  ): Promise<Pass> {
    const unfit = held?.tokens.accessToken;
    return this.#satisfy({ kind, unfit, challenge, mayRenew: false }, caller);
  }

  /** Goes through the grant, whatever tokens there are. */
  async logIn(scopes: readonly string[] | undefined, caller: Caller): Promise<void> {
    await this.#satisfy({ kind: "login", scopes, mayRenew: false }, caller);
  }

  /**
   * Takes over and keeps tokens of a login that ended elsewhere. Written without a look at what is there: a person has just
   * logged in, so they replace whatever is older, and who is renewing that meanwhile finds them in its place.
   */
  async adopt(tokens: TokenSet): Promise<void> {
    this.#assertMayHaveTokens();
    const { context, server } = this.#options;
    const version = (await context.credentials.saveTokens(server, tokens)) ?? "";
    await this.#take({ kept: { record: tokens, version }, way: "obtained" }, false);
  }

  /** Forgets the tokens of all issuers that the server ever had, and gives them. */
  async logOut(): Promise<readonly TokenSet[]> {
    const { context, server } = this.#options;
    this.#flight?.abort(new AuthorizationError(`logged out of ${server} meanwhile`, { stage: "access" }));
    this.#acquisition.forget();
    const tokens = await context.credentials.findAllTokens(server);
    this.#sync(undefined);
    for (const { issuer } of tokens) {
      await context.credentials.deleteTokens(server, issuer);
    }
    return tokens;
  }

  /** Reads the store once; where that fails, again the next time. */
  #load(): Promise<void> {
    this.#loading ??= this.#readStore().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #readStore(): Promise<void> {
    const kept = await this.#acquisition.read();
    if (kept !== undefined && this.#held === undefined) {
      await this.#take({ kept, way: "found" }, false);
    }
  }

  async #satisfy(wanted: Omit<Need, "mayObtain">, caller: Caller): Promise<Pass> {
    this.#assertMayHaveTokens();
    const need: Need = { ...wanted, mayObtain: caller.mayAsk !== false || !this.#options.grant.isInteractive };
    const key = toNeedKey(need);
    for (;;) {
      caller.signal?.throwIfAborted();
      const held = this.#held;
      if (held !== undefined && isFit(held.tokens, need, this.#now())) {
        return this.#toPass(held);
      }
      const flight = this.#flight ?? this.#start(need, false);
      if (flight.isAbandoned || flight.key !== key) {
        const end = flight.outcome.then(ignore, ignore);
        await raceAbort(flight.isAbandoned ? end : flight.join(caller).then(ignore, ignore), caller.signal);
      } else {
        return this.#toPass(await flight.join(caller));
      }
    }
  }

  /** @throws {@link AuthorizationError}, before anybody is asked for anything [AUTH-052] */
  #assertMayHaveTokens(): void {
    if (!this.#mayHaveTokens) {
      throw createExposureError(this.#options.server);
    }
  }

  #start(need: Need, isBackground: boolean): Flight<Held> {
    const flight = new Flight<Held>({
      key: toNeedKey(need),
      isBackground,
      work: async (turn) => {
        try {
          return await this.#take(await this.#acquisition.acquire(need, turn), isAnswer(need));
        } catch (error) {
          if (need.kind === "rejected" && need.mayObtain && !turn.signal.aborted) {
            this.#failures += 1;
            this.#failure = { error, unfit: need.unfit };
          }
          throw error;
        } finally {
          this.#flight = undefined;
        }
      },
    });
    this.#flight = flight;
    return flight;
  }

  /** Renews while the old tokens are still good. No person is asked, and a failure fails nobody [PP-094]. */
  #renewAhead({ tokens }: Held): void {
    const isUseless = !this.#acquisition.canRenewQuietly(tokens);
    if (this.#flight !== undefined || isUseless || this.#now() < this.#quietUntilMs) {
      return;
    }
    const { grant, context, random } = this.#options;
    const need: Need = { kind: "ahead", unfit: tokens.accessToken, mayRenew: true, mayObtain: !grant.isInteractive };
    this.#start(need, true).outcome.then(
      () => {
        this.#quietFailures = 0;
      },
      (error: unknown) => {
        this.#quietFailures += 1;
        this.#quietUntilMs = this.#now() + backoffDelay(this.#quietFailures, { random });
        const message =
          "tokens could not be renewed ahead of their end; the ones there are used as long as they are good";
        context.report({ code: "MCP_D_RENEWAL", message, detail: error });
      },
    );
  }

  /** Whether tokens that were refused had been issued for the same reason, so that others would fare no better. */
  #isFinal(held: Held): boolean {
    if (!held.isReplacement || held.isProven) {
      return false;
    }
    held.refusedAtMs ??= this.#now();
    return this.#now() - held.refusedAtMs < refusalTtlMs;
  }

  async #take({ kept, way, renewedFrom }: Acquired, isReplacement: boolean): Promise<Held> {
    const { openKeys } = this.#options;
    const tokens = kept.record;
    const before = this.#held?.tokens.accessToken;
    if (this.#held !== undefined && before === tokens.accessToken) {
      return this.#held;
    }
    const keys = tokens.tokenType === "DPoP" ? await openKeys(tokens.issuer) : undefined;
    const isSameLogin = before !== undefined && renewedFrom === before;
    this.#grantName = isSameLogin ? this.#grantName : createId();
    this.#held = {
      tokens,
      keys,
      dueAtMs: chooseDueTime(tokens, this.#options),
      origin: way === "found" ? "store" : way === "renewed" ? "renewal" : "grant",
      isReplacement: isReplacement && way !== "found",
      isProven: false,
    };
    return this.#held;
  }

  /** What is in the store has changed without other tokens having come. */
  #sync(kept: Kept<TokenSet> | undefined): void {
    if (kept === undefined) {
      this.#held = undefined;
      this.#grantName = undefined;
    } else if (this.#held?.tokens.accessToken === kept.record.accessToken) {
      this.#held.tokens = kept.record;
    }
  }

  #toPass(held: Held | undefined): Pass {
    return { held, failures: this.#failures };
  }

  #now(): number {
    return this.#options.context.clock.now();
  }
}

/** Whether it is the server that wants other tokens. */
function isAnswer({ kind }: Need): boolean {
  return kind === "rejected" || kind === "authentication" || kind === "scopes";
}

function ignore(): void {
  // Somebody else's work: its outcome is told to whoever asked for it.
}
