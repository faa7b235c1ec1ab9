// What the steps of the walk share: the session, the host's stand-ins, the cable, and the folder that is served.

import type { ClientSession } from "parley-mcp/client";
import type { Cable } from "./cable.ts";
import type { Host } from "./host.ts";
import type { FolderServer } from "./server.ts";
import type { Transcript } from "./transcript.ts";

/** See the head of this file. */
export interface Walk {
  readonly session: ClientSession<FolderServer>;
  readonly transcript: Transcript;
  readonly host: Host;
  /** Nothing where there is no network between the two. */
  readonly cable: Cable | undefined;
  /** The folder that is served, to change a file in it behind the server's back. */
  readonly folder: string;
  /** A text file in it, by its path. */
  readonly textFile: string;
  /** How many files are in it. */
  readonly fileCount: number;
}

/** Shortens a text for a line of the transcript. */
export function shorten(text: string, length = 90): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}
