/** What a client knows about the server of one session. Everything in it is the server's own claim. */
import type { ServerCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Implementation } from "../../protocol/types/metadata.ts";

/** The server of one session, as it described itself. Specification: Basic > Lifecycle > Initialization. */
export interface ServerDetails {
  /** Name and version. Self-reported: show it, do not base trust on it. */
  readonly info: Implementation;
  /** What it offers, as far as the negotiated revision knows it. */
  readonly capabilities: ServerCapabilities;
  /** How to use the server, for a person or a model [LIFE-005]. */
  readonly instructions: string | undefined;
  /** The negotiated revision's date, for display. */
  readonly revision: string;
  /** The label given to `connect`, to tell sessions of one client apart. */
  readonly label: string | undefined;
  /** Whether the client was told to trust this server, which is what makes its tool annotations count [TOOL-023]. */
  readonly trusted: boolean;
}
