/**
 * The event streams of one session: one for each request that needs one, and the standing one; found again by event id.
 *
 * Specification: Basic > Transports > Multiple connections, Resumability and redelivery.
 */
import { createId } from "../../base/id.ts";
import type { Revision } from "../../revision/revision.ts";
import type { HttpReply, TextReply } from "../message.ts";
import { encodeEvent, eventStreamHeaders } from "../sse-writer.ts";
import { createRefusal } from "../status.ts";
import { type EventKey, type EventLog, encodeEventId, parseEventId } from "./event-log.ts";
import type { PostStreams } from "./post.ts";
import { ReplyStream } from "./reply-stream.ts";
import type { HttpRuntime } from "./runtime.ts";
import { StandingStream } from "./standing-stream.ts";

/** The number of the standing stream. */
const standingNumber = 0;

/** A session's streams. */
export class SessionStreams implements PostStreams {
  readonly standing: StandingStream;
  readonly #runtime: HttpRuntime;
  readonly #getRevision: () => Revision;
  readonly #onActivity: () => void;
  /** Names the streams in event ids, so that the session's id never shows there. */
  readonly #owner = createId(10);
  /** Streams of requests that are not finished, by their number. */
  readonly #open = new Map<number, ReplyStream>();
  #next = standingNumber + 1;
  #connections = 0;

  /** @param onActivity - told whenever a connection is made or has ended */
  constructor(runtime: HttpRuntime, getRevision: () => Revision, onActivity: () => void) {
    this.#runtime = runtime;
    this.#getRevision = getRevision;
    this.#onActivity = onActivity;
    this.standing = new StandingStream(runtime, (onDetached) => this.#make(standingNumber, onDetached));
  }

  /** How many clients are connected, the standing stream's included. */
  get connections(): number {
    return this.#connections;
  }

  get isResumable(): boolean {
    return this.#runtime.options.log !== undefined;
  }

  create(onDetached: () => void): ReplyStream {
    const number = this.#next;
    this.#next += 1;
    const stream = this.#make(number, onDetached);
    this.#open.set(number, stream);
    return stream;
  }

  closeStanding(): void {
    this.standing.suspend();
  }

  /**
   * Goes on behind an event, on the stream it came from and on no other [HTTP-037] [HTTP-038].
   *
   * @param eventId - the `Last-Event-ID` as received
   */
  async resume(eventId: string): Promise<HttpReply> {
    const { log } = this.#runtime.options;
    const key = parseEventId(eventId);
    if (log === undefined || key?.owner !== this.#owner || key.stream >= this.#next) {
      return createRefusal(
        "eventUnknown",
        "Last-Event-ID: expected the id of an event of this session, got another; open a new stream without it",
      );
    }
    const stream = key.stream === standingNumber ? this.standing.stream : this.#open.get(key.stream);
    if (stream === undefined) {
      return await replayEnded(log, key);
    }
    const reply = await stream.resume(key.sequence);
    if (reply === "unknown") {
      return createRefusal("eventUnknown", "Last-Event-ID: expected the id of an event that was sent, got a later one");
    }
    return reply === "gone" ? refuseGone() : reply;
  }

  /** Ends all streams and forgets what was kept of them. */
  finish(): void {
    for (const stream of [...this.#open.values()]) {
      stream.finish();
    }
    this.standing.finish();
    this.#runtime.options.log?.forget(this.#owner)?.catch((error: unknown) => {
      this.#runtime.report("MCP_D_EVENT_LOG_FAILED", "the event log failed to forget a session's events", error);
    });
  }

  #make(number: number, onDetached: () => void): ReplyStream {
    const { log } = this.#runtime.options;
    return new ReplyStream(this.#runtime, {
      kept: log === undefined ? undefined : { log, owner: this.#owner, stream: number },
      polling: this.#getRevision().traits.polling,
      onConnections: (change) => {
        this.#connections += change;
        this.#onActivity();
      },
      onDetached,
      onFinished: () => this.#open.delete(number),
    });
  }
}

/** The rest of a stream that has ended: all of it is there, so it is no live stream any more. */
async function replayEnded(log: EventLog, key: EventKey): Promise<TextReply> {
  const replay = await log.read(key);
  if (replay?.complete !== true) {
    return refuseGone();
  }
  const body = replay.events.map(({ sequence, data }) =>
    encodeEvent({ id: encodeEventId({ ...key, sequence }), data }),
  );
  return { kind: "text", status: 200, headers: eventStreamHeaders, body: body.join("") };
}

function refuseGone(): TextReply {
  const message =
    "Last-Event-ID: what followed this event is no longer kept; open a new stream without it and ask again";
  return createRefusal("eventGone", message);
}
