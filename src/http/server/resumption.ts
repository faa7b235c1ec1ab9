/**
 * The stream of a POST gone on with behind an event, on whichever node its client comes back.
 *
 * Specification: Basic > Transports > Streamable HTTP > Resumability and Redelivery [HTTP-037] [HTTP-038].
 */
import type { LogSlice } from "../../store/contracts.ts";
import type { HttpReply, Sink, SinkListener, TextReply } from "../message.ts";
import { encodeEvent, eventStreamHeaders } from "../sse-writer.ts";
import { createRefusal } from "../status.ts";
import { endIfAbandoned, WriterWatch } from "./abandoned-stream.ts";
import { type EventPlace, encodeEventId } from "./event-id.ts";
import type { KeptStream } from "./kept-stream.ts";
import type { HttpRuntime } from "./runtime.ts";
import { decodeEntry, encodeEntry } from "./stream-entry.ts";
import { StreamLog } from "./stream-log.ts";
import { type OutputOptions, StreamOutput } from "./stream-output.ts";
import { isNothingMissed, StreamReader, saysNothingOfGaps } from "./stream-reader.ts";

/** What a stream is resumed with. */
export interface ResumptionOptions extends OutputOptions {
  /** The stream itself, where this node writes it and it has not ended. */
  readonly open: KeptStream | undefined;
  /** Connections to streams that other nodes write. */
  readonly outputs: Set<StreamOutput>;
}

/**
 * Goes on behind an event.
 *
 * @throws what the store rejects with
 */
export async function resumeStream(
  runtime: HttpRuntime,
  place: EventPlace,
  options: ResumptionOptions,
): Promise<HttpReply> {
  const { open } = options;
  const log = open?.log ?? new StreamLog(runtime, place);
  let rest = await readRest(log, place.position);
  if (typeof rest === "object" && !rest.isEnded && (await endIfAbandoned(runtime, log))) {
    rest = await readRest(log, place.position);
  }
  if (typeof rest !== "object") {
    return refusePlace(rest);
  }
  if (rest.isEnded) {
    return toEnded(place, rest);
  }
  // Whoever is connected now lets go when it reads this, and so does this connection for the next one [HTTP-032].
  const { position: connectedAt } = await log.feed.append(encodeEntry({ kind: "release", node: runtime.presence.id }));
  if (open !== undefined) {
    return open.resume(place.position, connectedAt);
  }
  return {
    kind: "stream",
    status: 200,
    headers: eventStreamHeaders,
    open: (sink) => connect(runtime, log, { after: place.position, connectedAt, sink, options }),
  };
}

/** What followed on an event. */
interface Rest {
  readonly entries: LogSlice["entries"];
  readonly isEnded: boolean;
}

/** Why nothing can follow: there never was such an event, or what followed is no longer kept. */
export type NoRest = "unknown" | "gone";

/** What is kept behind an event, if that is all there was. */
export async function readRest({ feed }: StreamLog, after: number): Promise<Rest | NoRest> {
  const slice = await feed.read(Math.max(0, after - 1));
  if (slice === undefined) {
    return "gone";
  }
  // What follows on the first end was written by a node that had been taken for dead.
  const end = slice.entries.find(({ value }) => decodeEntry(value)?.kind === "end")?.position;
  const entries = slice.entries.filter(({ position }) => position > after && position <= (end ?? position));
  const isEnded = end !== undefined;
  const [first] = entries;
  if (first === undefined) {
    // The event itself is the last one that is kept, or was made up.
    const isKnown = after === 0 ? slice.complete : slice.entries.length > 0;
    return isKnown ? { entries, isEnded } : "unknown";
  }
  const telling = entries.map(({ value }) => decodeEntry(value)).find((entry) => !saysNothingOfGaps(entry));
  return first.previous <= after || isNothingMissed(telling, after) ? { entries, isEnded } : "gone";
}

/** Refuses an event id of this session, and says what to do. */
export function refusePlace(why: NoRest): TextReply {
  return why === "gone"
    ? createRefusal(
        "eventGone",
        "Last-Event-ID: what followed this event is no longer kept; open a new stream without it and ask again",
      )
    : createRefusal(
        "eventUnknown",
        "Last-Event-ID: expected the id of an event of this session, got another; open a new stream without it",
      );
}

/** The rest of a stream that has ended: all of it is there, so it is no live stream any more. */
function toEnded(place: EventPlace, { entries }: Rest): TextReply {
  let body = "";
  for (const { position, value } of entries) {
    const entry = decodeEntry(value);
    const text = entry !== undefined && "text" in entry ? entry.text : "";
    if (text !== "") {
      body += encodeEvent({ id: encodeEventId({ ...place, position }), data: text });
    }
  }
  return { kind: "text", status: 200, headers: eventStreamHeaders, body };
}

/** A connection to a stream that another node writes. */
function connect(
  runtime: HttpRuntime,
  log: StreamLog,
  connection: { after: number; connectedAt: number; sink: Sink; options: ResumptionOptions },
): SinkListener {
  const { after, connectedAt, sink, options } = connection;
  const output = new StreamOutput(runtime, sink, options);
  const reader = new StreamReader(runtime, log, output, {
    after,
    connectedAt,
    primes: false,
    skipsGaps: false,
    isLocal: false,
    getChanges: () => 0,
    onTakenOver: () => undefined,
  });
  options.outputs.add(output);
  output.attach({ goOn: () => undefined, stop: () => options.outputs.delete(output) });
  new WriterWatch(runtime, log, output).start();
  reader.start();
  return output.listener;
}
