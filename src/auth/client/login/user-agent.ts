/**
 * The contract of whatever takes a person to the login page and brings back where they were sent from there.
 *
 * On a person's own machine that is a browser and a listener on loopback (loopback.node.ts); tests follow redirects.
 */

/** Takes a person to a page. */
export interface UserAgent {
  /**
   * Gets ready to receive the answer, such as by listening.
   *
   * @param signal - gives up
   * @param options - `issuer` is there where the client registers itself with that authorization server. The redirect URI
   * should then be one that is used with no other issuer, such as by a path of its own: a client id that was got at one
   * server is then refused at the login page of another one. Where `issuer` is absent, the redirect URI was fixed beforehand
   */
  prepare(signal: AbortSignal, options?: { readonly issuer?: string | undefined }): Promise<Redirection>;
}

/** A place the answer can come to. */
export interface Redirection {
  /** Where the authorization server sends the browser to: `https:`, or `http:` on loopback [AUTH-048]. */
  readonly redirectUri: string;
  /**
   * Takes the person to a page and waits for the answer.
   *
   * @param url - `https:`, or `http:` on loopback; already checked
   * @param isOpened - whether another process has already sent a browser there: then one must not be sent again
   * @returns the address that the browser was sent back to, with everything that was appended
   */
  authorize(
    url: string,
    options: { readonly isOpened: boolean; readonly state: string; readonly signal: AbortSignal },
  ): Promise<string>;
  /** Frees what `prepare` took. */
  close(): Promise<void>;
}
