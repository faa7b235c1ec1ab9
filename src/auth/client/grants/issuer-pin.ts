/**
 * The one authorization server that gets somebody's credentials: as configured, otherwise the first one that asks.
 */
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";

/** See the head of this file. */
export class IssuerPin {
  #issuer: string | undefined;

  /** @param issuer - the server, as it names itself; default: the first one that is met, for as long as the process runs */
  constructor(issuer: string | undefined) {
    this.#issuer = issuer;
  }

  /**
   * A server that is not the one gets nothing, whoever names it [M-AUTH-012].
   *
   * @param what - the credentials, for the message
   * @throws {@link AuthorizationError} naming both servers
   */
  assert(issuer: string, what: string): void {
    this.#issuer ??= issuer;
    if (this.#issuer !== issuer) {
      throw new AuthorizationError(
        `${what} belongs to ${this.#issuer}, but the MCP server takes tokens of ${issuer}: nothing was sent. Configure one for that issuer`,
        { stage: "registration", issuer },
      );
    }
  }
}
