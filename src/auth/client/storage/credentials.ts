/**
 * Tokens, registrations and logins in progress, kept in any store: the typed half, written once.
 *
 * Every key names the issuer or the server it belongs to, and the account, so that nothing of one is ever found for
 * another [M-AUTH-010] [M-AUTH-011]. What a store gives back that is no such record counts as absent, with a diagnostic.
 */
import type { OnDiagnostic } from "../../../base/diagnostic.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { Clock } from "../../../base/timer.ts";
import type { KeyValue } from "../../../store/contracts.ts";
import type { PendingLogin, Registration, TokenSet } from "./credential.ts";

/** Deepest nesting of a record: there is none that deep. */
const maxDepth = 16;

/** A record with the version under which it was read. */
export interface Kept<T> {
  readonly record: T;
  readonly version: string;
}

/** What {@link Credentials} is made from. */
export interface CredentialsOptions {
  readonly store: KeyValue;
  /** Tells the users of one store apart. */
  readonly account: string;
  readonly clock: Clock;
  readonly report: OnDiagnostic;
}

/** See the head of this file. */
export class Credentials {
  readonly store: KeyValue;
  readonly #account: string;
  readonly #clock: Clock;
  readonly #report: OnDiagnostic;

  constructor({ store, account, clock, report }: CredentialsOptions) {
    this.store = store;
    this.#account = account;
    this.#clock = clock;
    this.#report = report;
  }

  /** The issuer that a server's tokens come from, as far as that is known without asking the server. */
  async findIssuer(server: string): Promise<string | undefined> {
    return (await this.store.get(this.#key("issuer", server)))?.value;
  }

  /** Where a server's challenge said that its metadata is. */
  async findMetadataUrl(server: string): Promise<string | undefined> {
    return (await this.store.get(this.#key("metadata", server)))?.value;
  }

  /** Remembers where a server's challenge said that its metadata is. */
  async saveMetadataUrl(server: string, url: string): Promise<void> {
    await this.store.set(this.#key("metadata", server), url);
  }

  /** Tokens for a server, from one issuer. */
  async findTokens(server: string, issuer: string): Promise<Kept<TokenSet> | undefined> {
    return this.#read(this.#key("tokens", issuer, server), isTokenSet);
  }

  /** Tokens for a server, from whichever issuers it named over time. */
  async findAllTokens(server: string): Promise<readonly TokenSet[]> {
    const tokens: TokenSet[] = [];
    for await (const key of this.store.keys(`${this.#key("tokens")}/`)) {
      const kept = key.endsWith(`/${toKey(server)}`) ? await this.#read(key, isTokenSet) : undefined;
      tokens.push(...(kept === undefined ? [] : [kept.record]));
    }
    return tokens;
  }

  /**
   * Keeps tokens, and remembers the issuer as that of the server.
   *
   * @param ifVersion - the version they replace, `null` where there were none; default: whatever is there
   * @returns their version, or `undefined` where somebody else was faster and nothing was written
   */
  async saveTokens(server: string, tokens: TokenSet, ifVersion?: string | null): Promise<string | undefined> {
    const version = await this.store.set(this.#key("tokens", tokens.issuer, server), JSON.stringify(tokens), {
      ifVersion,
    });
    if (version !== undefined) {
      await this.store.set(this.#key("issuer", server), tokens.issuer);
    }
    return version;
  }

  /** Forgets tokens, unless others have taken their place since they were read. */
  async deleteTokens(server: string, issuer: string, ifVersion?: string): Promise<void> {
    await this.store.delete(this.#key("tokens", issuer, server), { ifVersion });
  }

  /** What the client registered as at an issuer. Shared by all accounts: it is the client's, not a user's. */
  async findRegistration(issuer: string): Promise<Kept<Registration> | undefined> {
    return this.#read(toKey("registration", issuer), isRegistration);
  }

  /**
   * Keeps a registration.
   *
   * @param ifVersion - as for {@link Credentials.saveTokens}
   */
  async saveRegistration(registration: Registration, ifVersion?: string | null): Promise<string | undefined> {
    return this.store.set(toKey("registration", registration.issuer), JSON.stringify(registration), { ifVersion });
  }

  /** Forgets a registration, unless another one has taken its place since it was read. */
  async deleteRegistration(issuer: string, ifVersion: string): Promise<void> {
    await this.store.delete(toKey("registration", issuer), { ifVersion });
  }

  /** The login that is in progress for a server, of whichever process. */
  async findPending(server: string): Promise<PendingLogin | undefined> {
    const state = await this.store.get(this.#key("login", server));
    return state === undefined
      ? undefined
      : (await this.#read(this.#key("pending", state.value), isPendingLogin))?.record;
  }

  /** Keeps a login until its end, as the one in progress for its server. */
  async savePending(login: PendingLogin): Promise<void> {
    const ttlMs = Math.max(1, login.expiresAtMs - this.#clock.now());
    await this.store.set(this.#key("pending", login.state), JSON.stringify(login), { ttlMs });
    await this.store.set(this.#key("login", login.server), login.state, { ttlMs });
  }

  /** The login that an answer belongs to. Of several askers one gets it, once. */
  async takePending(state: string): Promise<PendingLogin | undefined> {
    const key = this.#key("pending", state);
    const kept = await this.#read(key, isPendingLogin);
    return kept !== undefined && (await this.store.delete(key, { ifVersion: kept.version })) ? kept.record : undefined;
  }

  /** A private key, as text, that tokens of an issuer are bound to. */
  async findKey(issuer: string): Promise<string | undefined> {
    return (await this.store.get(this.#key("key", issuer)))?.value;
  }

  /** Keeps a key, unless there is one; gives the one that is there then. */
  async saveKey(issuer: string, key: string): Promise<string> {
    const isFirst = (await this.store.set(this.#key("key", issuer), key, { ifVersion: null })) !== undefined;
    return isFirst ? key : ((await this.findKey(issuer)) ?? key);
  }

  /** The name under which processes take turns at obtaining tokens for a server. */
  leaseKey(server: string): string {
    return this.#key("lease", server);
  }

  async #read<T>(key: string, isRecord: (value: unknown) => value is T): Promise<Kept<T> | undefined> {
    const stored = await this.store.get(key);
    if (stored === undefined) {
      return undefined;
    }
    const parsed = parseJson(stored.value, maxDepth);
    if (parsed.ok && isRecord(parsed.value)) {
      return { record: parsed.value, version: stored.version };
    }
    const what = key.slice(0, key.indexOf("/"));
    this.#report({
      code: "MCP_D_CREDENTIALS",
      message: `the store holds something under "${what}" that is none; it is ignored`,
    });
    return undefined;
  }

  #key(kind: string, ...names: readonly string[]): string {
    return toKey(kind, this.#account, ...names);
  }
}

/** Parts are encoded, so that no two lists of parts give the same key. */
function toKey(...parts: readonly string[]): string {
  return parts.map((part) => encodeURIComponent(part)).join("/");
}

function isTokenSet(value: unknown): value is TokenSet {
  return (
    hasTexts(value, "issuer", "resource", "clientId", "accessToken", "tokenType") &&
    ["Bearer", "DPoP"].includes(String(value.tokenType)) &&
    isTokenText(value.accessToken) &&
    (value.refreshToken === undefined || isTokenText(value.refreshToken)) &&
    ["number", "undefined"].includes(typeof value.expiresAtMs) &&
    typeof value.receivedAtMs === "number" &&
    isTextList(value.requestedScopes) &&
    isTextList(value.grantedScopes)
  );
}

function isRegistration(value: unknown): value is Registration {
  return hasTexts(value, "kind", "issuer", "clientId") && isTextList(value.redirectUris);
}

function isPendingLogin(value: unknown): value is PendingLogin {
  return (
    hasTexts(value, "state", "codeVerifier", "issuer", "resource", "server", "clientId", "redirectUri", "url") &&
    typeof value.expiresAtMs === "number" &&
    isTextList(value.scopes)
  );
}

function hasTexts(value: unknown, ...names: readonly string[]): value is { readonly [name: string]: unknown } {
  return isObject(value) && names.every((name) => typeof value[name] === "string");
}

/** What a header can carry: a token of anything else is none, and would end up in an error of the platform. */
function isTokenText(value: unknown): boolean {
  return typeof value === "string" && /^[\x20-\x7e]+$/.test(value);
}

function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
