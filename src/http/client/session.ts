/**
 * What one handshake made: the session id and the revision, and with them the headers of every request that follows.
 *
 * A link has one at a time and makes a new one for each `initialize`. It never becomes usable again once it has ended.
 * Specification: Basic > Transports > Session management, Protocol version header.
 */
import { type ClosedError, PeerError } from "../../base/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import { findHandshake, latestHandshake } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { headerNames } from "../headers.ts";
import { isSendable } from "./configured-headers.ts";
import type { ProtocolHeaders } from "./endpoint.ts";
import { Lifetime } from "./lifetime.ts";

/** The client's side of a session, or of a connection to a server that keeps none. */
export class HttpSession extends Lifetime {
  #id: string | undefined;
  #revision: Revision | undefined;
  #headers: ProtocolHeaders = {};

  /** Whether the server gave an id, which it wants back. */
  get hasId(): boolean {
    return this.#id !== undefined;
  }

  /** What was negotiated; `undefined` before that. */
  get negotiated(): Revision | undefined {
    return this.#revision;
  }

  /** What inbound messages are written in. */
  get revision(): Revision {
    return this.#revision ?? latestHandshake;
  }

  /** On every request after the answer to `initialize` [HTTP-043] [HTTP-049]; none on that one itself. */
  get headers(): ProtocolHeaders {
    return this.#headers;
  }

  /**
   * Takes the session id from the answer to `initialize`.
   *
   * @throws {@link PeerError} when it is one that cannot be sent back
   */
  adoptId(response: Response): void {
    const id = response.headers.get(headerNames.sessionId)?.trim() ?? "";
    if (!isSendable(id)) {
      throw new PeerError("expected a session id of visible ASCII characters, got one with others");
    }
    if (id !== "") {
      this.#id = id;
      this.#headers = { ...this.#headers, [headerNames.sessionId]: id };
    }
  }

  /** Takes the revision from the result of `initialize`. Whether it is one to go on with is decided above the link. */
  adoptRevision(result: JsonObject): void {
    const version = result.protocolVersion;
    if (typeof version !== "string" || !isSendable(version)) {
      return;
    }
    this.#revision = findHandshake(version);
    if (this.#revision?.traits.versionHeader !== false) {
      this.#headers = { ...this.#headers, [headerNames.protocolVersion]: version };
    }
  }

  /** The server no longer knows the session: nobody else may try it [HTTP-046] [PP-001]. */
  expire(): SessionExpiredError {
    const error = new SessionExpiredError("the server no longer knows this session: start a new one with initialize");
    this.end(error);
    return error;
  }

  /** Ends everything that goes on in the session. The id is kept for the farewell, unless the server forgot it. */
  override end(reason: ClosedError | SessionExpiredError): void {
    if (reason instanceof SessionExpiredError) {
      this.#id = undefined;
    }
    super.end(reason);
  }

  /** A text of the server without the session id, which must not get into messages [HTTP-042]. */
  redact(text: string): string {
    return this.#id === undefined ? text : text.replaceAll(this.#id, "[session id]");
  }
}
