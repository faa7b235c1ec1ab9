/**
 * Keeps the tokens of one server in the store, and in memory what the store did not take, until it does.
 *
 * Tokens that came in place of spent ones must not get lost because a disk was full at that moment.
 */
import type { OnDiagnostic } from "../../../base/diagnostic.ts";
import type { TokenSet } from "../storage/credential.ts";
import type { Credentials, Kept } from "../storage/credentials.ts";

/** See the head of this file. */
export class TokenKeeping {
  readonly #server: string;
  readonly #credentials: Credentials;
  readonly #report: OnDiagnostic;
  #unsaved: { readonly tokens: TokenSet; readonly ifVersion: string | null } | undefined;

  constructor(server: string, credentials: Credentials, report: OnDiagnostic) {
    this.#server = server;
    this.#credentials = credentials;
    this.#report = report;
  }

  /**
   * The tokens there are. Where some are in memory alone, those that the store has in their place are spent.
   *
   * @param issuer - the only right one; default: whichever the server last had
   */
  async find(issuer: string | undefined): Promise<Kept<TokenSet> | undefined> {
    if (this.#unsaved !== undefined) {
      return { record: this.#unsaved.tokens, version: this.#unsaved.ifVersion ?? "" };
    }
    const from = issuer ?? (await this.#credentials.findIssuer(this.#server));
    return from === undefined ? undefined : await this.#credentials.findTokens(this.#server, from);
  }

  /**
   * Keeps tokens: in the store, or where it does not take them, in memory.
   *
   * @param before - what they take the place of
   * @returns their version, or `undefined` where somebody else was faster and nothing was written
   */
  async save(tokens: TokenSet, before: Kept<TokenSet> | undefined): Promise<string | undefined> {
    const ifVersion = before?.version || null;
    try {
      const version = await this.#credentials.saveTokens(this.#server, tokens, ifVersion);
      this.#unsaved = undefined;
      return version;
    } catch (error) {
      this.#unsaved = { tokens, ifVersion };
      const message = "the store did not take new tokens, which are used from memory until it does";
      this.#report({ code: "MCP_D_CREDENTIALS", message, detail: error });
      return ifVersion ?? "";
    }
  }

  /** Writes once more what the store did not take. */
  async retry(): Promise<void> {
    if (this.#unsaved === undefined) {
      return;
    }
    const { tokens, ifVersion } = this.#unsaved;
    try {
      await this.#credentials.saveTokens(this.#server, tokens, ifVersion);
      this.#unsaved = undefined;
    } catch {
      // Reported when it first failed; the tokens stay in memory.
    }
  }

  /** Drops what is in memory alone, as after a logout. */
  forget(): void {
    this.#unsaved = undefined;
  }
}
