/**
 * One event stream from its first byte to its end: events become messages, and the end says how to go on.
 *
 * It neither knows which stream it is nor opens another one.
 * Specification: Basic > Transports > Sending messages, Listening for messages.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { ClosedError, type McpError, PeerError, toMcpError } from "../../base/error.ts";
import { decodeText } from "../../jsonrpc/codec.ts";
import { type Classified, classifyMessage } from "../../jsonrpc/message.ts";
import { type ServerSentEvent, SseReader } from "../sse-reader.ts";
import { readChunks } from "./body.ts";
import { describeFault } from "./endpoint.ts";

/** What {@link readStream} needs. */
export interface StreamOptions {
  readonly signal: AbortSignal;
  readonly maxMessageBytes: number;
  /** The event id that the stream resumes. */
  readonly lastEventId?: string | undefined;
  /** Called for each message, valid or not, in order. */
  readonly onMessage: (classified: Classified) => void;
  /** Whether an event may hold an array of messages. Default: not. */
  readonly acceptsBatches?: boolean | undefined;
  readonly report: OnDiagnostic;
}

/** How a stream ended. */
export interface StreamEnd {
  /** Where it can be resumed. */
  readonly lastEventId: string | undefined;
  /** The wait before the next connection that the server asked for, in milliseconds. */
  readonly retryMs: number | undefined;
  /** How many events with data came. */
  readonly events: number;
  /** What broke it; `undefined` where the server ended it in order. */
  readonly fault: McpError | undefined;
  /** The last message that was none, which may be why something is missing. */
  readonly problem: PeerError | undefined;
}

/**
 * Reads an event stream to its end.
 *
 * @throws the signal's reason; nothing else
 */
export async function readStream(response: Response, options: StreamOptions): Promise<StreamEnd> {
  const { signal, report } = options;
  let events = 0;
  let foreignTypes = 0;
  let problem: PeerError | undefined;
  const reader = new SseReader({
    maxEventBytes: options.maxMessageBytes,
    lastEventId: options.lastEventId,
    onEvent: (event) => {
      events += 1;
      if (event.type === "message") {
        for (const classified of toMessages(event, options.acceptsBatches === true)) {
          problem = classified.kind === "invalid" ? new PeerError(classified.error.message) : problem;
          options.onMessage(classified);
        }
        return;
      }
      foreignTypes += 1;
      if (foreignTypes === 1) {
        const message = `expected events of type message, got ${JSON.stringify(event.type.slice(0, 50))}: such are ignored`;
        report({ code: "MCP_D_EVENT_TYPE", message });
      }
    },
    onInvalidUtf8: () => {
      report({ code: "MCP_D_INVALID_UTF8", message: "an event stream has bytes that are not UTF-8: read as U+FFFD" });
    },
  });
  let fault: McpError | undefined;
  try {
    await readChunks(response, signal, (chunk) => reader.feed(chunk));
  } catch (error) {
    signal.throwIfAborted();
    fault = toMcpError(error, () => new ClosedError(describeFault(error), { cause: error }));
  }
  return { lastEventId: reader.lastEventId, retryMs: reader.retryMs, events, fault, problem };
}

function toMessages({ data }: ServerSentEvent, acceptsBatches: boolean): Classified[] {
  const decoded = decodeText(data);
  if (!decoded.ok) {
    return [{ kind: "invalid", meant: "unknown", id: undefined, error: decoded.error }];
  }
  const { value } = decoded;
  return acceptsBatches && Array.isArray(value) ? value.map(classifyMessage) : [classifyMessage(value)];
}
