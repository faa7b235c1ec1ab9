/**
 * The event stream that brings the answer to a request: read to its end and, where it ends too early, resumed until
 * the answer is there or no way is left. The request itself is never sent again.
 *
 * Specification: Basic > Transports > Sending messages, Resumability and redelivery.
 */
import { ClosedError, type McpError } from "../../base/error.ts";
import { sleep } from "../../base/timer.ts";
import type { Classified } from "../../jsonrpc/message.ts";
import { MessageTooLargeError } from "../../jsonrpc/too-large.ts";
import type { Endpoint } from "./endpoint.ts";
import { askedDelayMs, isResumable, openStream } from "./open-stream.ts";
import type { ResolvedHttpOptions } from "./options.ts";
import { Attempts } from "./reconnect.ts";
import type { HttpSession } from "./session.ts";
import { readStream } from "./stream.ts";

/** The request whose answer is read. */
export interface AnswerReading {
  /** For error messages. */
  readonly method: string;
  /** Whether the answer has come, after which the stream is only read to its end. */
  readonly isAnswered: () => boolean;
  readonly onMessage: (classified: Classified) => void;
  readonly signal: AbortSignal;
}

/** The same in a session, with what resuming needs. */
export interface AnswerTarget extends AnswerReading {
  readonly endpoint: Endpoint;
  readonly options: ResolvedHttpOptions;
  readonly session: HttpSession;
}

/** Where a stream that broke stands. */
interface Broken {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
  readonly fault: McpError | undefined;
}

/**
 * Reads until the answer has come [HTTP-017].
 *
 * @throws what makes the answer impossible to get, or the signal's reason
 */
export async function followAnswer(first: Response, target: AnswerTarget): Promise<void> {
  const { options, signal } = target;
  const { clock } = options;
  const attempts = new Attempts(options.reconnect);
  let response = first;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  let problem: McpError | undefined;
  for (;;) {
    const openedAt = clock.now();
    const end = await readStream(response, {
      acceptsBatches: target.session.revision.traits.batching,
      signal,
      maxMessageBytes: options.maxMessageBytes,
      lastEventId,
      onMessage: target.onMessage,
      report: options.report,
    });
    if (target.isAnswered()) {
      return;
    }
    const useful = end.events > 0 || end.lastEventId !== lastEventId || end.retryMs !== undefined;
    attempts.judge({ openMs: clock.now() - openedAt, useful });
    lastEventId = end.lastEventId;
    retryMs = end.retryMs ?? retryMs;
    problem = end.fault ?? end.problem ?? problem;
    response = await resume({ lastEventId, retryMs, fault: problem }, attempts, target);
  }
}

async function resume(broken: Broken, attempts: Attempts, target: AnswerTarget): Promise<Response> {
  const { endpoint, session, options, method, signal } = target;
  const { lastEventId, retryMs } = broken;
  let { fault } = broken;
  if (fault instanceof MessageTooLargeError) {
    throw fault;
  }
  const broke = `${method}: the connection broke before the answer came`;
  const because = (): string => (fault === undefined ? "" : `: ${fault.message}`);
  if (!isResumable(lastEventId)) {
    throw new ClosedError(`${broke}, without an event id to resume from; it was not sent again${because()}`, {
      cause: fault,
    });
  }
  for (;;) {
    const delayMs = attempts.next(askedDelayMs(retryMs, fault));
    if (delayMs === undefined) {
      const tried = `and the stream could not be resumed in ${attempts.failed - 1} attempts`;
      throw new ClosedError(`${broke}, ${tried}${because()}`, { cause: fault });
    }
    await sleep(options.clock, delayMs, signal);
    const what = `GET to resume ${method} from`;
    const opened = await openStream({ endpoint, session, what, lastEventId, endsSession: true, signal });
    if (opened.ok) {
      return opened.response;
    }
    fault = opened.fault;
    if (!opened.transient) {
      throw fault;
    }
  }
}
