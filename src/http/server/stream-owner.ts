/** A session as its streams see it. */
import type { ChangeAudience } from "../../protocol/changes.ts";
import type { Revision } from "../../revision/revision.ts";

/** See the head of this file. */
export interface StreamOwner {
  /** Random; names the streams in event ids and logs, so that the session's id never shows there. The same on all nodes. */
  readonly owner: string;
  readonly sessionId: string;
  /** The negotiated revision. */
  readonly revision: Revision;
  /** What the client wants to hear of, as its state is now. */
  readonly audience: ChangeAudience;
  /** A connection was made or has ended. */
  onActivity(): void;
  /** Tells other nodes that the standing stream is connected here now. */
  claimStanding(): void;
}
