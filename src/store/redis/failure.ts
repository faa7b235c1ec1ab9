/** What went wrong with a command, told from what a client library threw. */

/** `lost`: no reply, and whether it was carried out is not known. `busy`: not carried out, and it may be later. */
export type FailureKind = "lost" | "busy" | "full" | "refused";

/** One failure. */
export interface Failure {
  readonly kind: FailureKind;
  /** For people; names no key and no value. */
  readonly reason: string;
}

/** Replies of a server that is starting, failing over or occupied. */
const busyReplies: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "BUSY",
  "CLUSTERDOWN",
  "LOADING",
  "MASTERDOWN",
  "NOREPLICAS",
  "READONLY",
  "TRYAGAIN",
]);

/** Reads an error of a client library. A reply of the server begins with a word in capitals; anything else is the connection's. */
export function readFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  // What comes behind this quotes the command, and with it the value.
  const reason = (message.split(", with args beginning with")[0] ?? "").slice(0, 200);
  const word = /^([A-Z][A-Z0-9_]+)(?: |$)/.exec(message)?.[1];
  if (word === undefined) {
    return { kind: "lost", reason };
  }
  if (busyReplies.has(word)) {
    return { kind: "busy", reason };
  }
  return { kind: word === "OOM" ? "full" : "refused", reason };
}

/** Whether the server does not have a script yet, or no longer. */
export function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("NOSCRIPT");
}
