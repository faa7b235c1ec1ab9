/**
 * What a grant works with when it ends a login whose answer came to the application: the server is known only once the
 * grant has found the login that the answer belongs to, and what depends on it follows then.
 */
import type { OnDiagnostic } from "../../../base/diagnostic.ts";
import type { Clock } from "../../../base/timer.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { GuardedFetch } from "../../fetch.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { GrantContext } from "../grant.ts";
import { AuthorizationRecord } from "../record.ts";
import type { Credentials } from "../storage/credentials.ts";
import { chooseDpop } from "../tokens/dpop-choice.ts";
import type { DpopKeys } from "../tokens/dpop-keys.ts";
import type { ServerAccess, SharedParts } from "./server-access.ts";

/** See the head of this file. */
export class CompletionContext implements GrantContext {
  readonly credentials: Credentials;
  readonly clock: Clock;
  readonly sendsResource: boolean;
  readonly report: OnDiagnostic;
  readonly #parts: SharedParts;
  readonly #find: (server: string) => ServerAccess;
  readonly #signal: AbortSignal;
  readonly #unknownRecord: AuthorizationRecord;
  #access: ServerAccess | undefined;
  #dpop: DpopKeys | undefined;

  constructor(parts: SharedParts, find: (server: string) => ServerAccess, signal: AbortSignal) {
    const { clock, sendsResource, report } = parts.options;
    this.credentials = parts.credentials;
    this.clock = clock;
    this.sendsResource = sendsResource;
    this.report = report;
    this.#parts = parts;
    this.#find = find;
    this.#signal = signal;
    this.#unknownRecord = new AuthorizationRecord(() => clock.now());
  }

  /** The server that the login is for, once that is known. */
  get access(): ServerAccess | undefined {
    return this.#access;
  }

  get fetch(): GuardedFetch {
    return this.#access?.fetch ?? this.#parts.createFetch();
  }

  get record(): AuthorizationRecord {
    return this.#access?.record ?? this.#unknownRecord;
  }

  get dpop(): DpopKeys | undefined {
    return this.#dpop;
  }

  /** Finds out about the server of a login, and goes by it from then on. */
  async discover(server: string): Promise<Discovery> {
    this.#access = this.#find(server);
    const discovery = await this.#access.discover(undefined, this.#signal);
    const { dpop: policy } = this.#parts.options;
    const openKeys = (issuer: string): Promise<DpopKeys> => this.#parts.openKeys(issuer);
    this.#dpop = await chooseDpop({ policy, discovery, isBound: false, openKeys, record: this.record });
    return discovery;
  }
}

/** Whether a person said no. */
export function isDenial(error: unknown): boolean {
  return error instanceof AuthorizationError && error.oauthError === "access_denied";
}
