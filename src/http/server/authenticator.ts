/**
 * What an HTTP server needs to know of authorization: who calls, or the reply that refuses. How that is found out is
 * somebody else's: `parley-mcp/auth/resource` for OAuth, or a function of one's own.
 */
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { HttpHeaders, HttpRequest, TextReply } from "../message.ts";

/** Who calls, or the reply that refuses. */
export type Authentication =
  | {
      readonly ok: true;
      /** `undefined` for a caller who may stay unknown. */
      readonly auth: AuthInfo | undefined;
      /** Added to the reply, whatever it is. */
      readonly headers?: HttpHeaders | undefined;
    }
  | { readonly ok: false; readonly reply: TextReply };

/**
 * Lets callers in, or not.
 *
 * Implementors promise: `authenticate` decides by the request alone and never by a session; a reply that refuses tells
 * what to do; nothing throws for what a caller sent.
 */
export interface HttpAuthenticator {
  /** Finds out who calls, or refuses. Asked for every request but preflights and documents. */
  authenticate(request: HttpRequest): Promise<Authentication> | Authentication;
  /**
   * Headers of the 403 for a caller whose token lacks scopes.
   *
   * @param scopes - all that the request needs
   * @param auth - who calls, where that is known
   */
  challengeScopes?(scopes: readonly string[], auth: AuthInfo | undefined, request: HttpRequest): HttpHeaders;
  /** Documents that anybody may read, by path, such as the metadata that tells clients where to log in. */
  readonly documents?: ReadonlyMap<string, (request: HttpRequest) => TextReply> | undefined;
}
