/** A call that waits for the person, as those who ask them can get hold of it. */

/** A call that waits for a page to be dealt with. */
export interface BlockedCall {
  /** Sends it again now, without waiting any longer. One that is on its way already, and held by the server, stays. */
  retry(): void;
  /** Gives it up: it fails with the error that says what it waited for. */
  cancel(): void;
}
