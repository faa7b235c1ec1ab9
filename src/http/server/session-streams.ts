/**
 * The event streams of one session as far as this node has to do with them: one for each request that is worked on here and
 * needs one, and the standing one. Those of other nodes are found by event id.
 *
 * Specification: Basic > Transports > Multiple connections, Resumability and redelivery.
 */
import type { RequestId } from "../../jsonrpc/message.ts";
import type { HttpReply } from "../message.ts";
import { createStreamId, parseEventId, type StreamName, standingId } from "./event-id.ts";
import { KeptStanding } from "./kept-standing.ts";
import { KeptStream } from "./kept-stream.ts";
import { LiveStanding } from "./live-standing.ts";
import { LiveStream } from "./live-stream.ts";
import type { PostStreams } from "./post.ts";
import type { ReplyStream } from "./reply-stream.ts";
import { refusePlace, resumeStream } from "./resumption.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { StandingStream } from "./standing-stream.ts";
import { StreamLog } from "./stream-log.ts";
import type { OutputOptions, StreamOutput } from "./stream-output.ts";
import type { StreamOwner } from "./stream-owner.ts";

/** A session's streams. */
export class SessionStreams implements PostStreams {
  readonly isResumable: boolean;
  readonly standing: StandingStream;
  readonly #runtime: HttpRuntime;
  readonly #owner: StreamOwner;
  readonly #kept: KeptStanding | undefined;
  /** Streams of requests that this node works on, by their id. */
  readonly #open = new Map<string, KeptStream>();
  /** Ended streams whose log is still there, by their id, with when it goes by itself. */
  readonly #ended = new Map<string, number>();
  /** Connections to streams that other nodes write. */
  readonly #outputs = new Set<StreamOutput>();
  #connections = 0;

  constructor(runtime: HttpRuntime, owner: StreamOwner) {
    const onConnections = (change: 1 | -1): void => this.#count(change);
    this.#runtime = runtime;
    this.#owner = owner;
    this.isResumable = runtime.options.events !== undefined;
    this.#kept = this.isResumable ? new KeptStanding(runtime, owner, onConnections) : undefined;
    this.standing = this.#kept ?? new LiveStanding(runtime, owner, onConnections);
  }

  /** How many clients are connected here, the standing stream's included. */
  get connections(): number {
    return this.#connections;
  }

  /**
   * The session begins here: its client is expected to open the standing stream.
   *
   * @throws what the store rejects with
   */
  async begin(): Promise<void> {
    await this.#kept?.begin();
  }

  create(ids: readonly RequestId[], onDetached: () => void): ReplyStream {
    if (!this.isResumable) {
      return new LiveStream(this.#runtime, { onConnections: (change) => this.#count(change), onDetached });
    }
    const stream = createStreamId(this.#runtime.presence.id, this.#runtime.numberStream());
    const kept = new KeptStream(this.#runtime, this.#toName(stream), {
      ...this.#toOutput(),
      ids,
      onEnded: () => this.#ends(stream),
    });
    this.#open.set(stream, kept);
    return kept;
  }

  closeStanding(): void {
    this.standing.suspend();
  }

  /** Another node has the standing stream now: the connection here, if there is one, is let go. */
  releaseStanding(): void {
    this.standing.supersede();
  }

  /**
   * Goes on behind an event, on the stream it came from and on no other, whichever node wrote it [HTTP-037] [HTTP-038].
   *
   * @param eventId - the `Last-Event-ID` as received
   * @throws what the store rejects with
   */
  async resume(eventId: string): Promise<HttpReply> {
    const place = parseEventId(eventId);
    if (this.#kept === undefined || place?.owner !== this.#owner.owner) {
      return refusePlace("unknown");
    }
    return place.stream === standingId
      ? await this.#kept.resume(place)
      : await resumeStream(this.#runtime, place, {
          ...this.#toOutput(),
          open: this.#open.get(place.stream),
          outputs: this.#outputs,
        });
  }

  /** The session has ended: connections end behind what was sent, and what was kept here is forgotten. */
  async finish(): Promise<void> {
    const logs = [...this.#ended.keys()].map((stream) => new StreamLog(this.#runtime, this.#toName(stream)));
    await Promise.all([
      ...[...this.#open.values()].map((stream) => stream.stop(false).then(() => stream.log.drop())),
      ...logs.map((log) => log.drop()),
      this.standing.finish(),
    ]);
    this.#open.clear();
    this.#ended.clear();
    this.#endOutputs(false);
  }

  /** This node stops: connections end behind what was sent, and clients go on elsewhere. */
  async release(): Promise<void> {
    this.#endOutputs(true);
    await Promise.all([...[...this.#open.values()].map((stream) => stream.stop(true)), this.standing.release()]);
  }

  #endOutputs(comesBack: boolean): void {
    for (const output of this.#outputs) {
      output.end(comesBack);
    }
  }

  /** A log that has gone by itself need not be forgotten at the end. */
  #ends(stream: string): void {
    const { clock, events } = this.#runtime.options;
    this.#open.delete(stream);
    for (const [ended, goneAt] of this.#ended) {
      if (goneAt > clock.now()) {
        break;
      }
      this.#ended.delete(ended);
    }
    this.#ended.set(stream, clock.now() + (events?.ttlMs ?? Number.POSITIVE_INFINITY));
  }

  #toName(stream: string): StreamName {
    return { owner: this.#owner.owner, stream };
  }

  #toOutput(): OutputOptions {
    return {
      polling: this.#owner.revision.traits.polling,
      onConnections: (change) => this.#count(change),
    };
  }

  #count(change: 1 | -1): void {
    this.#connections += change;
    this.#owner.onActivity();
  }
}
