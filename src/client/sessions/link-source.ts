/** What `connect` is given, as something that gives the link of a session, and another one where that can be had. */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import type { Channel, Link } from "../../jsonrpc/link.ts";
import { Peer } from "../../jsonrpc/peer.ts";
import type { Revision } from "../../revision/revision.ts";
import { PipeLink } from "./pipe-link.ts";

/**
 * What a session can be opened over; a function gives a new link or channel each time it is called. A pipe is best given
 * as its channel: what subscriptions need on a pipe is added here, and a `Peer` made elsewhere does not have it.
 */
export type ConnectTarget = Link | Channel | (() => Link | Channel);

/** A link that was made for a session. */
export interface MadeLink {
  readonly link: Link;
  /** Whether it is one ordered pipe to one server, rather than an exchange of its own per request. */
  readonly isPipe: boolean;
}

/** See the head of this file. */
export class LinkSource {
  /** Whether more than one link can be had. */
  readonly isRepeatable: boolean;
  readonly #target: ConnectTarget;
  readonly #revision: () => Revision;
  readonly #onDiagnostic: OnDiagnostic | undefined;

  /** @param revision - what is spoken at the moment, for links that have to know */
  constructor(target: ConnectTarget, revision: () => Revision, onDiagnostic: OnDiagnostic | undefined) {
    this.isRepeatable = typeof target === "function";
    this.#target = target;
    this.#revision = revision;
    this.#onDiagnostic = onDiagnostic;
  }

  /** Gives a link that has not been started. */
  make(): MadeLink {
    const made = typeof this.#target === "function" ? this.#target() : this.#target;
    if ("request" in made) {
      return { link: made, isPipe: made instanceof Peer };
    }
    if (!("open" in made)) {
      throw new UsageError("connect: expected a link, a channel, or a function that gives one");
    }
    return { link: new PipeLink(made, this.#revision, this.#onDiagnostic), isPipe: true };
  }
}
