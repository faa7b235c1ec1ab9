/**
 * Requests that stand for themselves, as the stateless revisions have them: what each one needs in order to be sent and
 * to be answered. There is no session around them, no stream beside their own, and nothing to come back to.
 *
 * Such a request is known by the envelope in its params; which revision to write there is decided above the link.
 * Specification: Basic > Transports > Streamable HTTP.
 */
import { ClosedError, type McpError, UsageError } from "../../base/error.ts";
import type { Call, Dispatcher, LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { InvalidMessage, JsonObject, JsonRpcNotification, JsonRpcRequest } from "../../jsonrpc/message.ts";
import { MessageTooLargeError } from "../../jsonrpc/too-large.ts";
import { envelopeKeys } from "../../protocol/envelope.ts";
import { readMeta } from "../../protocol/meta.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { findStateless, latestStateless } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { toStandardHeaders } from "../standard-headers.ts";
import type { AnswerReading } from "./answer-stream.ts";
import type { CallContext } from "./call.ts";
import { resolveHeaders } from "./configured-headers.ts";
import type { Endpoint, ProtocolHeaders } from "./endpoint.ts";
import { deliver, type Receiver } from "./inbound.ts";
import { Lifetime } from "./lifetime.ts";
import type { ResolvedHttpOptions } from "./options.ts";
import { readStream } from "./stream.ts";
import type { Outlet } from "./tell.ts";

/** What such requests are made from. */
export interface StatelessOptions {
  readonly endpoint: Endpoint;
  readonly options: ResolvedHttpOptions;
  readonly dispatcher: Dispatcher<McpContext>;
  notify(call: Call): Promise<void>;
  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject>;
}

/** Makes what a link needs for each message that stands for itself. One per link. */
export class StatelessCalls {
  readonly #own: StatelessOptions;
  readonly #lifetime = new Lifetime();

  constructor(own: StatelessOptions) {
    this.#own = own;
  }

  /** Ends the requests that still wait. */
  end(reason: McpError): void {
    this.#lifetime.end(reason);
  }

  /**
   * How a message goes out: with headers that say what its body says, and never with those of a session [M-HTTP-015].
   *
   * @param given - headers of the caller; those that repeat the body take precedence
   * @throws {@link UsageError} when a header cannot carry what it has to
   */
  createOutlet({ method, params }: Call, given?: ProtocolHeaders): Outlet {
    const standard = toStandardHeaders(method, params);
    if (!standard.ok) {
      throw new UsageError(`${method}: cannot be sent over HTTP: ${standard.problem}`);
    }
    const headers = resolveHeaders({ ...resolveHeaders(given), ...standard.headers });
    const { endpoint, options } = this.#own;
    return { endpoint, options, headers, lifetime: this.#lifetime, session: undefined };
  }

  /** What a request needs beside that. Losing its connection is its cancellation [M-HTTP-004]. */
  createContext(call: Call, given?: ProtocolHeaders): CallContext {
    return {
      ...this.createOutlet(call, given),
      inbound: new StatelessInbound(this.#own, findRevision(call), this.#lifetime.signal),
      readAnswer: (response, reading) => readAnswer(response, reading, this.#own.options),
      cancel: undefined,
    };
  }
}

/** What a server says on the stream of a request beside the answer: only notifications have a meaning there. */
class StatelessInbound implements Receiver {
  readonly #own: StatelessOptions;
  readonly #revision: Revision;
  readonly #signal: AbortSignal;

  constructor(own: StatelessOptions, revision: Revision, signal: AbortSignal) {
    this.#own = own;
    this.#revision = revision;
    this.#signal = signal;
  }

  /** A server asks for nothing but in results: there is nowhere to answer it [M-BASE-002]. */
  request({ id, method }: JsonRpcRequest): void {
    const message = `request ${JSON.stringify(id)} of the server, ${method}, was dropped: in this revision it may not ask`;
    this.#own.options.report({ code: "MCP_D_UNEXPECTED_REQUEST", message });
  }

  notification(message: JsonRpcNotification): void {
    const { dispatcher, options, notify, request } = this.#own;
    const exchange = {
      context: { revision: this.#revision, session: undefined, auth: undefined, http: undefined },
      signal: this.#signal,
      notify,
      request,
    };
    void deliver(message, exchange, dispatcher, options.report);
  }

  cancellation(): void {
    // Nothing of the server's runs here that it could cancel.
  }

  invalid({ error }: InvalidMessage): void {
    this.#own.options.report({ code: "MCP_D_INVALID_MESSAGE", message: error.message });
  }
}

/**
 * Reads the one stream there is. One that breaks takes the answer with it: whether the request may be made again is for
 * the caller to say [M-HTTP-012] [M-HTTP-013].
 */
async function readAnswer(response: Response, reading: AnswerReading, options: ResolvedHttpOptions): Promise<void> {
  const { method, signal, onMessage, isAnswered } = reading;
  const { maxMessageBytes, report } = options;
  const { fault, problem } = await readStream(response, { signal, maxMessageBytes, onMessage, report });
  if (isAnswered()) {
    return;
  }
  if (fault instanceof MessageTooLargeError) {
    throw fault;
  }
  const cause = fault ?? problem;
  const how = fault === undefined ? "the server ended the stream" : "the connection broke";
  const because = cause === undefined ? "" : `: ${cause.message}`;
  throw new ClosedError(`${method}: ${how} before the answer came; it was not sent again${because}`, { cause });
}

/** What the answer and the notifications are written in. */
function findRevision({ params }: Call): Revision {
  const id = readMeta(params)?.[envelopeKeys.protocolVersion];
  return (typeof id === "string" ? findStateless(id) : undefined) ?? latestStateless;
}
