/**
 * Streams whose writer has died: whoever has a client for one ends it, with an explicit error for every request that was
 * not answered. Which node does so is decided in the store, so that no request is answered twice.
 */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import { createErrorResponse, type RequestId } from "../../jsonrpc/message.ts";
import { readWriter, toLogName } from "./event-id.ts";
import type { HttpRuntime } from "./runtime.ts";
import { decodeEntry, encodeEntry } from "./stream-entry.ts";
import type { StreamLog } from "./stream-log.ts";
import type { EventSource, StreamOutput } from "./stream-output.ts";

/**
 * Ends a stream where its writer no longer lives.
 *
 * @returns whether the writer is dead
 * @throws what the store rejects with
 */
export async function endIfAbandoned(runtime: HttpRuntime, log: StreamLog): Promise<boolean> {
  const { presence, store } = runtime;
  const writer = readWriter(log.name.stream);
  if (writer === undefined || writer === presence.id || (await presence.isAlive(writer))) {
    return false;
  }
  const claim = `${toLogName(log.name)}/end`;
  // Should this node die in turn, another one may try when the claim is over.
  if ((await store.set(claim, presence.id, { ttlMs: presence.leaseMs, ifVersion: null })) !== undefined) {
    const owed = await readOwed(log);
    if (owed !== undefined) {
      await log.feed.append(encodeEntry({ kind: "end", text: toErrors(owed) }));
    }
  }
  return true;
}

/** The requests without an answer; nothing where the stream has ended, or is no longer kept. */
async function readOwed({ feed }: StreamLog): Promise<RequestId[] | undefined> {
  const slice = await feed.read(0);
  let owed: RequestId[] | undefined;
  for (const { value } of slice?.entries ?? []) {
    const entry = decodeEntry(value);
    if (entry?.kind === "end") {
      return undefined;
    }
    if (entry?.kind === "mark") {
      owed = [...entry.unanswered];
    } else if (entry?.kind === "answer" && owed?.includes(entry.id)) {
      owed.splice(owed.indexOf(entry.id), 1);
    }
  }
  return slice && (owed ?? []);
}

/** One entry for all, since one entry is kept or not: several errors are a batch, as the requests were. */
function toErrors(ids: readonly RequestId[]): string {
  const message =
    "the server that worked on this request stopped before it was answered; it is unknown whether it was done";
  const errors = ids.map((id) => encodeMessage(createErrorResponse(id, { code: rpcCodes.internalError, message })));
  return errors.length > 1 ? `[${errors.join(",")}]` : errors.join("");
}

/** Looks at every half lease whether the writer of a stream lives, for as long as a client is connected to it here. */
export class WriterWatch implements EventSource {
  readonly #runtime: HttpRuntime;
  readonly #log: StreamLog;
  #cancel: () => void = () => undefined;
  #isStopped = false;

  constructor(runtime: HttpRuntime, log: StreamLog, output: StreamOutput) {
    this.#runtime = runtime;
    this.#log = log;
    output.attach(this);
  }

  /** Begins to look. */
  start(): void {
    this.#plan();
  }

  goOn(): void {
    // It reads nothing, so it does not pause.
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  #plan(): void {
    if (!this.#isStopped) {
      this.#cancel = this.#runtime.options.clock.after(this.#runtime.presence.leaseMs / 2, () => void this.#look());
    }
  }

  async #look(): Promise<void> {
    try {
      await endIfAbandoned(this.#runtime, this.#log);
    } catch (error) {
      const what = "it is unknown for now whether the node lives that writes an event stream";
      this.#runtime.report("MCP_D_EVENT_LOG_FAILED", what, error);
    }
    this.#plan();
  }
}
