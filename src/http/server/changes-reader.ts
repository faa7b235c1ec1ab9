/**
 * The changes that one client hears of on its standing stream: the feed of all of them, from its place, as far as it
 * wants to know. Where the feed no longer reaches back, it is told that everything may have changed.
 */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call } from "../../jsonrpc/link.ts";
import { toNotification } from "../../jsonrpc/message.ts";
import { decodeChange } from "../../protocol/change-feed.ts";
import { type Change, type ChangeAudience, toChangeNotification } from "../../protocol/changes.ts";
import type { LogEntry } from "../../store/contracts.ts";
import type { EventPlace } from "./event-id.ts";
import { FollowedLog, type LogListener } from "./followed-log.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { StreamOutput } from "./stream-output.ts";

/** Where a client is told. */
export interface ChangesReaderOptions {
  /** What the client wants to hear of at the moment. */
  readonly getAudience: () => ChangeAudience;
  /** The place of the next event; nothing where nobody can resume from one. */
  readonly getPlace: () => EventPlace | undefined;
}

/** See the head of this file. */
export class ChangesReader implements LogListener {
  readonly #runtime: HttpRuntime;
  readonly #output: StreamOutput;
  readonly #options: ChangesReaderOptions;
  readonly #followed: FollowedLog;

  /** @param after - the newest change that the client has heard of */
  constructor(runtime: HttpRuntime, output: StreamOutput, after: number, options: ChangesReaderOptions) {
    this.#runtime = runtime;
    this.#output = output;
    this.#options = options;
    this.#followed = new FollowedLog(runtime.changes, after, output, this);
  }

  /** The newest change that was handed to the connection. */
  get position(): number {
    return this.#followed.position;
  }

  start(): void {
    this.#followed.goOn();
  }

  entry({ value }: LogEntry): void {
    const change = decodeChange(value);
    const call = change && toChangeNotification(change, this.#options.getAudience());
    // Also where it does not concern the client: it will not be asked for again.
    this.#output.put(this.#options.getPlace(), call && encode(call));
  }

  /** Tells of a change of everything that the client wants to hear of [RES-009]. */
  gap(): void {
    const audience = this.#options.getAudience();
    const all: Change[] = [
      ...[...audience.lists].map((list) => ({ list })),
      ...[...audience.uris].map((uri) => ({ uri })),
    ];
    for (const change of all) {
      const call = toChangeNotification(change, audience);
      if (call !== undefined) {
        // Without an id: a client that loses the connection in between is to get all of them again.
        this.#output.put(undefined, encode(call));
      }
    }
  }

  failed(error: unknown): void {
    this.#runtime.report("MCP_D_EVENT_LOG_FAILED", "the feed of changes could not be read", error);
  }

  unreadable(error: unknown): void {
    this.failed(error);
    this.#output.end(true);
  }
}

function encode(call: Call): string {
  return encodeMessage(toNotification(call));
}
