/** Tokens in use, and what a request goes out with. Contracts only: server-authorization.ts owns them. */
import type { TokenSet } from "../storage/credential.ts";
import type { DpopKeys } from "../tokens/dpop-keys.ts";

/** Tokens in use. One such object stands for one access token, so it is compared as itself. */
export interface Held {
  tokens: TokenSet;
  readonly keys: DpopKeys | undefined;
  readonly dueAtMs: number;
  /** How they were come by. */
  readonly origin: "store" | "renewal" | "grant";
  /** Whether they answer a refusal, so that they must not be refused again. */
  readonly isReplacement: boolean;
  /** Whether the server has taken them. */
  isProven: boolean;
  /** When the server first refused them although they were new. */
  refusedAtMs?: number | undefined;
}

/** What a request goes out with. */
export interface Pass {
  /** `undefined` where there are no tokens. */
  readonly held: Held | undefined;
  /** Failures there were when it went out. */
  readonly failures: number;
}
