/**
 * The client's end of HTTP+SSE: one event stream in, one POST per message out, together one ordered pipe.
 *
 * The stream is the session. It is never opened again: once it is lost, all that was said on it is. None of the headers
 * of Streamable HTTP belongs here [O24-013]. Specification (first revision): Basic > Transports > HTTP with SSE.
 */
import { raceAbort } from "../../base/abort.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, type McpError, PeerError, TimeoutError, toMcpError, UsageError } from "../../base/error.ts";
import { decodeText, encodeMessage } from "../../jsonrpc/codec.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { Channel, ChannelReceiver } from "../../jsonrpc/link.ts";
import type { JsonRpcMessage } from "../../jsonrpc/message.ts";
import { recoverId } from "../../jsonrpc/recover-id.ts";
import type { MessageTooLargeError } from "../../jsonrpc/too-large.ts";
import { drain, readChunks } from "../client/body.ts";
import { describeFault, Endpoint } from "../client/endpoint.ts";
import type { ResolvedHttpOptions } from "../client/options.ts";
import { createTypeError, type Refused, readRefusal } from "../client/refusal.ts";
import { HttpSession } from "../client/session.ts";
import { headerNames } from "../headers.ts";
import { eventStreamType, isMediaType } from "../media-type.ts";
import { type ServerSentEvent, SseReader } from "../sse-reader.ts";
import { SendOrder } from "./send-order.ts";

/** What a channel needs to know, checked and complete. */
export interface LegacyChannelOptions extends ResolvedHttpOptions {
  /** How long the server may take to say where messages go, in milliseconds. */
  readonly endpointTimeoutMs: number;
}

/** How long a POST without an answer holds up the next one, in milliseconds: some servers answer when all is done. */
const orderHoldMs = 1_000;

/** See the head of this file. */
export class LegacyClientChannel implements Channel {
  readonly #options: LegacyChannelOptions;
  readonly #stream: Endpoint;
  readonly #order: SendOrder;
  /** Aborts when the connection ends, with the error that everything still waiting on it fails with. */
  readonly #life = new AbortController();
  readonly #announced = createDeferred();
  readonly #reportedTypes = new Set<string>();
  /** Where messages go; `undefined` until the server has said so. */
  #messages: Endpoint | undefined;
  #receiver: ChannelReceiver | undefined;

  constructor(options: LegacyChannelOptions) {
    this.#options = options;
    this.#stream = new Endpoint(options);
    this.#order = new SendOrder(options.clock, orderHoldMs);
  }

  /** Opens the event stream; resolves when the server has said where messages go [O24-004]. */
  async open(receiver: ChannelReceiver): Promise<void> {
    if (this.#receiver !== undefined) {
      throw new UsageError("an HTTP+SSE channel is opened once: expected a new channel, got one that was open before");
    }
    const { clock, endpointTimeoutMs } = this.#options;
    const { signal } = this.#life;
    signal.throwIfAborted();
    this.#receiver = receiver;
    const stopTimer = clock.after(endpointTimeoutMs, () => this.#finish(this.#timeoutError()));
    try {
      const response = await this.#connect();
      void this.#read(response);
      await raceAbort(this.#announced.promise, signal);
    } catch (error) {
      this.#finish(toMcpError(error));
      throw error;
    } finally {
      stopTimer();
    }
  }

  send(message: JsonRpcMessage): Promise<void> {
    const messages = this.#messages;
    if (messages === undefined || this.#life.signal.aborted) {
      throw new ClosedError("expected an open HTTP+SSE channel, got one that has ended or was not opened yet");
    }
    return this.#order.run(() => this.#post(messages, message));
  }

  async close(): Promise<void> {
    this.#finish(undefined);
  }

  async #connect(): Promise<Response> {
    const response = await this.#stream.get({}, this.#life.signal);
    const refused = this.#refusedBy(this.#stream, "GET");
    if (!response.ok) {
      throw await readRefusal(response, refused);
    }
    if (!isMediaType(response.headers.get(headerNames.contentType), eventStreamType)) {
      throw createTypeError(response, eventStreamType, refused);
    }
    return response;
  }

  async #read(response: Response): Promise<void> {
    const reader = new SseReader({
      maxEventBytes: this.#options.maxMessageBytes,
      onEvent: (event) => this.#receive(event),
      onOversize: (error, head, tail) => this.#refuse(error, head, tail),
      onInvalidUtf8: () => {
        const message = "the event stream has bytes that are not UTF-8: read as U+FFFD";
        this.#options.report({ code: "MCP_D_INVALID_UTF8", message });
      },
    });
    try {
      await readChunks(response, this.#life.signal, (chunk) => reader.feed(chunk));
      this.#finish(new ClosedError("the server ended the event stream, and with it the session"));
    } catch (error) {
      const lost = (): McpError =>
        new ClosedError(`the event stream was lost, and with it the session: ${describeFault(error)}`, {
          cause: error,
        });
      this.#finish(toMcpError(error, lost));
    }
  }

  #receive({ type, data }: ServerSentEvent): void {
    if (this.#life.signal.aborted) {
      return;
    }
    if (type === "endpoint" && this.#messages === undefined) {
      this.#messages = new Endpoint({ ...this.#options, url: this.#resolveEndpoint(data) });
      this.#announced.resolve();
    } else if (type !== "message") {
      this.#ignore(type);
    } else if (this.#messages === undefined) {
      throw new PeerError(`GET ${this.#stream.label}: expected the event stream to begin with endpoint, got a message`);
    } else {
      const decoded = decodeText(data);
      if (decoded.ok) {
        this.#receiver?.message(decoded.value);
      } else {
        this.#receiver?.malformed(decoded);
      }
    }
  }

  /** Only the call whose answer it was fails [PP-026]; the pipe goes on. */
  #refuse({ message, sizeBytes, limitBytes }: MessageTooLargeError, head: string, tail: string): void {
    const data = { sizeBytes, limitBytes };
    const recovered = recoverId(head.replace(/^[\s\S]*?data: ?/, ""), tail);
    this.#receiver?.malformed({ error: { code: rpcCodes.invalidRequest, message, data }, ...recovered });
  }

  /** Relative or absolute [O24-005], and never elsewhere: what is sent may hold tokens [O24-006]. */
  #resolveEndpoint(data: string): URL {
    const { url: stream } = this.#options;
    const url = URL.canParse(data, stream.href) ? new URL(data, stream) : undefined;
    const expected = `GET ${this.#stream.label}: expected an endpoint event with a URL of the same origin`;
    if (url === undefined) {
      throw new PeerError(`${expected}, got ${JSON.stringify(data.slice(0, 100))}, which is none`);
    }
    if (url.origin !== stream.origin || url.username !== "" || url.password !== "") {
      throw new PeerError(`${expected}, got one of ${url.origin}: nothing was sent there`);
    }
    url.hash = "";
    return url;
  }

  #ignore(type: string): void {
    const name = type.slice(0, 50);
    if (this.#reportedTypes.size < 10 && !this.#reportedTypes.has(name)) {
      this.#reportedTypes.add(name);
      const expected = "expected one event of type endpoint and then events of type message";
      this.#options.report({ code: "MCP_D_EVENT_TYPE", message: `${expected}, got ${JSON.stringify(name)}: ignored` });
    }
  }

  /** Any status from 200 to 299 is acceptance, whatever the body: answers come on the stream [O24-007]. */
  async #post(messages: Endpoint, message: JsonRpcMessage): Promise<void> {
    const { signal } = this.#life;
    const response = await messages.post(encodeMessage(message), {}, { signal });
    if (!response.ok) {
      const what = "method" in message ? message.method : "an answer";
      throw await readRefusal(response, this.#refusedBy(messages, `POST of ${what} to`));
    }
    void drain(response, this.#options.clock, signal);
  }

  #refusedBy(endpoint: Endpoint, what: string): Refused {
    // A session without an id: there is none here whose end a refusal could tell of.
    return { endpoint, session: new HttpSession(), what, inSession: false, signal: this.#life.signal };
  }

  #timeoutError(): TimeoutError {
    const timeoutMs = this.#options.endpointTimeoutMs;
    const message = `GET ${this.#stream.label}: expected an endpoint event, got none within ${timeoutMs} ms`;
    return new TimeoutError(message, { limit: "connect", timeoutMs });
  }

  #finish(fault: McpError | undefined): void {
    if (!this.#life.signal.aborted) {
      this.#life.abort(fault ?? new ClosedError("the connection was closed on this side"));
      this.#receiver?.closed(fault);
    }
  }
}
